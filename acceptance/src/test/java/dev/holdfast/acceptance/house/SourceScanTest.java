package dev.holdfast.acceptance.house;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.HoldfastFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Rules of the house that can be read off the sources. */
final class SourceScanTest {
  private static final Path ROOT = Path.of(System.getProperty("holdfast.root", ".."));
  private static final List<String> PUBLISHED = List.of("arena", "loader", "cuda");

  private static List<Path> sources() {
    List<Path> sources = new ArrayList<>();
    for (String module : PUBLISHED) {
      Path folder = ROOT.resolve(module).resolve("src/main/java");
      if (!Files.isDirectory(folder)) {
        continue;
      }
      try (Stream<Path> files = Files.walk(folder)) {
        files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }
    assertTrue(sources.size() > 50, "found " + sources.size() + " sources in " + ROOT);
    return sources;
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static List<String> linesWith(String pattern, String allowedIn) {
    Pattern forbidden = Pattern.compile(pattern);
    List<String> found = new ArrayList<>();
    for (Path file : sources()) {
      if (file.toString().matches(allowedIn)) {
        continue;
      }
      read(file)
          .lines()
          .filter(line -> forbidden.matcher(line).find())
          .forEach(line -> found.add(file.getFileName() + ": " + line.strip()));
    }
    return found;
  }

  @Test
  void noWaitLooksAtTheWallClock() { // R95
    assertEquals(
        List.of(),
        linesWith("currentTimeMillis|Instant\\.now|LocalDateTime|Clock\\.system|new Date\\(", ""));
  }

  @Test
  void noValueOfTheProcessesOwnClockIsStoredForAnotherProcess() { // R95
    assertEquals(
        List.of(), linesWith("set\\w*(Release|Volatile)\\(.*nanoTime|ring\\.set\\(.*nanoTime", ""));
  }

  @Test
  void nativeFunctionsAreBoundInTheirPackagesOnly() {
    assertEquals(
        List.of(),
        linesWith(
            "downcallHandle|nativeLinker|upcallStub", ".*/internal/os/.*|.*/cuda/internal/.*"));
  }

  @Test
  void listOfFailuresIsTheOneInTheDocuments() {
    Set<String> found = new TreeSet<>();
    for (Path file : sources()) {
      String text = read(file);
      if (Pattern.compile("class \\w+ extends \\w+\\s+implements HoldfastFailure")
          .matcher(text)
          .find()) {
        found.add(file.getFileName().toString().replace("Exception.java", ""));
      }
    }
    assertEquals(
        new TreeSet<>(
            List.of(
                "UnitTooLarge",
                "InsufficientSharedMemory",
                "AcquireTimeout",
                "ArenaClosed",
                "ArenaCorrupted",
                "Ticket",
                "StorageRetained",
                "Pinning",
                "HoldfastInterrupted",
                "WorkerDied",
                "WorkerFailed",
                "WorkerTimeout",
                "IterationStopped",
                "StageFailed",
                "Device")),
        found,
        "the closed family of " + HoldfastFailure.class.getSimpleName());
  }
}
