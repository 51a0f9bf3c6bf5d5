package dev.holdfast.acceptance.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.ArenaReader;
import dev.holdfast.arena.PagePinner;
import dev.holdfast.arena.PinningException;
import dev.holdfast.arena.SharedMemoryRingBuffer;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.StorageHold;
import dev.holdfast.arena.StorageRetainedException;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.arena.internal.life.Quarantine;
import dev.holdfast.arena.payload.Tensor;
import dev.holdfast.cuda.CudaPagePinner;
import dev.holdfast.cuda.HostToDevice;
import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.GcPressure;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Maps;
import dev.holdfast.testkit.Parent;
import dev.holdfast.testkit.cuda.StubDriver;
import dev.holdfast.testkit.cuda.StubLog;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who registers, who unregisters, and when. R97, R98, R99 on the stub driver. */
@ExtendWith(Leftovers.class)
class RegistrationsTest {
  private static final long PAGE = 4096;
  private static final long SEGMENT = 60_000;
  private static final long DATA = 8 * 61_440;

  private StubDriver stub;

  @BeforeEach
  void useStub() {
    stub = Drivers.stub();
  }

  private static SharedMemorySegmentPool pool() {
    return SharedMemorySegmentPool.builder(SEGMENT, 8).pinned(CudaPagePinner.of(1 << 20)).build();
  }

  private static SharedMemoryRingBuffer ring() {
    return SharedMemoryRingBuffer.builder(8 * SEGMENT).pinned(CudaPagePinner.of(8 << 20)).build();
  }

  // R97
  @Test
  void theDataAreaIsRegisteredOnceAndUnregisteredBeforeItIsUnmapped() {
    SharedMemorySegmentPool pool = pool();
    try (Feed feed = new Feed(pool)) {
      feed.overwrite(20, SEGMENT);
    }
    List<StubLog.Line> registers = stub.log().done("cuMemHostRegister");
    assertEquals(1, registers.size());
    assertEquals(DATA, registers.getFirst().value("bytes"));
    List<StubLog.Line> ends = stub.log().done("cuMemHostUnregister");
    assertEquals(1, ends.size());
    assertEquals(registers.getFirst().value("address"), ends.getFirst().value("address"));
    stub.assertCleanAndOver();
  }

  // R97
  @Test
  void aLiveViewKeepsTheRegistrationAfterClose() {
    SharedMemorySegmentPool pool = pool();
    Feed.Received held;
    try (Feed feed = new Feed(pool)) {
      held = feed.pass(ViewScope.SHARED, SEGMENT);
    }
    long address = held.tensors().getFirst().segment().address();
    assertTrue(stub.isRegistered(address, SEGMENT));
    held.verify(0, held.tensors().getFirst());
    held.lease().close();
    Deadlines.assertEventually("it is unregistered", () -> !stub.isRegistered(address, SEGMENT));
    Deadlines.assertEventually("it is unmapped", () -> Maps.containing(address).isEmpty());
    stub.assertCleanAndOver();
  }

  /** Opens a pinned pool and ends in one of several ways. */
  static final class Child {
    private Child() {}

    public static void main(String[] args) throws Exception {
      switch (args[0]) {
        case "ring" -> exitWithRing();
        case "staging" -> exitWithStaging();
        default -> exitWithPool(args[0]);
      }
    }

    private static void exitWithRing() {
      SharedMemoryRingBuffer ring = ring();
      Feed feed = new Feed(ring);
      feed.overwrite(20, SEGMENT);
      Feed.Received held = feed.pass(ViewScope.CONFINED, SEGMENT);
      System.out.println("pinned " + ring.isPinned());
      held.verify(0, held.tensors().getFirst());
    }

    private static void exitWithStaging() {
      HostToDevice to = HostToDevice.builder().pinnedStaging(CudaPagePinner.of(8 << 20)).build();
      to.copy(Tensor.of(new byte[100_000], 100_000)).close();
      System.out.println("pinned " + (to.device() == 0));
    }

    private static void exitWithPool(String how) throws InterruptedException {
      SharedMemorySegmentPool pool = pool();
      Feed feed = new Feed(pool);
      feed.overwrite(20, SEGMENT);
      Feed.Received held = feed.pass(ViewScope.CONFINED, SEGMENT);
      HostToDevice to = HostToDevice.create();
      to.copy(held.tensors().getFirst()).close();
      System.out.println("pinned " + pool.isPinned());
      switch (how) {
        case "hold" -> {
          dropHold(held);
          GcPressure.collect(2);
          var _ = Parent.read(); // until the drop was reported
        }
        case "wait" -> Thread.sleep(Long.MAX_VALUE);
        case "copy" -> {
          var _ = Thread.ofPlatform().daemon().start(() -> to.copy(held.tensors().getFirst()));
          var _ = Parent.read();
          return; // with the copy under way
        }
        default -> {}
      }
      to.close();
      held.verify(0, held.tensors().getFirst());
    }

    private static void dropHold(Feed.Received held) {
      var _ = StorageHold.of(held.tensors().getFirst().segment());
    }
  }

  // R97
  @Test
  void aProcessThatExitsWithoutCloseUnregistersWhatItRegistered() {
    Path log = stub.newLog();
    try (ChildJvm child = child(log, "exit")) {
      assertEquals("true", child.awaitLine("pinned "));
      child.awaitSuccess();
    }
    StubLog written = StubLog.read(log);
    assertEquals(1, written.done("cuMemHostRegister").size());
    assertEquals(1, written.done("cuMemHostUnregister").size());
    written.assertCleanAndOver();
  }

  // R97
  @ParameterizedTest
  @ValueSource(strings = {"ring", "staging"})
  void copiesOfARingAndStagingMemoryAreUnregisteredAtExit(String what) {
    Path log = stub.newLog();
    try (ChildJvm child = child(log, what)) {
      assertEquals("true", child.awaitLine("pinned "));
      child.awaitSuccess();
    }
    StubLog written = StubLog.read(log);
    assertTrue(!written.done("cuMemHostRegister").isEmpty(), written::toString);
    assertEquals(
        written.done("cuMemHostRegister").size(), written.done("cuMemHostUnregister").size());
    written.assertClean();
  }

  // R97
  @Test
  void atExitNothingIsUnregisteredThatIsHeldForAReaderNobodyKnows() {
    Path log = stub.newLog();
    try (ChildJvm child = child(log, "hold")) {
      assertEquals("true", child.awaitLine("pinned "));
      Deadlines.assertEventually(
          "the dropped hold was collected",
          () -> child.errorOutput().contains("a hold was dropped without close"));
      child.send("exit");
      child.awaitSuccess();
    }
    StubLog written = StubLog.read(log);
    assertEquals(0, written.count("cuMemHostUnregister"));
    written.assertClean();
  }

  // R97
  @Test
  void aDriverThatStandsStillDoesNotKeepTheProcess() {
    Path log = stub.newLog();
    try (ChildJvm child = child(log, "exit", "cuMemHostUnregister=block(600000)")) {
      assertEquals("true", child.awaitLine("pinned "));
      child.awaitSuccess();
    }
    StubLog written = StubLog.read(log);
    assertEquals(1, written.count("cuMemHostUnregister"), "it was asked for, and stood still");
    written.assertClean();
  }

  // R97
  @Test
  void aProcessThatIsKilledLeavesNoWrongCallBehind() {
    Path log = stub.newLog();
    try (ChildJvm child = child(log, "wait")) {
      assertEquals("true", child.awaitLine("pinned "));
      child.killAndAwait();
    }
    StubLog.read(log).assertClean();
  }

  // R97
  @Test
  void aProcessThatExitsUnderACopyUnregistersNothingThatTheDeviceReads() {
    Path log = stub.newLog();
    try (ChildJvm child = child(log, "copy", "cuMemcpyHtoDAsync=delay(60000)@2")) {
      assertEquals("true", child.awaitLine("pinned "));
      Deadlines.assertEventually(
          "the copy is under way", () -> StubLog.read(log).count("cuMemcpyHtoDAsync") == 2);
      child.send("exit");
      child.awaitSuccess();
    }
    StubLog written = StubLog.read(log);
    written.assertClean();
    assertEquals(0, written.done("cuMemHostUnregister").size());
  }

  private ChildJvm child(Path log, String how) {
    return child(log, how, "");
  }

  private ChildJvm child(Path log, String how, String faults) {
    return ChildJvm.of(Child.class)
        .jvmArgs("-D" + StubDriver.DRIVER_PROPERTY + "=" + stub.file())
        .environment("HOLDFAST_STUB_LOG", log.toString())
        .environment("HOLDFAST_STUB_FAULTS", faults)
        .args(how)
        .start();
  }

  // R98
  @Test
  void whatAnotherRegisteredIsUsedAndNeverUnregisteredByUs() {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(4 * PAGE, PAGE);
      stub.registerAsAnother(memory);
      PagePinner.Registration ours =
          CudaPagePinner.of(1 << 20).register(memory.asSlice(PAGE, PAGE));
      assertTrue(ours.isForeign());
      assertTrue(ours.isActive());
      ours.close();
      assertTrue(stub.isRegistered(memory.address(), memory.byteSize()));
      stub.unregisterAsAnother(memory);
    }
    stub.assertCleanAndOver();
  }

  /** A pinner that is second: somebody has registered a part of the memory just before. */
  private final class Late implements PagePinner {
    private final PagePinner pinner = CudaPagePinner.of(1 << 20);
    private final long from;
    private final long byteSize;
    private @Nullable MemorySegment ofAnother;

    Late(long from, long byteSize) {
      this.from = from;
      this.byteSize = byteSize;
    }

    @Override
    public Registration register(MemorySegment memory) {
      ofAnother = memory.asSlice(from, byteSize);
      stub.registerAsAnother(ofAnother);
      return pinner.register(memory);
    }

    MemorySegment ofAnother() {
      return Objects.requireNonNull(ofAnother);
    }
  }

  private static SharedMemorySegmentPool pool(PagePinner pinner) {
    return SharedMemorySegmentPool.builder(SEGMENT, 8).pinned(pinner).build();
  }

  // R98
  @Test
  void aPoolThatIsRegisteredAlreadyIsPinnedAndLeftAlone() {
    Late late = new Late(0, DATA);
    SharedMemorySegmentPool pool = pool(late);
    Feed.Received held;
    try (Feed feed = new Feed(pool)) {
      assertTrue(pool.isPinned());
      assertEquals(DATA, pool.pinnedBytes());
      feed.overwrite(20, SEGMENT);
      held = feed.pass(ViewScope.SHARED, SEGMENT);
    }
    assertEquals(0, stub.calls("cuMemHostUnregister"));
    stub.unregisterAsAnother(late.ofAnother());
    held.lease().close();
    Deadlines.assertEventually("nothing is left", () -> !pool.isPinned());
    stub.assertCleanAndOver();
  }

  // R98
  @ParameterizedTest
  @ValueSource(longs = {0, PAGE, DATA - PAGE})
  void aPoolThatIsRegisteredInPartIsNotPinnedAndThePartIsLeftAlone(long from) {
    Late late = new Late(from, PAGE);
    try (SharedMemorySegmentPool pool = pool(late)) {
      PinningException e = assertThrows(PinningException.class, pool::openReader);
      assertEquals(712, e.facts().get("code"));
      assertEquals(DATA, e.facts().get("askedBytes"));
      assertTrue(e.advice().contains("part"), e.advice());
      assertFalse(pool.isPinned());
      assertEquals(0, stub.calls("cuMemHostUnregister"));
      stub.unregisterAsAnother(late.ofAnother());
      pool.unlink();
    }
    stub.assertCleanAndOver();
  }

  // R98
  @Test
  void aRefusalWithoutAnyRegistrationIsNoneOfAnother() {
    stub.configure("cuMemHostRegister=fail(712)");
    try (SharedMemorySegmentPool pool = pool()) {
      assertThrows(PinningException.class, pool::openReader);
      assertFalse(pool.isPinned());
      pool.unlink();
    }
    stub.assertCleanAndOver();
  }

  // R98
  @Test
  void whatAnotherHasIsNotUnregisteredAfterARefusalOfAnyKind() {
    stub.configure("cuMemHostRegister=fail(2)@2");
    Late late = new Late(0, DATA);
    try (SharedMemorySegmentPool pool = pool(late)) {
      assertThrows(PinningException.class, pool::openReader);
      assertEquals(0, stub.calls("cuMemHostUnregister"));
      stub.unregisterAsAnother(late.ofAnother());
      pool.unlink();
    }
    stub.assertCleanAndOver();
  }

  // R97
  @Test
  void aRegistrationThatIsCalledRefusedAndStandsIsUndoneAtOnce() {
    stub.configure("cuMemHostRegister=late(999)");
    try (SharedMemorySegmentPool pool = pool()) {
      assertThrows(PinningException.class, pool::openReader);
      assertEquals(1, stub.log().done("cuMemHostUnregister").size());
      try (ArenaReader _ = pool.openReader()) {
        assertTrue(pool.isPinned());
      }
      pool.unlink();
    }
    stub.assertCleanAndOver();
  }

  // R97, D9
  @Test
  void whatCannotBeUndoneKeepsTheMemoryMappedUntilItCan() {
    stub.configure(
        "cuMemHostRegister=late(999),cuMemHostUnregister=fail(999)@1,"
            + "cuMemHostUnregister=fail(999)@2,cuPointerGetAttribute=fail(999)@4");
    SharedMemorySegmentPool pool = pool();
    PinningException e = assertThrows(PinningException.class, pool::openReader);
    assertEquals(1, e.getSuppressed().length);
    assertFalse(pool.isPinned(), "nobody knows");
    long address = stub.log().done("cuMemHostRegister").getFirst().value("address");
    Deadlines.assertEventually("nobody else uses the mapping", () -> !isPopulating());
    assertThrows(StorageRetainedException.class, pool::close);
    assertTrue(stub.isRegistered(address, DATA));
    assertTrue(Maps.containing(address).isPresent());
    Deadlines.assertEventually("a retry succeeds", () -> closes(pool));
    assertTrue(Maps.containing(address).isEmpty());
    pool.unlink();
    stub.assertCleanAndOver();
  }

  // D9
  @Test
  void memoryThatOnlyTheCollectorFreesStaysWhileItIsRegistered() {
    PagePinner.Registration registration = registerCollected(32 << 20);
    long address = stub.log().done("cuMemHostRegister").getFirst().value("address");
    GcPressure.collect();
    Deadlines.pause(Duration.ofMillis(50));
    assertTrue(Maps.containing(address).isPresent());
    registration.close();
    Deadlines.assertEventually(
        "it is freed",
        () -> {
          GcPressure.collect();
          return Maps.containing(address).isEmpty();
        });
    stub.assertCleanAndOver();
  }

  private static PagePinner.Registration registerCollected(long byteSize) {
    MemorySegment memory = Arena.ofAuto().allocate(byteSize, PAGE);
    return CudaPagePinner.of(byteSize).register(memory);
  }

  // R98
  @Test
  void twoArenasAreRegisteredEachForItself() {
    try (Feed one = new Feed(pool());
        Feed two = new Feed(pool())) {
      one.overwrite(10, SEGMENT);
      two.overwrite(10, SEGMENT);
      assertEquals(2, stub.log().done("cuMemHostRegister").size());
    }
    stub.assertCleanAndOver();
  }

  // R98
  @ParameterizedTest
  @CsvSource({
    "1, CUDA_ERROR_INVALID_VALUE",
    "2, CUDA_ERROR_OUT_OF_MEMORY",
    "801, CUDA_ERROR_NOT_SUPPORTED"
  })
  void anyOtherRefusalIsATypedErrorThatSaysHowToGoOn(int code, String name) {
    stub.configure("cuMemHostRegister=fail(" + code + ")");
    try (SharedMemorySegmentPool pool = pool()) {
      PinningException e = assertThrows(PinningException.class, pool::openReader);
      assertEquals(code, e.facts().get("code"));
      assertEquals("cuMemHostRegister", e.facts().get("call"));
      assertTrue(String.valueOf(e.facts().get("error")).startsWith(name));
      assertEquals(DATA, e.facts().get("askedBytes"));
      assertTrue(e.advice().contains("unpinned"), e.advice());
      assertFalse(pool.isPinned());
      try (ArenaReader _ = pool.openReader()) { // the budget and the reader are free again
        assertTrue(pool.isPinned());
      }
      pool.unlink();
    }
    stub.assertCleanAndOver();
  }

  // R99
  @Test
  void aLimitOfTheDriverIsNamedWithWhatWasAskedFor() {
    stub.configure("", 1, 500_000 - PAGE * 10);
    try (SharedMemorySegmentPool pool = pool()) {
      PinningException e = assertThrows(PinningException.class, pool::openReader);
      assertEquals(2, e.facts().get("code"));
      assertEquals(DATA, e.facts().get("askedBytes"));
      assertTrue(e.advice().contains("limit") && e.advice().contains("unpinned"), e.advice());
      assertFalse(pool.isPinned());
      pool.unlink();
    }
    stub.assertCleanAndOver();
  }

  // D9
  @Test
  void aRefusedUnregisterKeepsTheMemoryMappedUntilARetrySucceeds() {
    stub.configure("cuMemHostUnregister=fail(999)@1,cuMemHostUnregister=fail(999)@2");
    SharedMemorySegmentPool pool = pool();
    long address;
    try (ArenaReader _ = pool.openReader()) {
      address = stub.log().done("cuMemHostRegister").getFirst().value("address");
    }
    Deadlines.assertEventually("nobody else uses the mapping", () -> !isPopulating());
    StorageRetainedException e = assertThrows(StorageRetainedException.class, pool::close);
    assertTrue(
        String.valueOf(e.facts().get("why")).contains("cuMemHostUnregister"), e.getMessage());
    assertEquals(1, pool.stats().quarantined());
    assertTrue(pool.isPinned());
    assertEquals(DATA, pool.pinnedBytes());
    assertTrue(stub.isRegistered(address, DATA));
    assertTrue(Maps.containing(address).isPresent());
    Deadlines.assertEventually("a retry succeeds", () -> closes(pool));
    assertFalse(pool.isPinned());
    assertFalse(stub.isRegistered(address, DATA));
    assertTrue(Maps.containing(address).isEmpty());
    pool.unlink();
    assertEquals(1, stub.log().done("cuMemHostUnregister").size());
    stub.assertCleanAndOver();
  }

  // D9
  @Test
  void aCopyOfARingWhoseUnregisterIsRefusedIsInTheRingsQuarantineUntilARetrySucceeds() {
    SharedMemoryRingBuffer ring = ring();
    long address;
    try (Feed feed = new Feed(ring)) {
      Feed.Received unit = feed.pass(ViewScope.CONFINED, SEGMENT);
      address = unit.tensors().getFirst().segment().address();
      unit.lease().close();
      assertEquals(0, ring.stats().quarantined());
      stub.configure("cuMemHostUnregister=fail(999)@*");
    }
    Deadlines.assertEventually("it is asked for", () -> stub.calls("cuMemHostUnregister") > 0);
    Deadlines.assertEventually("it is kept", () -> ring.stats().quarantined() == 1);
    assertTrue(stub.isRegistered(address, SEGMENT));
    assertTrue(Maps.containing(address).isPresent());
    stub.endFaults();
    Deadlines.assertEventually(
        "a retry succeeds",
        () -> {
          Quarantine.retry();
          return ring.stats().quarantined() == 0;
        });
    assertFalse(stub.isRegistered(address, SEGMENT));
    assertTrue(Maps.containing(address).isEmpty());
  }

  private static boolean isPopulating() {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().equals("holdfast-populate"));
  }

  private static boolean closes(SharedMemorySegmentPool pool) {
    try {
      pool.close();
      return true;
    } catch (StorageRetainedException e) {
      return false;
    }
  }
}
