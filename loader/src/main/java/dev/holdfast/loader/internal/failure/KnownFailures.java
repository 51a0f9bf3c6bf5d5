package dev.holdfast.loader.internal.failure;

import dev.holdfast.arena.AcquireTimeoutException;
import dev.holdfast.arena.ArenaClosedException;
import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.HoldfastInterruptedException;
import dev.holdfast.arena.InsufficientSharedMemoryException;
import dev.holdfast.arena.PinningException;
import dev.holdfast.arena.StorageRetainedException;
import dev.holdfast.arena.TicketException;
import dev.holdfast.arena.UnitTooLargeException;
import dev.holdfast.arena.internal.life.Logs;
import dev.holdfast.loader.IterationStoppedException;
import dev.holdfast.loader.WorkerDiedException;
import dev.holdfast.loader.WorkerTimeoutException;
import dev.holdfast.loader.pipeline.StageFailedException;
import java.lang.System.Logger;
import java.lang.reflect.Constructor;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** Our own exceptions, which arrive as the same type with the same facts. */
final class KnownFailures {
  private static final Logger LOG = Logs.of("dev.holdfast.loader");
  private static final Map<String, BiFunction<FailureDetail, Throwable, RuntimeException>> MAKERS =
      makers();

  private KnownFailures() {}

  static boolean isKnown(String className) {
    return MAKERS.containsKey(className);
  }

  /** Makes the exception again, or returns null when the class is none of ours. */
  static @Nullable RuntimeException make(String className, FailureDetail detail, Throwable cause) {
    BiFunction<FailureDetail, Throwable, RuntimeException> maker = MAKERS.get(className);
    return maker == null ? null : maker.apply(detail, cause);
  }

  private static Map<String, BiFunction<FailureDetail, Throwable, RuntimeException>> makers() {
    Map<String, BiFunction<FailureDetail, Throwable, RuntimeException>> makers = new HashMap<>();
    makers.put(AcquireTimeoutException.class.getName(), AcquireTimeoutException::new);
    makers.put(ArenaClosedException.class.getName(), ArenaClosedException::new);
    makers.put(ArenaCorruptedException.class.getName(), ArenaCorruptedException::new);
    makers.put(HoldfastInterruptedException.class.getName(), HoldfastInterruptedException::new);
    makers.put(
        InsufficientSharedMemoryException.class.getName(), InsufficientSharedMemoryException::new);
    makers.put(IterationStoppedException.class.getName(), IterationStoppedException::new);
    makers.put(PinningException.class.getName(), PinningException::new);
    makers.put(StorageRetainedException.class.getName(), StorageRetainedException::new);
    makers.put(StageFailedException.class.getName(), StageFailedException::new);
    makers.put(TicketException.class.getName(), TicketException::new);
    makers.put(UnitTooLargeException.class.getName(), UnitTooLargeException::new);
    makers.put(WorkerDiedException.class.getName(), WorkerDiedException::new);
    makers.put(WorkerTimeoutException.class.getName(), WorkerTimeoutException::new);
    addIfPresent("dev.holdfast.cuda.DeviceException", makers);
    return Map.copyOf(makers);
  }

  /** Adds an exception of a module that this one does not depend on. */
  private static void addIfPresent(
      String className,
      Map<String, BiFunction<FailureDetail, Throwable, RuntimeException>> makers) {
    try {
      Constructor<? extends RuntimeException> constructor =
          Class.forName(className)
              .asSubclass(RuntimeException.class)
              .getConstructor(FailureDetail.class, Throwable.class);
      makers.put(
          className,
          (detail, cause) -> {
            try {
              return constructor.newInstance(detail, cause);
            } catch (ReflectiveOperationException e) {
              throw new IllegalStateException("cannot make " + className + " again", e);
            }
          });
    } catch (ClassNotFoundException e) {
      LOG.log(Logger.Level.DEBUG, () -> "not on the class path: " + className);
    } catch (NoSuchMethodException e) {
      throw new IllegalStateException(
          className + " has another constructor than our exceptions", e);
    }
  }
}
