package dev.holdfast.acceptance.arena;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.ArenaReservation;
import dev.holdfast.arena.Backing;
import dev.holdfast.arena.OpenUnit;
import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.SharedMemoryRingBuffer;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.StorageHold;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.arena.internal.fault.FaultPoint;
import dev.holdfast.arena.internal.life.Quarantine;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.FullHeap;
import dev.holdfast.testkit.Maps;
import dev.holdfast.testkit.Parent;
import dev.holdfast.testkit.ProcSelf;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Does one thing again and again, each time with a little more room in a full heap. */
final class FullHeapMain {
  /** Stands for the end of the stack among the arguments. */
  static final String STACK = "stack";

  private static final Duration LONG = Duration.ofSeconds(60);
  private static final int UNIT = 4096;
  private static final int MOST_TURNS = 300;
  private static final int LAST_STEP_OF_A_DRAFT = 4;
  private static final int STEP_BEHIND_THE_NAME = 5;

  private FullHeapMain() {}

  /** What is done while the heap is full, and what must have become of it afterwards. */
  enum Deed {
    CLOSES_A_POOL {
      @Override
      void once(FullHeapMain.Lack lack, Path folder) {
        closesAnArena(lack, pool(4, Backing.memfd()));
      }
    },
    CLOSES_A_RING {
      @Override
      void once(FullHeapMain.Lack lack, Path folder) {
        closesAnArena(lack, ring());
      }
    },
    UNLINKS_MEMORY {
      @Override
      void once(FullHeapMain.Lack lack, Path folder) {
        unlinks(lack, pool(1, Backing.memfd()));
      }
    },
    UNLINKS_A_FILE {
      @Override
      void once(FullHeapMain.Lack lack, Path folder) {
        Path file = folder.resolve("named");
        unlinks(lack, pool(1, Backing.file(file)));
        Deadlines.assertEventually("the name is gone", () -> !Files.exists(file));
      }
    },
    CLOSES_A_CONFINED_LEASE {
      @Override
      void once(FullHeapMain.Lack lack, Path folder) {
        closesALease(lack, ViewScope.CONFINED);
      }
    },
    CLOSES_A_SHARED_LEASE {
      @Override
      void once(FullHeapMain.Lack lack, Path folder) {
        closesALease(lack, ViewScope.SHARED);
      }
    },
    CLOSES_A_HOLD {
      @Override
      void once(FullHeapMain.Lack lack, Path folder) {
        try (Rig rig = new Rig(pool(1, Backing.memfd()))) {
          Opened opened = rig.admitAndOpen(rig.write(UNIT), ViewScope.CONFINED);
          StorageHold hold = opened.lease().hold();
          var _ = hold.segment();
          opened.close();
          lack.doing(hold::close);
          hold.close();
          rig.passThrough(2, UNIT);
        }
      }
    },
    CLOSES_THE_ENDPOINTS {
      @Override
      void once(FullHeapMain.Lack lack, Path folder) {
        SharedMemoryArena arena = pool(2, Backing.memfd());
        Rig first = new Rig(arena);
        first.passThrough(3, UNIT);
        lack.doing(first.reader()::close, first.writer()::close);
        first.reader().close();
        first.writer().close();
        Deadlines.assertEventually("both sides are free", () -> bothOpen(arena));
        arena.close();
        arena.unlink();
      }
    },
    TAKES_A_HOLD {
      @Override
      void once(FullHeapMain.Lack lack, Path folder) {
        try (Rig rig = new Rig(pool(1, Backing.memfd()))) {
          Opened opened = rig.admitAndOpen(rig.write(UNIT), ViewScope.CONFINED);
          StorageHold[] held = new StorageHold[1];
          lack.doing(() -> held[0] = opened.lease().hold());
          opened.close();
          if (held[0] != null) {
            held[0].close();
          }
          rig.passThrough(2, UNIT);
        }
      }
    },
    OPENS_A_UNIT {
      @Override
      void once(FullHeapMain.Lack lack, Path folder) {
        opensAUnit(lack, pool(1, Backing.memfd()));
      }
    },
    OPENS_A_UNIT_OF_A_RING {
      @Override
      void once(FullHeapMain.Lack lack, Path folder) {
        opensAUnit(lack, ring());
      }
    },
    DISCARDS_A_UNIT {
      @Override
      void once(FullHeapMain.Lack lack, Path folder) {
        try (Rig rig = new Rig(pool(1, Backing.memfd()))) {
          Sent sent = rig.admit(rig.write(UNIT));
          lack.doing(() -> rig.reader().discard(sent.receipt()));
          rig.passThrough(2, UNIT);
        }
      }
    },
    CLOSES_A_RESERVATION {
      @Override
      void once(FullHeapMain.Lack lack, Path folder) {
        try (SharedMemorySegmentPool pool = pool(1, Backing.memfd())) {
          ArenaReservation reservation = pool.reserve();
          var _ = reservation.allocate(UNIT);
          lack.doing(reservation::close);
          reservation.close();
          pool.reserve().close();
          pool.unlink();
        }
      }
    },
    CONSTRUCTS_A_FILE {
      @Override
      void once(FullHeapMain.Lack lack, Path folder) {
        constructs(lack, Backing.file(folder.resolve("named")), 0);
      }
    },
    /** On a file system where a file has a name of its own until it is linked to its last one. */
    CONSTRUCTS_A_FILE_OF_A_DRAFT {
      @Override
      void once(FullHeapMain.Lack lack, Path folder) {
        FaultPoint.NO_TMPFILE.plan("fire", 1);
        constructs(lack, Backing.file(folder.resolve("named")), 0);
      }
    },
    CONSTRUCTS_IN_A_FOLDER_OF_DRAFTS {
      @Override
      void once(FullHeapMain.Lack lack, Path folder) {
        FaultPoint.NO_TMPFILE.plan("fire", 1);
        constructs(lack, Backing.directory(folder), 0);
      }
    },
    /** The file is whole, and then something else fails. */
    DRAFTS_A_FILE_IN_VAIN {
      @Override
      void once(FullHeapMain.Lack lack, Path folder) {
        FaultPoint.NO_TMPFILE.plan("fire", 1);
        constructs(lack, Backing.file(folder.resolve("named")), LAST_STEP_OF_A_DRAFT);
      }
    },
    /** The file has its name, and then something else fails. */
    NAMES_A_FILE_IN_VAIN {
      @Override
      void once(FullHeapMain.Lack lack, Path folder) {
        constructs(lack, Backing.file(folder.resolve("named")), STEP_BEHIND_THE_NAME);
      }
    },
    CONSTRUCTS {
      @Override
      void once(FullHeapMain.Lack lack, Path folder) {
        constructs(lack, Backing.memfd(), 0);
      }
    };

    abstract void once(FullHeapMain.Lack lack, Path folder);
  }

  private static boolean bothOpen(SharedMemoryArena arena) {
    try (var _ = arena.openReader();
        var _ = arena.openWriter()) {
      return true;
    } catch (IllegalStateException e) {
      return false;
    }
  }

  private static void opensAUnit(Lack lack, SharedMemoryArena arena) {
    try (Rig rig = new Rig(arena)) {
      Sent sent = rig.admit(rig.write(UNIT));
      OpenUnit[] open = new OpenUnit[1];
      lack.doing(() -> open[0] = rig.reader().beginUnit(sent.receipt(), ViewScope.CONFINED));
      if (open[0] != null) {
        lack.doing(() -> open[0].endUnit(List.of()).close());
      }
      rig.passThrough(2, UNIT);
    }
  }

  /**
   * Constructs a pool.
   *
   * @param failing at which step of it something else fails, 0 for none
   */
  private static void constructs(Lack lack, Backing backing, int failing) {
    SharedMemoryArena[] made = new SharedMemoryArena[1];
    if (failing > 0) {
      FaultPoint.CONSTRUCTION_STEP.plan("throw", failing);
    }
    lack.doing(() -> made[0] = poolUnlessItFails(backing));
    var _ = FaultPoint.NO_TMPFILE.unplan();
    if (failing > 0) {
      var _ = FaultPoint.CONSTRUCTION_STEP.unplan();
      assertNull(made[0], "nothing else has failed");
    }
    if (made[0] != null) {
      made[0].close();
      made[0].unlink();
    }
  }

  private static @Nullable SharedMemoryArena poolUnlessItFails(Backing backing) {
    try {
      return pool(2, backing);
    } catch (FaultPoint.InjectedFault e) {
      return null;
    }
  }

  private static SharedMemorySegmentPool pool(int segments, Backing backing) {
    return SharedMemorySegmentPool.builder(UNIT, segments)
        .acquireTimeout(LONG)
        .backing(backing)
        .build();
  }

  private static SharedMemoryArena ring() {
    return SharedMemoryRingBuffer.builder(4 * UNIT).acquireTimeout(LONG).build();
  }

  private static void closesAnArena(Lack lack, SharedMemoryArena arena) {
    Rig rig = new Rig(arena);
    List<Sent> sent = rig.writeMany(3, UNIT);
    Opened shared = rig.admitAndOpen(sent.get(0), ViewScope.SHARED);
    var _ = rig.admit(sent.get(1)); // nobody opens it
    Opened confined = rig.admitAndOpen(sent.get(2), ViewScope.CONFINED);
    lack.doing(arena::close);
    shared.verify();
    shared.close();
    confined.close();
    arena.close();
    arena.unlink();
  }

  private static void unlinks(Lack lack, SharedMemoryArena arena) {
    arena.close();
    lack.doing(arena::unlink);
    arena.unlink();
  }

  private static void closesALease(Lack lack, ViewScope scope) {
    try (Rig rig = new Rig(pool(1, Backing.memfd()))) {
      Opened opened = rig.admitAndOpen(rig.write(UNIT), scope);
      lack.doing(opened.lease()::close);
      opened.lease().close();
      rig.passThrough(2, UNIT);
    }
  }

  /** A lack of something while something is done. */
  interface Lack {
    /** Does each while it lacks. */
    void doing(Runnable... deeds);

    /** Returns whether it was noticed. */
    boolean noticed();
  }

  /** A full heap with some room. */
  private static final class FullBut implements Lack {
    private final int room;
    private boolean noticed;

    FullBut(int room) {
      this.room = room;
    }

    @Override
    public void doing(Runnable... deeds) {
      for (Runnable deed : deeds) {
        boolean whole = false;
        FullHeap full = FullHeap.leaving(room);
        try {
          deed.run();
          whole = true;
        } catch (OutOfMemoryError e) {
          Thread.onSpinWait(); // what is noticed must need no heap either
        } finally {
          full.close();
        }
        noticed |= !whole;
      }
    }

    @Override
    public boolean noticed() {
      return noticed;
    }
  }

  /** An error at the how manieth time that a point is reached. */
  private static final class FailsAt implements Lack {
    private final FaultPoint point;
    private final String action;
    private final int turn;
    private boolean noticed;

    FailsAt(FaultPoint point, String action, int turn) {
      this.point = point;
      this.action = action;
      this.turn = turn;
    }

    @Override
    public void doing(Runnable... deeds) {
      point.plan(action, turn);
      for (Runnable deed : deeds) {
        try {
          deed.run();
        } catch (OutOfMemoryError | StackOverflowError | FaultPoint.InjectedFault e) {
          assertTrue(e.getMessage().startsWith("injected"), e::toString);
        }
      }
      noticed = point.unplan() >= turn;
    }

    @Override
    public boolean noticed() {
      return noticed;
    }
  }

  /**
   * No stack: a deed is done at the very end of it, then one call higher, and so on until it is
   * done. Turns differ in how the calls meet the end.
   */
  private static final class EndOfStack implements Lack {
    private final int callsBefore;
    private boolean noticed;

    EndOfStack(int callsBefore) {
      this.callsBefore = callsBefore;
    }

    @Override
    public void doing(Runnable... deeds) {
      for (Runnable deed : deeds) {
        boolean done = callsBefore(callsBefore, deed);
        assertTrue(done, "the whole stack does not suffice");
      }
    }

    private boolean callsBefore(int left, Runnable deed) {
      return left > 0 ? callsBefore(left - 1, deed) && left > 0 : atTheEnd(deed);
    }

    @SuppressWarnings("InfiniteRecursion") // that is the point
    private boolean atTheEnd(Runnable deed) {
      boolean done = false;
      try {
        done = atTheEnd(deed);
      } catch (StackOverflowError e) {
        Thread.onSpinWait(); // this is the end
      }
      try {
        if (!done) {
          deed.run();
          done = true;
        }
      } catch (StackOverflowError e) {
        noticed = true;
      }
      return done;
    }

    @Override
    public boolean noticed() {
      return noticed;
    }
  }

  /**
   * Does a deed with more and more room, or with an error at each time that a point is reached, or
   * at the end of the stack.
   *
   * @param arguments the deed, a folder, and by how many bytes the room grows, or a point and what
   *     happens there, or {@link #STACK} and how often
   */
  public static void main(String[] arguments) {
    Deed deed = Deed.valueOf(arguments[0]);
    Path folder = Path.of(arguments[1]);
    for (int i = 0; i < 3; i++) {
      deed.once(new FullBut(1 << 20), folder);
    }
    List<Thread> daemons =
        Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getName().startsWith("holdfast-"))
            .filter(thread -> !thread.getName().equals("holdfast-populate"))
            .toList();
    int noticed = 0;
    int enough = 0;
    int turn = 0;
    boolean stack = arguments[2].equals(STACK);
    int most = stack ? Integer.parseInt(arguments[3]) : MOST_TURNS;
    while (enough < 5 && turn < most) {
      Lack lack;
      if (stack) {
        lack = new EndOfStack(turn);
      } else if (arguments.length > 3) {
        lack = new FailsAt(FaultPoint.valueOf(arguments[2]), arguments[3], turn + 1);
      } else {
        lack = new FullBut(turn * Integer.parseInt(arguments[2]));
      }
      try {
        deed.once(lack, folder);
        Deadlines.assertEventually("nothing is mapped", () -> Maps.ofArenas().isEmpty());
        Deadlines.assertEventually("nothing is open", () -> open(folder).isEmpty());
        Deadlines.assertEventually("nothing has a name", () -> isEmpty(folder));
        Deadlines.assertEventually("nothing is kept", () -> Quarantine.size() == 0);
        daemons.forEach(daemon -> assertTrue(daemon.isAlive(), daemon.getName() + " has ended"));
      } catch (RuntimeException | Error e) {
        throw new AssertionError("at turn " + turn + ": " + Quarantine.describe(), e);
      }
      noticed += lack.noticed() ? 1 : 0;
      enough = lack.noticed() ? 0 : enough + 1;
      turn++;
    }
    Parent.say("NOTICED " + noticed);
  }

  private static List<String> open(Path folder) {
    return ProcSelf.descriptors().values().stream()
        .filter(file -> file.startsWith("/memfd:holdfast") || file.startsWith(folder.toString()))
        .toList();
  }

  private static boolean isEmpty(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      return files.findAny().isEmpty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
