package dev.holdfast.acceptance.fire;

import dev.holdfast.testkit.GcPressure;
import dev.holdfast.testkit.Maps;
import dev.holdfast.testkit.ProcSelf;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * What a process and the worker that streams for it have at one moment.
 *
 * @param seconds since the beginning
 * @param runs ended so far
 * @param units checked so far
 * @param kills of workers so far
 * @param threads of the parent
 * @param descriptors of the parent
 * @param mappings of the parent, of arenas and channels
 * @param privateBytes RssAnon of the parent
 * @param privateBytesOfWorker RssAnon of the worker
 * @param sharedBytes RssShmem of the parent
 * @param sharedBytesOfWorker RssShmem of the worker
 * @param proportionalBytes Pss of both together
 * @param files of the parent's in {@code /dev/shm}
 */
record SoakSample(
    long seconds,
    long runs,
    long units,
    long kills,
    int threads,
    int descriptors,
    int mappings,
    long privateBytes,
    long privateBytesOfWorker,
    long sharedBytes,
    long sharedBytesOfWorker,
    long proportionalBytes,
    long files) {
  static final String HEAD =
      """
      | seconds | runs | units | kills | threads | descriptors | mappings | private MiB (parent, \
      worker) | shared MiB (parent, worker) | Pss MiB of both | files in /dev/shm |
      |---|---|---|---|---|---|---|---|---|---|---|\
      """;

  static final Path FOLDER = Path.of("/dev/shm");

  private static final String OURS = "holdfast-soak-" + ProcessHandle.current().pid() + "-";
  private static final long MIB = 1L << 20;

  /** Another worker may just be starting or ending. */
  private static final int THREADS_MORE = 8;

  private static final int DESCRIPTORS_MORE = 12;
  private static final int MAPPINGS_MORE = 4;
  private static final long PRIVATE_MORE = 24 * MIB;
  private static final long SHARED_MORE = 2 * MIB;

  static SoakSample take(long seconds, long runs, long units, long kills, long worker) {
    GcPressure.collect(2);
    long self = ProcessHandle.current().pid();
    return new SoakSample(
        seconds,
        runs,
        units,
        kills,
        ProcSelf.threadCount(self),
        ProcSelf.descriptors().size(),
        Maps.ofArenas().size(),
        ProcSelf.statusBytes(self, "RssAnon"),
        ProcSelf.statusBytes(worker, "RssAnon"),
        ProcSelf.statusBytes(self, "RssShmem"),
        ProcSelf.statusBytes(worker, "RssShmem"),
        pss(self) + pss(worker),
        countFiles());
  }

  private static long pss(long pid) {
    try (Stream<String> lines = Files.lines(Path.of("/proc/" + pid + "/smaps_rollup"))) {
      return lines
          .filter(line -> line.startsWith("Pss:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024)
          .sum();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the name of a file that is counted. */
  static Path file(long number) {
    return FOLDER.resolve(OURS + number);
  }

  private static long countFiles() {
    try (Stream<Path> files = Files.list(FOLDER)) {
      return files.filter(file -> file.getFileName().toString().startsWith(OURS)).count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String row() {
    return "| %d | %d | %d | %d | %d | %d | %d | %.1f, %.1f | %.1f, %.1f | %.1f | %d |"
        .formatted(
            seconds,
            runs,
            units,
            kills,
            threads,
            descriptors,
            mappings,
            (double) privateBytes / MIB,
            (double) privateBytesOfWorker / MIB,
            (double) sharedBytes / MIB,
            (double) sharedBytesOfWorker / MIB,
            (double) proportionalBytes / MIB,
            files);
  }

  /** Returns whether this, taken later, is as much as another one, but for what is under way. */
  boolean isFlatSince(SoakSample before) {
    return threads <= before.threads + THREADS_MORE
        && descriptors <= before.descriptors + DESCRIPTORS_MORE
        && mappings <= before.mappings + MAPPINGS_MORE
        && privateBytes <= before.privateBytes + PRIVATE_MORE
        && privateBytesOfWorker <= before.privateBytesOfWorker + PRIVATE_MORE
        && sharedBytes <= before.sharedBytes + SHARED_MORE
        && sharedBytesOfWorker <= before.sharedBytesOfWorker + SHARED_MORE
        && files <= before.files;
  }
}
