package dev.holdfast.acceptance.arena;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.Backing;
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
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Does one thing again and again, each time with a little more room in a full heap. */
final class FullHeapMain {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final int UNIT = 4096;
  private static final int MOST_TURNS = 300;

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
    CONSTRUCTS {
      @Override
      void once(FullHeapMain.Lack lack, Path folder) {
        SharedMemoryArena[] made = new SharedMemoryArena[1];
        lack.doing(() -> made[0] = pool(2, Backing.memfd()));
        if (made[0] != null) {
          made[0].close();
          made[0].unlink();
        }
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

  private static SharedMemoryArena pool(int segments, Backing backing) {
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
   * Does a deed with more and more room, or with an error at each time that a point is reached.
   *
   * @param arguments the deed, a folder, and by how many bytes the room grows, or a point and what
   *     happens there
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
    while (enough < 5 && turn < MOST_TURNS) {
      Lack lack =
          arguments.length > 3
              ? new FailsAt(FaultPoint.valueOf(arguments[2]), arguments[3], turn + 1)
              : new FullBut(turn * Integer.parseInt(arguments[2]));
      try {
        deed.once(lack, folder);
        Deadlines.assertEventually("nothing is mapped", () -> Maps.ofArenas().isEmpty());
        Deadlines.assertEventually("nothing is open", () -> openMemory().isEmpty());
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

  private static List<String> openMemory() {
    return ProcSelf.descriptors().values().stream()
        .filter(file -> file.contains("holdfast") && !file.endsWith(".jar"))
        .filter(file -> file.startsWith("/memfd:") || file.contains("named"))
        .toList();
  }
}
