package dev.holdfast.acceptance.capacity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.Backing;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Parent;
import dev.holdfast.testkit.PausePoints;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nobody but the user who made it can open shared memory. R89 */
@ExtendWith(Leftovers.class)
@Timeout(300)
final class PermissionsTest {
  private static final String[] ANY_MODE = {"sh", "-c", "umask 000 && exec \"$0\" \"$@\""};

  @TempDir private Path folder;

  @BeforeEach
  void letOthersIntoTheFolder() throws IOException {
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
  }

  /** Makes an arena of each backing and a worker, and waits. */
  static final class Maker {
    private Maker() {}

    public static void main(String[] arguments) {
      Path folder = Path.of(arguments[0]);
      try (var memfd = SharedMemorySegmentPool.builder(8192, 2).backing(Backing.memfd()).build();
          var unnamed =
              SharedMemorySegmentPool.builder(8192, 2).backing(Backing.directory(folder)).build();
          var named =
              SharedMemorySegmentPool.builder(8192, 2)
                  .backing(Backing.file(folder.resolve("named")))
                  .build();
          SubprocessIterable<byte[]> items =
              Subprocess.iterate(
                  Sizes.counting(9, _ -> new byte[8192]),
                  SubprocessOptions.builder()
                      .jvmArgs(ChildJvm.SHORT_LIVED)
                      .arena(new SharedMemorySegmentPool(8192, 2))
                      .build())) {
        Iterator<byte[]> iterator = items.iterator();
        Parent.say("READY " + iterator.next().length + " " + items.pid());
        for (String line = Parent.read(); !line.equals("exit"); line = Parent.read()) {
          Parent.say(memfd + " " + unnamed + " " + named);
        }
        Parent.say("BYE " + iterator.next().length);
        memfd.unlink();
        unnamed.unlink();
        named.unlink();
      }
    }
  }

  private static List<Path> descriptors(long pid) throws IOException {
    List<Path> ours = new ArrayList<>();
    try (Stream<Path> links = Files.list(Path.of("/proc/" + pid + "/fd"))) {
      for (Path link : links.toList()) {
        String target = Files.readSymbolicLink(link).toString();
        if (target.startsWith("/memfd:holdfast") || target.contains("(deleted)")) {
          ours.add(link);
        }
      }
    }
    return ours;
  }

  private static void assertOwnersOnly(Path file) throws IOException {
    assertEquals(
        "rw-------",
        PosixFilePermissions.toString(Files.getPosixFilePermissions(file)),
        () -> file.toString());
  }

  private static boolean othersCanOpen(Path file) throws Exception {
    Process reader =
        new ProcessBuilder(
                "setpriv",
                "--reuid=65534",
                "--regid=65534",
                "--clear-groups",
                "head",
                "-c",
                "1",
                file.toString())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    assertTrue(reader.waitFor(60, TimeUnit.SECONDS));
    return reader.exitValue() == 0;
  }

  private static void assumeOtherUser() {
    Probe.assumeWorks("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "true");
  }

  @Test
  void everyFileOfBothProcessesIsItsOwnersOnly() throws Exception {
    assumeOtherUser();
    try (ChildJvm child =
        ChildJvm.of(Maker.class).prefix(ANY_MODE).args(folder.toString()).start()) {
      String[] ready = child.awaitLine("READY ").split(" ", 2);
      Path open = Files.writeString(folder.resolve("open"), "for everybody");
      Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rw-r--r--"));
      assertTrue(othersCanOpen(open));
      Files.delete(open);
      List<Path> files = new ArrayList<>(descriptors(child.pid()));
      assertTrue(files.size() >= 3, files::toString);
      files.addAll(descriptors(Long.parseLong(ready[1])));
      files.add(folder.resolve("named"));
      for (Path file : files) {
        assertOwnersOnly(file);
        assertFalse(othersCanOpen(file), file::toString);
      }
      child.send("exit");
      child.awaitSuccess();
    }
    assertFalse(Files.exists(folder.resolve("named")));
  }

  /** Between its making and its use a file has no wider mode either. */
  @ParameterizedTest
  @ValueSource(strings = {"NO_TMPFILE", "UNIT_FLIP_BYTE"})
  void fileIsItsOwnersOnlyFromTheMomentItIsMade(String fault) throws Exception {
    PausePoints points = PausePoints.in(folder).act(fault, "fire", 1).pause("FILE_CREATED", 1);
    try (ChildJvm child =
        ChildJvm.of(Prober.class)
            .prefix(ANY_MODE)
            .jvmArgs("-Xmx64m", points.jvmArgument())
            .start()) {
      child.awaitLine("READY");
      child.send("pool 8192 2 " + folder);
      assertEquals(child.pid(), points.awaitReached("FILE_CREATED"));
      List<Path> files = new ArrayList<>();
      try (Stream<Path> names = Files.list(folder)) {
        names
            .filter(name -> name.getFileName().toString().startsWith(".holdfast"))
            .forEach(files::add);
      }
      assertEquals(fault.equals("NO_TMPFILE") ? 1 : 0, files.size());
      files.addAll(descriptors(child.pid()));
      for (Path file : files) {
        assertOwnersOnly(file);
      }
      points.release("FILE_CREATED");
      assertTrue(child.awaitLine(Prober.ANSWER).startsWith("OK made"));
      child.send("exit");
      child.awaitSuccess();
    }
  }
}
