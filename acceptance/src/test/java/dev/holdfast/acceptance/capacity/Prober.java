package dev.holdfast.acceptance.capacity;

import dev.holdfast.arena.Backing;
import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.SharedMemoryRingBuffer;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.internal.os.Descriptors;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Parent;
import dev.holdfast.testkit.ProcSelf;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

/**
 * A process that lives under some limit and makes arenas there as its test says, a command a line.
 * Answers with {@code OK ...} or {@code FAILED CLASS MESSAGE}.
 */
final class Prober {
  /** Up to here a descriptor is a stream that the parent has given. */
  private static final int STANDARD_ERROR = 2;

  /** Tells answers from what others write to the same stream. */
  static final String ANSWER = "ANSWER ";

  private final List<SharedMemoryArena> arenas = new ArrayList<>();
  private final List<AutoCloseable> files = new ArrayList<>();
  private final List<Idle> threads = new ArrayList<>();
  private final List<Arena> mapped = new ArrayList<>();

  private Prober() {}

  public static void main(String[] arguments) {
    Prober prober = new Prober();
    Parent.say("READY");
    for (String line = Parent.read(); !line.equals("exit"); line = Parent.read()) {
      prober.answer(line.split(" ", 4));
    }
    Parent.say(ANSWER + "OK bye");
  }

  private void answer(String[] command) {
    try {
      long start = System.nanoTime();
      String text = run(command);
      long millis = (System.nanoTime() - start) / 1_000_000;
      Parent.say(ANSWER + "OK " + text + " millis=" + millis);
    } catch (Throwable e) {
      Parent.say(
          ANSWER
              + "FAILED "
              + e.getClass().getName()
              + " "
              + e.getMessage()
              + " cause="
              + e.getCause());
    }
  }

  /** Commands are {@code VERB NUMBER COUNT PLACE}, as far as each needs them. */
  private String run(String[] command) throws Exception {
    return switch (command[0]) {
      case "pool" -> {
        arenas.add(
            SharedMemorySegmentPool.builder(number(command, 1), (int) number(command, 2))
                .backing(backing(command[3]))
                .build());
        yield "made";
      }
      case "taken" -> {
        FileStore mount = Files.getFileStore(Path.of(command[3]));
        long before = mount.getUnallocatedSpace();
        SharedMemoryArena pool =
            SharedMemorySegmentPool.builder(number(command, 1), (int) number(command, 2))
                .backing(backing(command[3]))
                .build();
        long after = mount.getUnallocatedSpace();
        arenas.add(pool);
        yield "bytes=" + (before - after);
      }
      case "ring" -> {
        arenas.add(
            SharedMemoryRingBuffer.builder(number(command, 1))
                .backing(backing(command[3]))
                .build());
        yield "made";
      }
      case "stream" -> stream(number(command, 1), (int) number(command, 2), command[3]);
      case "start" -> {
        SubprocessOptions options =
            SubprocessOptions.builder()
                .jvmArgs(ChildJvm.SHORT_LIVED)
                .workingDirectory(Path.of("/", command[3]))
                .build();
        Subprocess.iterate(new Full(1, 1), options).close();
        yield "started";
      }
      case "close" -> {
        arenas.forEach(SharedMemoryArena::close);
        arenas.forEach(SharedMemoryArena::unlink);
        arenas.clear();
        yield "closed";
      }
      case "fill" -> fill(number(command, 1), Path.of(command[3]));
      case "files" -> "free=" + Descriptors.mountSpace(command[3]).freeInodes();
      case "list" -> list(Path.of(command[3]));
      case "remove" -> {
        Files.delete(Path.of(command[3]));
        yield "removed";
      }
      case "load" ->
          "classes="
              + (load(SharedMemoryArena.class) + load(Subprocess.class) + load(Prober.class));
      case "open" -> open((int) number(command, 1));
      case "shut" -> {
        for (AutoCloseable file : files) {
          file.close();
        }
        files.clear();
        yield "shut";
      }
      case "threads" -> "started=" + startThreads((int) number(command, 1));
      case "relax" -> {
        endThreads(threads.size());
        yield "relaxed";
      }
      case "map" -> "mapped=" + useUpMappings((int) number(command, 1));
      case "unmap" -> {
        mapped.forEach(Arena::close);
        mapped.clear();
        yield "unmapped";
      }
      case "places" ->
          ProcSelf.descriptors().entrySet().stream()
              .filter(descriptor -> descriptor.getKey() > STANDARD_ERROR)
              .map(Map.Entry::getValue)
              .filter(path -> path.startsWith("/memfd:holdfast") || path.endsWith("(deleted)"))
              .toList()
              .toString();
      case "children" -> String.valueOf(ProcessHandle.current().children().count());
      case "shared" -> "bytes=" + ProcSelf.statusBytes(pid(), "RssShmem");
      case "descriptors" -> "count=" + ProcSelf.descriptors().size();
      default -> throw new IllegalArgumentException(command[0]);
    };
  }

  private static long pid() {
    return ProcessHandle.current().pid();
  }

  private static long number(String[] command, int index) {
    return Long.parseLong(command[index]);
  }

  private static Backing backing(String place) {
    return switch (place) {
      case "memfd" -> Backing.memfd();
      case "standard" -> Backing.standard();
      default ->
          place.startsWith("file:")
              ? Backing.file(Path.of(place.substring(5)))
              : Backing.directory(Path.of(place));
    };
  }

  /** Has a worker send units that fill a segment each, and writes each view to a file. */
  private static String stream(long size, int units, String place) throws IOException {
    SubprocessOptions options =
        SubprocessOptions.builder()
            .arena(SharedMemorySegmentPool.builder(size, 2).backing(backing(place)).build())
            .jvmArgs("-Xmx64m", ChildJvm.SHORT_LIVED)
            .build();
    long checked = 0;
    try (SubprocessIterable<ByteBuffer> items = Subprocess.iterate(new Full(size, units), options);
        FileChannel sink = FileChannel.open(Path.of("/dev/null"), StandardOpenOption.WRITE)) {
      for (var lease : items.leases()) {
        try (lease) {
          int written = sink.write(lease.item());
          if (written != size) {
            throw new IllegalStateException("written=" + written + " of " + size);
          }
          checked++;
        }
      }
    }
    return "units=" + checked;
  }

  private String fill(long bytes, Path file) throws IOException {
    byte[] zeros = new byte[4096];
    try (var out = Files.newOutputStream(file)) {
      for (long written = 0; written < bytes; written += zeros.length) {
        out.write(zeros);
      }
    }
    return "filled";
  }

  private static String list(Path folder) throws IOException {
    try (Stream<Path> names = Files.list(folder)) {
      return names.map(name -> name.getFileName().toString()).sorted().toList().toString();
    }
  }

  /** Loads all classes that lie beside one in a folder, where each load opens a file. */
  private static long load(Class<?> one) throws Exception {
    Path root = Path.of(one.getProtectionDomain().getCodeSource().getLocation().toURI());
    if (!Files.isDirectory(root)) {
      return 0;
    }
    long loaded = 0;
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.filter(f -> f.toString().matches(".*/[^-]+\\.class")).toList()) {
        String name = root.relativize(file).toString().replace('/', '.');
        if (!name.contains("Test")) {
          loaded +=
              Class.forName(name.substring(0, name.length() - 6), false, one.getClassLoader())
                          .getModifiers()
                      >= 0
                  ? 1
                  : 0;
        }
      }
    }
    return loaded;
  }

  private String open(int left) throws IOException {
    try {
      while (true) {
        files.add(FileChannel.open(Path.of("/dev/null"), StandardOpenOption.READ));
      }
    } catch (IOException e) {
      for (int i = 0; i < left; i++) {
        closeQuietly(files.removeLast());
      }
      return "opened=" + files.size();
    }
  }

  /** Starts threads until the system refuses one, then ends some of them. */
  private int startThreads(int left) throws InterruptedException {
    try {
      while (true) {
        threads.add(Idle.start());
      }
    } catch (OutOfMemoryError e) {
      endThreads(left);
      return threads.size();
    }
  }

  private void endThreads(int count) throws InterruptedException {
    for (int i = 0; i < count && !threads.isEmpty(); i++) {
      Idle last = threads.removeLast();
      last.end.countDown();
      last.thread.join();
    }
  }

  /** Maps one page again and again until the system refuses it, then unmaps some. */
  @SuppressWarnings("MustBeClosedChecker") // closed when the test says so
  private int useUpMappings(int left) throws IOException {
    Path file = Files.write(Files.createTempFile("prober", ".page"), new byte[4096]);
    try (FileChannel page = FileChannel.open(file, StandardOpenOption.DELETE_ON_CLOSE)) {
      while (true) {
        Arena arena = Arena.ofConfined();
        mapped.add(arena);
        var _ = page.map(FileChannel.MapMode.READ_ONLY, 0, 4096, arena);
      }
    } catch (IOException | OutOfMemoryError e) {
      for (int i = 0; i <= left; i++) {
        mapped.removeLast().close();
      }
      return mapped.size();
    }
  }

  /** A thread that takes up its place and does nothing. */
  private record Idle(Thread thread, CountDownLatch end) {
    static Idle start() {
      CountDownLatch end = new CountDownLatch(1);
      return new Idle(Thread.ofPlatform().daemon().start(() -> await(end)), end);
    }

    private static void await(CountDownLatch end) {
      try {
        end.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static void closeQuietly(AutoCloseable file) throws IOException {
    try {
      file.close();
    } catch (Exception e) {
      throw new IOException(e);
    }
  }
}
