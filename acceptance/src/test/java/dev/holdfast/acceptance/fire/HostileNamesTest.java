package dev.holdfast.acceptance.fire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.acceptance.capacity.OtherUser;
import dev.holdfast.arena.Backing;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Parent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Another user has been at the name first, in a folder that everybody may write to. */
@ExtendWith(Leftovers.class)
@Timeout(180)
final class HostileNamesTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String SECRET = "nobody else's";

  @TempDir private Path folder;

  @BeforeEach
  void letOthersIntoTheFolder() throws IOException {
    OtherUser.assumeThere();
    OtherUser.letInto(folder);
  }

  /** Attaches to a named file. */
  static final class Attacher {
    private Attacher() {}

    public static void main(String[] arguments) {
      try (SharedMemorySegmentPool pool = SharedMemorySegmentPool.attach(Path.of(arguments[0]))) {
        Parent.say("ATTACHED " + pool);
      } catch (RuntimeException e) {
        Parent.say("REFUSED " + e.getMessage());
      }
    }
  }

  private static void asOtherUser(String command) throws Exception {
    Process process =
        new ProcessBuilder(
                "setpriv",
                "--reuid=" + OtherUser.ID,
                "--regid=" + OtherUser.ID,
                "--clear-groups",
                "sh",
                "-c",
                command)
            .inheritIO()
            .start();
    assertTrue(process.waitFor(60, TimeUnit.SECONDS));
    assertEquals(0, process.exitValue(), command);
  }

  // R90
  @ParameterizedTest
  @ValueSource(strings = {"touch %2$s", "ln -s %1$s %2$s", "mkfifo %2$s", "mkdir %2$s"})
  void aNameThatIsTakenIsRefusedAndWhatItLeadsToIsUntouched(String make) throws Exception {
    Path target = Files.writeString(folder.resolve("target"), SECRET);
    Path name = folder.resolve("holdfast-expected");
    asOtherUser(make.formatted(target, name));

    RuntimeException refused =
        Deadlines.within(
            "making an arena",
            LIMIT,
            () ->
                assertThrows(
                    IllegalArgumentException.class,
                    () ->
                        SharedMemorySegmentPool.builder(100, 2)
                            .backing(Backing.file(name))
                            .build()
                            .close()));

    assertTrue(refused.getMessage().contains(name.toString()), refused::getMessage);
    assertTrue(Files.exists(name, LinkOption.NOFOLLOW_LINKS));
    assertEquals(SECRET, Files.readString(target));
  }

  // R90
  @Test
  void whatLooksLikeALeftoverAndIsNoFileOfOursNeitherStopsNorHarmsAStart() throws Exception {
    Path target = Files.writeString(folder.resolve("target"), SECRET);
    String draft = folder.resolve(".holdfast-draft-").toString();
    asOtherUser(
        "ln -s %1$s %2$s1; mkfifo %2$s2; mkdir %2$s3; echo HOLDFAST > %2$s4"
            .formatted(target, draft));

    Deadlines.within(
        "making arenas",
        LIMIT,
        () -> {
          for (Backing backing :
              new Backing[] {Backing.directory(folder), Backing.file(folder.resolve("mine"))}) {
            SharedMemorySegmentPool pool =
                SharedMemorySegmentPool.builder(100, 2).backing(backing).build();
            pool.close();
            pool.unlink();
          }
          return folder;
        });

    assertEquals(SECRET, Files.readString(target));
    for (int i = 1; i <= 4; i++) {
      assertTrue(Files.exists(Path.of(draft + i), LinkOption.NOFOLLOW_LINKS), draft + i);
    }
  }

  // R91
  @Test
  void anotherUserIsToldThatAnArenaIsForOneUser() {
    Path name = folder.resolve("arena");
    try (SharedMemorySegmentPool pool =
        SharedMemorySegmentPool.builder(100, 2).backing(Backing.file(name)).build()) {
      try (ChildJvm other = OtherUser.start(Attacher.class, name.toString())) {
        String answer = other.awaitLine("REFUSED ");
        assertTrue(answer.contains("only processes of one user share an arena"), answer);
        other.awaitSuccess();
      }
      pool.unlink();
    }
  }
}
