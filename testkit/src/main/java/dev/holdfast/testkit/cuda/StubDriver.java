package dev.holdfast.testkit.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.GcPressure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/**
 * The stand-in for the CUDA driver library, built with the system's C compiler on first use. A
 * process loads one driver only, so a test class that uses devices calls {@link #install} before
 * anything else, and all such classes of one test run share it. Not for several threads at once.
 */
@SuppressWarnings("restricted") // calls the stub's own functions
public final class StubDriver {
  /** The property that names the driver library. */
  public static final String DRIVER_PROPERTY = "holdfast.cuda.driver";

  /** Tells a child where its parent has built the stub. */
  private static final String BUILT_PROPERTY = "holdfast.stub.built";

  private static final String SOURCE = "cuda/src/test/c/stub_cuda.c";
  private static @Nullable StubDriver installed;

  private final Path folder;
  private final Path file;
  private final SymbolLookup symbols;
  private Path log;
  private int logs;

  private StubDriver(Path folder, Path file) {
    this.folder = folder;
    this.file = file;
    this.symbols = SymbolLookup.libraryLookup(file, Arena.global());
    this.log = folder.resolve("log-0");
  }

  /**
   * Builds the stub unless that was done, and makes it the driver of this process. Skips the test
   * when there is no C compiler.
   *
   * @return the stub
   */
  public static synchronized StubDriver install() {
    StubDriver known = installed;
    if (known == null) {
      Path folder = temporaryFolder();
      String built = System.getProperty(BUILT_PROPERTY);
      known = new StubDriver(folder, built == null ? build(folder) : Path.of(built));
      installed = known;
    }
    System.setProperty(DRIVER_PROPERTY, known.file.toString());
    known.configure("");
    return known;
  }

  /**
   * Returns the library file, for children.
   *
   * @return its path
   */
  public Path file() {
    return file;
  }

  /**
   * Returns an option for children that call {@link #install}, which then builds nothing.
   *
   * @return an option of the JVM
   */
  public String builtOption() {
    return "-D" + BUILT_PROPERTY + "=" + file;
  }

  /**
   * Begins a new log with a plan of faults.
   *
   * @param faults as the stub takes them, perhaps empty
   */
  public void configure(String faults) {
    configure(faults, 2, 0);
  }

  /** Ends all faults and goes on with the log. */
  public void endFaults() {
    try {
      bind("stubEndFaults", FunctionDescriptor.ofVoid()).invokeExact();
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  /**
   * Begins a new log with a plan of faults.
   *
   * @param faults as the stub takes them, perhaps empty
   * @param devices how many devices there are
   * @param registerLimit bytes that may be registered at a time, 0 for any number
   */
  public void configure(String faults, int devices, long registerLimit) {
    log = newLog();
    try (Arena arena = Arena.ofConfined()) {
      bind("stubConfigure", FunctionDescriptor.ofVoid(ADDRESS, ADDRESS, JAVA_INT, JAVA_LONG))
          .invokeExact(
              arena.allocateFrom(log.toString()),
              arena.allocateFrom(faults),
              devices,
              registerLimit);
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  /**
   * Returns a new file for the log of a child.
   *
   * @return a path at which there is nothing
   */
  public Path newLog() {
    Path file = folder.resolve("log-" + ++logs);
    file.toFile().deleteOnExit();
    return file;
  }

  /**
   * Reads what was logged since the last {@link #configure}.
   *
   * @return the log so far
   */
  public StubLog log() {
    return StubLog.read(log);
  }

  /**
   * Waits until everything is given back, which closers and cleaners do behind the program, and
   * fails when it is not or the program did anything wrong.
   */
  public void assertCleanAndOver() {
    long start = System.nanoTime();
    while (!log().violations(true).isEmpty()
        && System.nanoTime() - start < Deadlines.GENEROUS.toNanos()) {
      log().assertClean();
      GcPressure.collect();
      Deadlines.pause(Duration.ofMillis(20));
    }
    log().assertCleanAndOver();
  }

  /**
   * Returns whether memory lies in one live registration.
   *
   * @param address where it begins; it need not be mapped
   * @param byteSize its size
   * @return the driver's truth
   */
  public boolean isRegistered(long address, long byteSize) {
    try {
      int found =
          (int)
              bind("stubIsRegistered", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG))
                  .invokeExact(address, byteSize);
      return found != 0;
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  /**
   * Returns how often a function was called since the last {@link #configure}.
   *
   * @param function without its version
   * @return the count
   */
  public long calls(String function) {
    try (Arena arena = Arena.ofConfined()) {
      return (long)
          bind("stubCalls", FunctionDescriptor.of(JAVA_LONG, ADDRESS))
              .invokeExact(arena.allocateFrom(function));
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  /**
   * Registers memory as another part of the process would.
   *
   * @param memory whole pages
   */
  public void registerAsAnother(MemorySegment memory) {
    inContext(
        () ->
            (int)
                bind(
                        "cuMemHostRegister_v2",
                        FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT))
                    .invokeExact(memory.address(), memory.byteSize(), 0));
  }

  /**
   * Ends a registration as another part of the process would.
   *
   * @param memory as it was registered
   */
  public void unregisterAsAnother(MemorySegment memory) {
    endAsAnother("cuMemHostUnregister", memory.address());
  }

  /**
   * Asks for a copy to the device as another part of the process would, whose stream this module
   * knows nothing of. It happens as late as the plan of faults says.
   *
   * @param device where to
   * @param source native memory, unchanged until the copy has happened
   * @param stream a stream of {@link #makeAsAnother}, 0 for the default one
   */
  public void copyAsAnother(long device, MemorySegment source, long stream) {
    inContext(
        () ->
            (int)
                bind(
                        "cuMemcpyHtoDAsync_v2",
                        FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG))
                    .invokeExact(device, source.address(), source.byteSize(), stream));
  }

  /**
   * Makes a stream or an event as another part of the process would.
   *
   * @param function {@code cuStreamCreate} or {@code cuEventCreate}
   * @return its handle
   */
  public long makeAsAnother(String function) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(JAVA_LONG);
      inContext(
          () ->
              (int)
                  bind(function, FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT))
                      .invokeExact(out.address(), 0));
      return out.get(JAVA_LONG, 0);
    }
  }

  /**
   * Marks in an event what a stream was asked for until now.
   *
   * @param event of {@link #makeAsAnother}
   * @param stream of the same
   */
  public void recordAsAnother(long event, long stream) {
    inContext(
        () ->
            (int)
                bind("cuEventRecord", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG))
                    .invokeExact(event, stream));
  }

  /**
   * Gives something back.
   *
   * @param function of the driver, with its version
   * @param handle what it takes
   */
  public void endAsAnother(String function, long handle) {
    inContext(
        () -> (int) bind(function, FunctionDescriptor.of(JAVA_INT, JAVA_LONG)).invokeExact(handle));
  }

  private interface Body {
    int run() throws Throwable;
  }

  private void inContext(Body body) {
    FunctionDescriptor one = FunctionDescriptor.of(JAVA_INT, JAVA_LONG);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(JAVA_LONG);
      requireSuccess(
          (int) bind("cuInit", FunctionDescriptor.of(JAVA_INT, JAVA_INT)).invokeExact(0));
      requireSuccess(
          (int)
              bind("cuDevicePrimaryCtxRetain", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT))
                  .invokeExact(out.address(), 0));
      requireSuccess((int) bind("cuCtxPushCurrent_v2", one).invokeExact(out.get(JAVA_LONG, 0)));
      requireSuccess(body.run());
      requireSuccess((int) bind("cuCtxPopCurrent_v2", one).invokeExact(out.address()));
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  private static void requireSuccess(int code) {
    Assertions.assertEquals(0, code, "the stub refused a call of the test");
  }

  private MethodHandle bind(String function, FunctionDescriptor type) {
    return Linker.nativeLinker().downcallHandle(symbols.find(function).orElseThrow(), type);
  }

  private static Path temporaryFolder() {
    try {
      Path folder = Files.createTempDirectory("stub-cuda-");
      folder.toFile().deleteOnExit();
      return folder;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path build(Path folder) {
    Path library = folder.resolve("libcuda.so.1");
    library.toFile().deleteOnExit();
    Process compiler;
    try {
      compiler =
          new ProcessBuilder(
                  "cc", "-shared", "-fPIC", "-pthread", "-O1", "-o", library.toString(), source())
              .inheritIO()
              .start();
    } catch (IOException e) {
      Assumptions.abort("skipped: there is no C compiler, cc, to build the stub driver: " + e);
      throw new AssertionError(e);
    }
    try {
      Assertions.assertTrue(compiler.waitFor(120, TimeUnit.SECONDS), "cc did not end");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while the test waited", e);
    }
    Assertions.assertEquals(0, compiler.exitValue(), "cc failed");
    return library;
  }

  private static String source() {
    Path folder = Path.of(System.getProperty("holdfast.root", "")).toAbsolutePath();
    while (folder != null) {
      Path source = folder.resolve(SOURCE);
      if (Files.exists(source)) {
        return source.toString();
      }
      folder = folder.getParent();
    }
    return Assertions.fail("not found: " + SOURCE);
  }
}
