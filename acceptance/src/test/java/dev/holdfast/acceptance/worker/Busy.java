package dev.holdfast.acceptance.worker;

import dev.holdfast.loader.WorkerContext;
import dev.holdfast.loader.WorkerSource;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.FullHeap;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** What user code in a worker can be lost in. */
enum Busy {
  /** It sleeps. */
  SLEEPS,
  /** It computes. */
  SPINS,
  /** It waits inside a native function. */
  WAITS_IN_NATIVE_CODE,
  /** It waits inside a native function that no safepoint can begin with. */
  HOLDS_UP_SAFEPOINTS,
  /** It prints without an end. */
  PRINTS,
  /** It has filled the heap to its last bytes. */
  FILLS_THE_HEAP,
  /** It waits until the test lets it go on. */
  WAITS_FOR_A_SIGN;

  /** The point that user code reaches then. */
  static final String POINT = "USER_CODE";

  private static final int REFILLS = 100;
  private static final int PR_SET_PDEATHSIG = 1;

  /** Items that are stamped, but at one of them user code is lost. */
  WorkerSource<Map<String, Object>> at(int index, int count, String folder) {
    return new Source(this, index, count, folder, false);
  }

  /** The same in a worker whose user code has also undone what the kernel was asked for. */
  WorkerSource<Map<String, Object>> withoutDeathSignalAt(int index, int count, String folder) {
    return new Source(this, index, count, folder, true);
  }

  void run(String folder) {
    Signs.reached(folder, POINT);
    switch (this) {
      case SLEEPS -> Deadlines.pause(Workers.FOR_EVER);
      case SPINS -> spin();
      case WAITS_IN_NATIVE_CODE -> nativeSleep();
      case HOLDS_UP_SAFEPOINTS -> nativeSleep(Linker.Option.critical(false));
      case PRINTS -> print();
      case FILLS_THE_HEAP -> fillTheHeap();
      case WAITS_FOR_A_SIGN -> Signs.awaitRelease(folder, POINT);
    }
  }

  private static void spin() {
    long sum = 0;
    while (sum >= 0) {
      sum = (sum + 1) & 0xffff;
    }
  }

  private static void fillTheHeap() {
    try (FullHeap full = FullHeap.leaving(0)) {
      for (int i = 0; i < REFILLS; i++) { // others leave something to the collector
        full.refill();
        LockSupport.parkNanos(10_000_000);
      }
      Deadlines.pause(Workers.FOR_EVER);
    }
  }

  private static void print() {
    for (long i = 0; i >= 0; i++) {
      System.out.println("a line of user code, number " + i);
    }
  }

  private static void nativeSleep(Linker.Option... options) {
    MethodHandle sleep =
        function(
            "sleep", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT), options);
    try {
      int left = (int) sleep.invokeExact((int) Workers.FOR_EVER.toSeconds());
      throw new IllegalStateException("woke up early: " + left);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Changes an attribute of this process by prctl(2).
   *
   * @param option its number
   * @param value the new value
   */
  static void prctl(int option, long value) {
    MethodHandle prctl =
        function(
            "prctl",
            FunctionDescriptor.of(
                ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG));
    try {
      int result = (int) prctl.invokeExact(option, value);
      if (result != 0) {
        throw new IllegalStateException("prctl: " + result);
      }
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  @SuppressWarnings("restricted") // user code may do what it likes
  private static MethodHandle function(
      String name, FunctionDescriptor type, Linker.Option... options) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), type, options);
  }

  private record Source(Busy busy, int index, int count, String folder, boolean withoutSignal)
      implements WorkerSource<Map<String, Object>> {
    private static final long serialVersionUID = 1L;

    @Override
    public Iterable<Map<String, Object>> open(WorkerContext context) {
      if (withoutSignal) {
        prctl(PR_SET_PDEATHSIG, 0);
      }
      return Workers.counting(count, this::item);
    }

    private Map<String, Object> item(int i) {
      if (i == index) {
        busy.run(folder);
      }
      return Workers.stampedItem(i);
    }
  }
}
