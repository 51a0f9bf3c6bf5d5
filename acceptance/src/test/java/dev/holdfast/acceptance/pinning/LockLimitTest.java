package dev.holdfast.acceptance.pinning;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.ArenaReader;
import dev.holdfast.arena.PagePinner;
import dev.holdfast.arena.PinningException;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.cli.Main;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.ProcSelf;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A process that may lock 64 KiB and no more. */
@ExtendWith(Leftovers.class)
class LockLimitTest {
  private static final String LIMITED =
      "ulimit -l 64 && exec setpriv --bounding-set -ipc_lock --inh-caps -ipc_lock \"$@\"";

  /** Opens a pinned pool that is too large, says what happened, and goes on without pinning. */
  static final class Child {
    private Child() {}

    public static void main(String[] args) {
      try (SharedMemorySegmentPool pool =
          SharedMemorySegmentPool.builder(1 << 20, 2).pinned(PagePinner.mlock()).build()) {
        int status = open(pool);
        pool.unlink();
        System.out.println("locked " + ProcSelf.lockedBytes());
        System.exit(status);
      }
    }

    private static int open(SharedMemorySegmentPool pool) {
      try (ArenaReader _ = pool.openReader()) {
        return 0;
      } catch (PinningException e) {
        System.out.println("limit " + e.facts().get("limit") + " " + e.facts().get("limitBytes"));
        System.out.println("asked " + e.facts().get("askedBytes"));
        System.out.println("advice " + e.advice());
        System.out.println("pinned " + pool.isPinned());
        return 1;
      }
    }
  }

  @Test
  void theErrorNamesTheLimitAndHowToGoOnAndNothingIsLeftLocked() throws Exception {
    Assumptions.assumeTrue(
        canBeLimited(), "skipped: this machine does not let setpriv drop ipc_lock");
    try (ChildJvm child = ChildJvm.of(Child.class).prefix("sh", "-c", LIMITED, "sh").start()) {
      assertEquals("RLIMIT_MEMLOCK 65536", child.awaitLine("limit "));
      assertEquals(String.valueOf(2 << 20), child.awaitLine("asked "));
      String advice = child.awaitLine("advice ");
      assertTrue(advice.contains("ulimit -l") && advice.contains("unpinned"), advice);
      assertEquals("false", child.awaitLine("pinned "));
      assertEquals("0", child.awaitLine("locked "));
      assertEquals(1, child.awaitExit());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"pool", "ring"})
  void theDemoEndsWithTheLimitAndStatusOne(String transport, @TempDir Path folder)
      throws Exception {
    Assumptions.assumeTrue(
        canBeLimited(), "skipped: this machine does not let setpriv drop ipc_lock");
    BufferedImage picture = new BufferedImage(30, 20, BufferedImage.TYPE_INT_RGB);
    assertTrue(ImageIO.write(picture, "png", folder.resolve("one.png").toFile()));
    try (ChildJvm demo =
        ChildJvm.of(Main.class)
            .prefix("sh", "-c", LIMITED, "sh")
            .args("demo", folder.toString(), "--transport", transport, "--pin", "mlock")
            .start()) {
      assertEquals(1, demo.awaitExit());
      String error = demo.errorOutput();
      assertTrue(error.startsWith("holdfast: PinningException: "), error);
      assertTrue(error.contains("limit=RLIMIT_MEMLOCK limitBytes=65536"), error);
      assertTrue(error.contains("go on unpinned"), error);
    }
  }

  private static boolean canBeLimited() throws InterruptedException {
    try {
      Process probe = new ProcessBuilder("sh", "-c", LIMITED, "sh", "true").start();
      return probe.waitFor(60, TimeUnit.SECONDS) && probe.exitValue() == 0;
    } catch (IOException e) {
      return false;
    }
  }
}
