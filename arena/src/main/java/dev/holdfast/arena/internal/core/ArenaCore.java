package dev.holdfast.arena.internal.core;

import dev.holdfast.arena.ArenaClosedException;
import dev.holdfast.arena.ArenaCorruptedException;
import dev.holdfast.arena.ArenaStats;
import dev.holdfast.arena.Backing;
import dev.holdfast.arena.FailureDetail;
import dev.holdfast.arena.PagePinner;
import dev.holdfast.arena.Side;
import dev.holdfast.arena.StorageRetainedException;
import dev.holdfast.arena.internal.fault.FaultPoint;
import dev.holdfast.arena.internal.life.Closer;
import dev.holdfast.arena.internal.life.Holds;
import dev.holdfast.arena.internal.life.Owned;
import dev.holdfast.arena.internal.life.Quarantine;
import dev.holdfast.arena.internal.life.Rehearsal;
import dev.holdfast.arena.internal.life.UnitLedger;
import dev.holdfast.arena.internal.life.UnitRecord;
import dev.holdfast.arena.internal.life.ViewGuard;
import dev.holdfast.arena.internal.memory.ArenaGeometry;
import dev.holdfast.arena.internal.memory.ArenaWords;
import dev.holdfast.arena.internal.memory.Claim;
import dev.holdfast.arena.internal.memory.FileTrace;
import dev.holdfast.arena.internal.memory.MemoryMapping;
import dev.holdfast.arena.internal.memory.Pinning;
import dev.holdfast.arena.internal.memory.SharedFile;
import dev.holdfast.arena.internal.memory.UnmapStep;
import dev.holdfast.arena.internal.memory.UnprovedTransfers;
import dev.holdfast.arena.internal.memory.WaitWord;
import dev.holdfast.arena.internal.os.ProcessIdentity;
import dev.holdfast.arena.internal.output.OutputAllocator;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An arena as one process has it: one file and one mapping, however many arena objects name it.
 * Thread-safe.
 *
 * <p>Every call that touches the memory stands between {@link #enter} and {@link #exit}, so that
 * closing never unmaps under it.
 */
public final class ArenaCore {
  /** How long the last release of a reader may take to give its side back, on a busy machine. */
  private static final long ENDS_WITHIN_NANOS = 5_000_000_000L;

  private static final long LOOK_AGAIN_NANOS = 50_000;

  private static final ConcurrentMap<UUID, ArenaCore> OPEN = new ConcurrentHashMap<>();

  private final ArenaGeometry geometry;
  private final boolean owner;
  private final @Nullable SharedFile file;
  private final String linkText;
  private final FileTrace trace;
  private final MemoryMapping mapping;
  private final ArenaWords words;

  private final AtomicInteger handles = new AtomicInteger(1);
  private final AtomicBoolean closed = new AtomicBoolean();
  private final Object takingOver = new Object();
  private final AtomicBoolean unlinkPending = new AtomicBoolean();
  private final PendingUnlink unlinkLater = new PendingUnlink();
  private final AtomicBoolean writes = new AtomicBoolean();
  private final AtomicBoolean reads = new AtomicBoolean();
  private final GiveBackLater giveWriterBack = new GiveBackLater(Side.WRITER);
  private final GiveBackLater giveReaderBack = new GiveBackLater(Side.READER);
  private final Closer.Task endUsesLater =
      new Closer.Task() {
        @Override
        protected boolean run() {
          if (mapping().retain()) { // else nothing is left
            try {
              endUses();
            } finally {
              mapping().release();
            }
          }
          return true;
        }
      };
  private final LongAdder waits = new LongAdder();
  private final LongAdder waitNanos = new LongAdder();
  private final LongAdder gcRequests = new LongAdder();
  private final LongAdder heapCopies = new LongAdder();
  private final Object publication = new Object();
  private volatile @Nullable UnitLedger ledger;
  private volatile @Nullable OutputAllocator outputs;
  private volatile @Nullable Supplier<? extends @Nullable Owned> reservations;
  private volatile Holds.@Nullable Storage searchable;
  private volatile ArenaStats lastStats = ArenaStats.EMPTY;
  private volatile @Nullable Pinning pinning; // set once, under this
  private @Nullable Attachment attachment; // set once, guarded by this

  /** What is kept for an arena in this process beside its endpoints. */
  public interface Attachment {
    /** The arena is closed in this process: nothing new begins. May be called again. */
    void arenaClosed();
  }

  private ArenaCore(
      ArenaGeometry geometry,
      @Nullable SharedFile file,
      String linkText,
      FileTrace trace,
      MemoryMapping mapping) {
    this.geometry = geometry;
    this.owner = file != null;
    this.file = file;
    this.linkText = linkText;
    this.trace = trace;
    this.mapping = mapping;
    this.words = new ArenaWords(mapping.words(), geometry.segments());
    mapping.addStep(new EndSearch());
    mapping.addStep(new EndClaims());
    Closer.start();
    var _ = ViewGuard.start();
    var _ = ArenaHandle.start();
    var _ = StarvationGuard.start();
    Rehearsal.once();
  }

  /** Reserves an arena in this process, which becomes its owner. */
  public static ArenaCore create(ArenaGeometry geometry, Backing backing) {
    SharedFile file = SharedFile.create(backing, geometry.label(), geometry.fileBytes());
    try {
      MemoryMapping mapping = file.map();
      try {
        geometry.write(mapping.segment());
        file.publishName();
        if (FaultPoint.ENABLED) {
          FaultPoint.CONSTRUCTION_STEP.reach();
        }
        ArenaCore core = new ArenaCore(geometry, file, file.linkText(), file.trace(), mapping);
        OPEN.put(geometry.arenaId(), core);
        mapping.populateInBackground();
        return core;
      } catch (RuntimeException | Error e) {
        OPEN.computeIfPresent(
            geometry.arenaId(), (id, core) -> core.mapping.equals(mapping) ? null : core);
        var _ = mapping.releaseNow();
        throw e;
      }
    } catch (RuntimeException | Error e) {
      try {
        file.unlink();
      } catch (RuntimeException | Error also) {
        e.addSuppressed(also);
      }
      throw e;
    }
  }

  /** Attaches to what another process reserved, or takes what this process has of it already. */
  public static ArenaCore attach(
      ArenaGeometry expected, int ownerDescriptor, String linkText, String place) {
    return OPEN.compute(
        expected.arenaId(),
        (id, known) -> {
          if (known != null && known.addHandle()) {
            return known;
          }
          try (SharedFile file =
              SharedFile.attach(
                  expected.owner().pid(), ownerDescriptor, linkText, place, expected.fileBytes())) {
            ArenaCore attached = attached(file, linkText);
            if (!attached.geometry.equals(expected)) {
              var _ = attached.mapping.releaseNow();
              throw new ArenaCorruptedException(
                  FailureDetail.of("shared memory holds another arena than its description")
                      .with("expectedArena", expected.arenaId())
                      .with("foundArena", attached.geometry.arenaId()));
            }
            return attached;
          }
        });
  }

  /** Attaches to a named file. */
  public static ArenaCore attachFile(String path) {
    String name = Path.of(path).toAbsolutePath().toString();
    try (SharedFile file = SharedFile.attachPath(name, 0)) {
      ArenaCore fresh = attached(file, name);
      return OPEN.compute(
          fresh.geometry.arenaId(),
          (id, known) -> {
            if (known != null && known.addHandle()) {
              fresh.close(true);
              return known;
            }
            return fresh;
          });
    }
  }

  private static ArenaCore attached(SharedFile file, String linkText) {
    MemoryMapping mapping = file.map();
    try {
      ArenaCore core = new ArenaCore(header(file, mapping), null, linkText, file.trace(), mapping);
      mapping.populateInBackground();
      return core;
    } catch (RuntimeException | Error e) {
      var _ = mapping.releaseNow();
      throw e;
    }
  }

  private static ArenaGeometry header(SharedFile file, MemoryMapping mapping) {
    try {
      ArenaGeometry header =
          ArenaGeometry.read(mapping.segment(), mapping.byteSize(), file.place());
      mapping.words().settle();
      return header;
    } catch (InternalError e) { // cut since its size was looked at
      throw file.trace().fault(file.byteSize(), e);
    }
  }

  /** Returns the constant part of the header. */
  public ArenaGeometry geometry() {
    return geometry;
  }

  /**
   * Returns the words; only between {@link #enter} and {@link #exit} or for who keeps the mapping.
   */
  public ArenaWords words() {
    return words;
  }

  /** Returns the mapping. */
  public MemoryMapping mapping() {
    return mapping;
  }

  /** Returns whether this process made the arena. */
  public boolean isOwner() {
    return owner;
  }

  /** Returns the owner's descriptor, or -1 elsewhere. */
  public int descriptor() {
    return file == null ? -1 : file.descriptor();
  }

  /** Returns what the link of the owner's descriptor says. */
  public String linkText() {
    return linkText;
  }

  /** Returns how errors name the file. */
  public String place() {
    return trace.place();
  }

  /** Returns whether this process has closed the arena, which gave back what nobody had opened. */
  public boolean isClosed() {
    return closed.get();
  }

  /** Begins a call that touches the memory. */
  public void enter() {
    if (closed.get() || !mapping.retain()) {
      throw closedException("the arena is closed");
    }
  }

  /**
   * Ends what {@link #enter} began.
   *
   * @throws ArenaCorruptedException when an access of the call failed and was not reported yet
   */
  public void exit() {
    try {
      words.settle();
    } catch (InternalError e) {
      throw fault(e);
    } finally {
      mapping.release();
    }
  }

  /** Fails when nobody may wait for space any more. */
  public void requireOpenForWaiting() {
    if (closed.get()) {
      throw closedException("the arena was closed while a writer waited for space");
    }
    if (words.shutdownVolatile()) {
      throw closedException("the arena is shut down");
    }
  }

  /** Returns an exception that says that something is closed. */
  public ArenaClosedException closedException(String what) {
    return new ArenaClosedException(FailureDetail.of(what).with("arena", geometry.arenaId()));
  }

  /** Turns a fault in our own access to the memory into a typed error. */
  public ArenaCorruptedException fault(InternalError e) {
    return trace.fault(geometry.fileBytes(), e);
  }

  /** Claims an endpoint for this process. */
  public void claim(Side side, Claim.Use use) {
    Claim own = Claim.own(use);
    requireSameUse(side, use);
    long held = Claim.FREE;
    while (held == Claim.FREE) { // the holder may give back between the two looks
      if (words.compareAndSetClaim(side, Claim.FREE, own.encode())) {
        claimed(side).set(true);
        try {
          requireSameUse(side, use); // of two that claim at once the later one sees the other
        } catch (IllegalStateException e) {
          giveBack(side);
          throw e;
        }
        return;
      }
      held = settledClaim(side);
    }
    ProcessIdentity holder = Claim.decode(held).holder();
    throw new IllegalStateException(
        FailureDetail.of("the " + name(side) + " is held already")
            .with("arena", geometry.arenaId())
            .with("pid", holder.pid())
            .with("alive", holder.isAlive())
            .advise("close the other endpoint, or have the owner take over a dead process's")
            .message());
  }

  /**
   * Looks who holds a side. The last release after a reader's close frees its unit first and gives
   * the side back right after: who looks between the two waits for the second.
   */
  private long settledClaim(Side side) {
    long word = words.claimVolatile(side);
    if (!endsNow(side, word)) {
      return word;
    }
    boolean interrupted = Thread.interrupted(); // else nothing would be waited for
    long start = System.nanoTime();
    try {
      do {
        LockSupport.parkNanos(LOOK_AGAIN_NANOS);
        interrupted |= Thread.interrupted();
        word = words.claimVolatile(side);
      } while (endsNow(side, word) && System.nanoTime() - start < ENDS_WITHIN_NANOS);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
    return word;
  }

  private boolean endsNow(Side side, long word) {
    UnitLedger last = ledger;
    return side == Side.READER
        && word != Claim.FREE
        && last != null
        && last.isOver()
        && Claim.decode(word).holder().equals(maskedSelf());
  }

  private void requireSameUse(Side side, Claim.Use use) {
    long other = words.claimVolatile(side == Side.WRITER ? Side.READER : Side.WRITER);
    if (other != Claim.FREE && Claim.decode(other).use() != use) {
      throw usedOtherwise(use, Claim.decode(other).use());
    }
  }

  /** Returns an exception that says that the arena serves for something else. */
  public IllegalStateException usedOtherwise(Claim.Use asked, Claim.Use used) {
    return new IllegalStateException(
        FailureDetail.of("the arena is in use for another purpose")
            .with("arena", geometry.arenaId())
            .with("asked", asked)
            .with("inUseFor", used)
            .advise("an arena serves streams or tickets, fixed by its first use")
            .message());
  }

  private AtomicBoolean claimed(Side side) {
    return side == Side.WRITER ? writes : reads;
  }

  /**
   * Gives an endpoint back that was claimed here, once. The closer makes up for a lack of heap or
   * stack, since whoever closes an endpoint comes only once.
   */
  public void giveBack(Side side) {
    try {
      giveBackNow(side);
    } catch (OutOfMemoryError | StackOverflowError e) {
      GiveBackLater later = side == Side.WRITER ? giveWriterBack : giveReaderBack;
      if (later.waits.compareAndSet(false, true)) {
        Closer.submit(later);
      }
    }
  }

  /** Tries it until it is done, at the latest by the step before unmapping. */
  private final class GiveBackLater extends Closer.Task {
    private final Side side;
    private final AtomicBoolean waits = new AtomicBoolean();

    GiveBackLater(Side side) {
      this.side = side;
    }

    /**
     * Whoever fails meanwhile hands it over once more, and then it is not tried again from here.
     */
    @Override
    protected boolean run() {
      waits.set(false);
      if (!mapping.retain()) {
        return true;
      }
      try {
        giveBackNow(side);
        return true;
      } catch (OutOfMemoryError e) {
        return !waits.compareAndSet(false, true);
      } finally {
        mapping.release();
      }
    }
  }

  private void giveBackNow(Side side) {
    if (!claimed(side).compareAndSet(true, false)) {
      return;
    }
    boolean given = false;
    try {
      if (FaultPoint.ENABLED) {
        FaultPoint.GIVING_BACK.reach();
      }
      long word = words.claimVolatile(side);
      if (word != Claim.FREE && Claim.decode(word).holder().equals(maskedSelf())) {
        var _ = words.compareAndSetClaim(side, word, Claim.FREE);
      }
      given = true;
      words.settle();
    } catch (InternalError e) {
      given = true; // the backing file was cut short: nobody can use the side any more
    } finally {
      if (!given) { // there was no heap to read the word: it is tried again
        claimed(side).set(true);
      }
    }
  }

  private static ProcessIdentity maskedSelf() {
    return Claim.decode(Claim.own(Claim.Use.STREAMS).encode()).holder();
  }

  /**
   * Replaces an endpoint whose process has died; see {@link
   * dev.holdfast.arena.SharedMemoryArena#takeOver}.
   *
   * @param side whose process has died
   * @param beforeGeneration what the arena does while nobody holds the side, given the published
   *     units
   */
  public void takeOver(Side side, Runnable beforeGeneration) {
    if (!owner) {
      throw new IllegalStateException(
          "only the process that made an arena takes over its endpoints: arena="
              + geometry.arenaId());
    }
    synchronized (takingOver) { // of two calls the second finds the side free
      takeOverDead(side, beforeGeneration);
    }
  }

  private void takeOverDead(Side side, Runnable beforeGeneration) {
    enter();
    try {
      long word = settledClaim(side);
      if (word == Claim.FREE) {
        return;
      }
      Claim claim = Claim.decode(word);
      if (claim.holder().isAlive()) {
        throw new IllegalStateException(
            FailureDetail.of("the process that holds the " + name(side) + " is alive")
                .with("arena", geometry.arenaId())
                .with("pid", claim.holder().pid())
                .message());
      }
      if (side == Side.READER) {
        requireNoForeignWriter(claim.use());
      }
      beforeGeneration.run();
      words.setShutdownVolatile(false, false);
      if (side == Side.WRITER) {
        words.setWriterWaitingVolatile(WaitWord.NOBODY); // a living writer keeps its own
      }
      beginGeneration(side, claim.use());
      UnitLedger reader = ledger;
      if (side == Side.WRITER && reader != null) {
        reader.writerReplaced();
      }
      var _ = words.compareAndSetClaim(side, word, Claim.FREE);
    } catch (InternalError e) {
      throw fault(e);
    } finally {
      exit();
    }
  }

  /** A writer elsewhere may be about to publish a unit that the new generation would not count. */
  private void requireNoForeignWriter(Claim.Use use) {
    long word = words.claimVolatile(Side.WRITER);
    if (use == Claim.Use.TICKETS || word == Claim.FREE || claimed(Side.WRITER).get()) {
      return;
    }
    ProcessIdentity writer = Claim.decode(word).holder();
    if (writer.isAlive()) {
      throw new IllegalStateException(
          FailureDetail.of("the writer lives in another process")
              .with("arena", geometry.arenaId())
              .with("pid", writer.pid())
              .advise("have it close its writer first, and open it again afterwards")
              .message());
    }
  }

  private void beginGeneration(Side dead, Claim.Use use) {
    synchronized (publication) {
      long published = words.publishedAcquire();
      long head = words.headAcquire();
      words.setGenerationHeadRelease(head);
      words.setGenerationRelease(words.generationAcquire() + 1, published);
      if (dead == Side.READER) {
        for (long segment = 0; segment < geometry.segments(); segment++) {
          words.setHoldingRelease(segment, 0);
        }
        words.setTailVolatile(head); // a pool has neither
        words.setReclaimedVolatile(use == Claim.Use.TICKETS ? endOfTaken(published) : published);
        words.signalSpace();
      }
    }
  }

  /**
   * Returns how far a dead reader's tickets are taken: its views died with it. The other tickets
   * may be anywhere, and stay good.
   */
  private long endOfTaken(long published) {
    long segments = geometry.segments();
    long unit = words.checkedReclaimed(words.reclaimedAcquire(), published, segments);
    while (unit < published && words.takenAcquire(unit % segments) == unit + 1) {
      unit++;
    }
    return unit;
  }

  /**
   * Returns the lock under which a ring's writer of this process stores head and number, so that a
   * takeover of the reader never sees one without the other.
   */
  public Object publication() {
    return publication;
  }

  private static String name(Side side) {
    return side == Side.WRITER ? "writer" : "reader";
  }

  /** Notes the reader's book, for figures, the starvation guard and holds. */
  public void readerOpened(UnitLedger newLedger, Holds.Storage units) {
    ledger = newLedger;
    searchable = units;
    Holds.register(units);
    StarvationGuard.watch(this);
  }

  /** Notes the reader's book and what it copies units to. */
  public void readerOpened(UnitLedger newLedger, OutputAllocator newOutputs) {
    outputs = newOutputs;
    ledger = newLedger;
    StarvationGuard.watch(this);
  }

  /** Notes how the oldest open reservation of this process is found, for the starvation guard. */
  public void reservationsOpened(Supplier<? extends @Nullable Owned> oldest) {
    reservations = oldest;
    StarvationGuard.watch(this);
  }

  /** Returns the oldest open reservation of this process, or null. */
  @Nullable Owned oldestReservation() {
    Supplier<? extends @Nullable Owned> open = reservations;
    return open == null ? null : open.get();
  }

  /** Has the starvation guard look at once whether a collection is due. */
  public void outputsPressing() {
    StarvationGuard.lookNow();
  }

  /** Returns what the reader of this process copies units to, or null. */
  public @Nullable OutputAllocator outputs() {
    return outputs;
  }

  /** Returns the reader's book of this process, or null. */
  @Nullable UnitLedger ledger() {
    return ledger;
  }

  /** Returns how many bytes of outputs this process has page-locked. */
  public long pinnedOutputBytes() {
    OutputAllocator copies = outputs;
    return copies == null ? 0 : copies.pinnedBytes();
  }

  /** Counts a wait for space. */
  public void waited(long nanos) {
    waits.increment();
    waitNanos.add(nanos);
  }

  void gcRequested() {
    gcRequests.increment();
  }

  /** Counts a unit that was delivered as heap copies. */
  public void heapCopied() {
    heapCopies.increment();
  }

  /** See {@link dev.holdfast.arena.SharedMemoryArena#shutdown}. */
  public void shutdown() {
    if (closed.get() || !mapping.retain()) {
      return;
    }
    try {
      words.setShutdownVolatile(owner, true);
      words.wakeWriter();
    } catch (InternalError e) {
      throw fault(e);
    } finally {
      exit();
    }
  }

  /** See {@link dev.holdfast.arena.SharedMemoryArena#wake}. */
  public void wake() {
    if (mapping.retain()) {
      try {
        words.wakeWriter();
      } catch (InternalError e) {
        throw fault(e);
      } finally {
        exit();
      }
    }
  }

  /** Returns what is attached to this arena in this process, made on first use. */
  public synchronized Attachment attachment(Function<ArenaCore, ? extends Attachment> maker) {
    Attachment known = attachment;
    if (known == null) {
      known = maker.apply(this);
      attachment = known;
    }
    return known;
  }

  private synchronized @Nullable Attachment attachment() {
    return attachment;
  }

  private boolean addHandle() {
    int count = handles.get();
    while (count > 0) {
      if (handles.compareAndSet(count, count + 1)) {
        return true;
      }
      count = handles.get();
    }
    return false;
  }

  /**
   * Ends one arena object's use.
   *
   * @param ownersHandle whether it is the object that made the arena, or the last one
   */
  public void close(boolean ownersHandle) {
    boolean last = handles.decrementAndGet() == 0;
    if ((ownersHandle || last) && closed.compareAndSet(false, true)) {
      boolean ended = false;
      boolean whole = false;
      try {
        endUses();
        whole = true;
      } finally {
        if (!whole) {
          Closer.submit(endUsesLater);
        }
        try {
          ended = mapping.releaseNow();
        } finally {
          OPEN.remove(geometry.arenaId(), this);
        }
      }
      requireEnded(ended);
    }
  }

  /*
   * Nested instead of a list of steps, because a list needs heap and whoever closes may have none.
   */
  /** Each ends, whatever the one before threw, for nobody comes back for it. */
  private void endUses() {
    UnitLedger reader = ledger;
    OutputAllocator copies = outputs;
    try {
      sayClosed();
    } finally {
      try {
        if (reader != null) {
          closingStep();
          reader.discardUnopened();
        }
      } finally {
        try {
          if (reader != null) {
            closingStep();
            reader.close(); // the right to read goes back when nothing is held
          }
        } finally {
          try {
            endAttachment();
          } finally {
            if (copies != null) {
              closingStep();
              copies.close(); // idle memory goes; outputs live on
            }
          }
        }
      }
    }
  }

  private void endAttachment() {
    Attachment more = attachment();
    if (more != null) {
      closingStep();
      more.arenaClosed();
    }
  }

  /** The others learn of it even when the figures cannot be kept. */
  private void sayClosed() {
    try {
      keepStats();
    } finally {
      try {
        closingStep();
        if (owner) {
          words.setShutdownVolatile(true, true);
        }
        words.settle();
      } catch (InternalError e) {
        // the memory was cut short: nobody waits in it any more
        Thread.onSpinWait();
      } finally {
        wakeLast();
      }
    }
  }

  /** Nothing of a close depends on this. */
  private void keepStats() {
    try {
      closingStep();
      lastStats = stats();
    } catch (ArenaCorruptedException | OutOfMemoryError e) {
      lastStats = ArenaStats.EMPTY;
    }
  }

  /** Nor on this: who waits looks again within a slice. */
  private void wakeLast() {
    try {
      closingStep();
      words.wakeWriter();
      words.settle();
    } catch (InternalError | OutOfMemoryError e) {
      Thread.onSpinWait();
    }
  }

  private static void closingStep() {
    if (FaultPoint.ENABLED) {
      FaultPoint.CLOSING_STEP.reach();
    }
  }

  /** Tries again what a close could not finish. */
  public void closeAgain() {
    Quarantine.retry();
    requireEnded(mapping.mayBeUnmapped());
  }

  private void requireEnded(boolean ended) {
    if (!ended) {
      throw new StorageRetainedException(
          FailureDetail.of("an arena could not be unmapped")
              .with("arena", geometry.arenaId())
              .with("kept", mapping.what())
              .with("why", mapping.why())
              .advise(
                  "it stays mapped and is tried again; close it again to see whether it has"
                      + " ended"));
    }
    List<String> transfers = UnprovedTransfers.within(mapping.segment());
    if (!transfers.isEmpty()) {
      throw new StorageRetainedException(
          FailureDetail.of("a device may still use the memory of an arena")
              .with("arena", geometry.arenaId())
              .with("kept", mapping.what())
              .with("why", String.join("; ", transfers))
              .advise(
                  "it stays mapped and is tried again; close it again to see whether it has"
                      + " ended"));
    }
  }

  /**
   * Page-locks the data area for this process, unless that was done before.
   *
   * @throws dev.holdfast.arena.PinningException when it is refused; nothing is left locked
   */
  public void pin(PagePinner pinner) {
    enter();
    try {
      synchronized (this) {
        if (pinning == null) {
          pinning = Pinning.of(pinner, mapping, data(0, geometry.dataBytes()));
        }
      }
    } finally {
      exit();
    }
  }

  /** Returns the page-locking of the data area by this process, or null. */
  public @Nullable Pinning pinning() {
    return pinning;
  }

  /** Ends attaching: closes the owner's descriptor and removes a name. */
  public void unlink() {
    if (file == null) {
      return;
    }
    if (closed.get() && !endIsCertain()) {
      if (unlinkPending.compareAndSet(false, true)) {
        Quarantine.add(unlinkLater);
      }
      return;
    }
    file.unlink();
  }

  /** Returns whether nothing of a close is left to be done; live views are no uncertainty. */
  private boolean endIsCertain() {
    return mapping.mayBeUnmapped() && UnprovedTransfers.within(mapping.segment()).isEmpty();
  }

  /** Keeps the name and the descriptor as long as the close is not certain. */
  private final class PendingUnlink extends Quarantine.Retained {
    @Override
    public String what() {
      return "name and descriptor of arena " + geometry.arenaId();
    }

    @Override
    public String why() {
      return "its memory could not be given up with certainty";
    }

    @Override
    public boolean retry() {
      if (!endIsCertain()) {
        return false;
      }
      if (file != null) {
        file.unlink();
      }
      return true;
    }
  }

  /** Returns the figures as this process sees them. */
  public ArenaStats stats() {
    if (!mapping.retain()) {
      return withOutputs(lastStats);
    }
    try {
      UnitLedger reader = ledger;
      UnitRecord oldest = reader == null ? null : reader.oldest();
      return withOutputs(
          new ArenaStats(
              words.publishedAcquire(),
              words.reclaimedAcquire(),
              reader == null ? 0 : reader.held(),
              waits.sum(),
              waitNanos.sum(),
              oldest == null ? -1 : oldest.unit(),
              oldest == null ? "" : oldest.describe(),
              gcRequests.sum(),
              reader == null ? 0 : reader.closingLeases(),
              heapCopies.sum(),
              reader == null ? 0 : reader.leaks(),
              0,
              0,
              0,
              0));
    } catch (InternalError e) {
      throw fault(e);
    } finally {
      exit();
    }
  }

  /**
   * Adds what outputs make and what the quarantine has; both live on when the memory is unmapped.
   */
  private ArenaStats withOutputs(ArenaStats stats) {
    OutputAllocator copies = outputs;
    OutputAllocator.Figures figures =
        copies == null
            ? new OutputAllocator.Figures(0, 0, 0, stats.closingLeases(), stats.leakedLeases())
            : copies.figures();
    return new ArenaStats(
        stats.published(),
        stats.reclaimed(),
        stats.held(),
        stats.waits(),
        stats.waitNanos(),
        stats.oldestUnit(),
        stats.oldestHolder(),
        stats.gcRequests(),
        figures.closingLeases(),
        stats.heapCopies(),
        figures.leaks(),
        figures.freshBytes(),
        figures.recycledBytes(),
        figures.retainedBytes(),
        Quarantine.size());
  }

  /** Returns the bytes of one segment or of the whole data area, in the global scope. */
  public MemorySegment data(long offset, long byteSize) {
    return mapping.segment().asSlice(geometry.dataOffset() + offset, byteSize);
  }

  /** An endpoint that was not closed before its arena gives its side back with the memory. */
  private final class EndClaims implements UnmapStep {
    @Override
    public String what() {
      return "giving the endpoints back";
    }

    @Override
    public void run() {
      giveBackNow(Side.WRITER);
      giveBackNow(Side.READER);
    }
  }

  /** No unit is found by an address that something else may be mapped to. */
  private final class EndSearch implements UnmapStep {
    @Override
    public String what() {
      return "ending the search for units by address";
    }

    @Override
    public void run() {
      Holds.Storage units = searchable;
      if (units != null) {
        Holds.unregister(units);
      }
    }
  }
}
