package dev.holdfast.acceptance.device;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.StorageRetainedException;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.arena.internal.life.Quarantine;
import dev.holdfast.arena.payload.Tensor;
import dev.holdfast.cuda.CudaPagePinner;
import dev.holdfast.cuda.DeviceException;
import dev.holdfast.cuda.DeviceTensor;
import dev.holdfast.cuda.DeviceToHost;
import dev.holdfast.cuda.HostToDevice;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.GcPressure;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Maps;
import dev.holdfast.testkit.Rounds;
import dev.holdfast.testkit.Stamps;
import dev.holdfast.testkit.cuda.StubDriver;
import dev.holdfast.testkit.cuda.StubLog;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Copies that are still under way while the program goes on, fails or closes things. D9, R100 on
 * the stub driver.
 */
@ExtendWith(Leftovers.class)
class TransfersInFlightTest {
  private static final long SEGMENT = 200_000;

  private StubDriver stub;

  @BeforeEach
  void useStub() {
    stub = Drivers.stub();
  }

  private static SharedMemorySegmentPool pool(int count) {
    return SharedMemorySegmentPool.builder(SEGMENT, count)
        .pinned(CudaPagePinner.of(8 << 20))
        .build();
  }

  // R100
  @Test
  void aSourceIsHeldUntilItsCopyIsDoneThoughLeaseAndViewAreGone() throws Exception {
    int rounds = Rounds.of(1000);
    stub.configure("cuMemcpyHtoDAsync=delay(200)@*");
    int atATime = 10;
    try (Feed feed = new Feed(pool(atATime + 2));
        HostToDevice to = HostToDevice.create();
        DeviceToHost back = DeviceToHost.create()) {
      for (int done = 0; done < rounds; done += atATime) {
        List<FutureTask<Void>> copies = new ArrayList<>();
        long before = stub.calls("cuMemcpyHtoDAsync");
        List<Feed.Received> units = new ArrayList<>();
        for (int i = 0; i < atATime; i++) {
          units.add(feed.pass(ViewScope.SHARED, SEGMENT));
        }
        for (Feed.Received unit : units) {
          copies.add(
              Deadlines.start(
                  "copy",
                  () -> {
                    try (DeviceTensor there =
                        to.copy(unit.tensors().getFirst().slice(4096, SEGMENT - 1))) {
                      long expected = SEGMENT - 1 - 4096;
                      assertEquals(expected, there.byteSize());
                      Tensor again = back.copy(there);
                      assertTrue(
                          again.segment().mismatch(stamped(unit).asSlice(4096, expected)) == -1);
                    }
                    return null;
                  }));
        }
        Deadlines.assertEventually(
            "all copies are under way", () -> stub.calls("cuMemcpyHtoDAsync") == before + atATime);
        units.forEach(unit -> unit.lease().close());
        feed.overwrite(2 * atATime, SEGMENT);
        for (FutureTask<Void> copy : copies) {
          Deadlines.result(copy);
        }
      }
    }
    stub.assertCleanAndOver();
  }

  private static MemorySegment stamped(Feed.Received unit) {
    return Stamps.payload((int) SEGMENT, unit.unit(), 0);
  }

  // D9
  @Test
  void aFailureHalfWayWaitsForTheCopiesBeforeIt() {
    stub.configure("cuMemcpyHtoDAsync=delay(300)@1,cuMemcpyHtoDAsync=fail(999)@3");
    try (Feed feed = new Feed(pool(2));
        HostToDevice to = HostToDevice.create()) {
      Feed.Received unit = feed.pass(ViewScope.CONFINED, 50_000, 4096, 4096, 4096);
      DeviceException e = assertThrows(DeviceException.class, () -> to.copy(unit.tensors()));
      assertEquals(999, e.code());
      assertEquals("cuMemcpyHtoDAsync", e.facts().get("call"));
      assertEquals(2, stub.log().count("completed"), "both were waited for");
      assertEquals(0, Quarantine.size());
      unit.lease().close();
      feed.overwrite(6, SEGMENT);
    }
    stub.assertCleanAndOver();
  }

  // D9
  @Test
  void anyThrowableHalfWayWaitsForTheCopiesBeforeIt() {
    stub.configure("cuMemcpyHtoDAsync=delay(300)@1");
    try (Feed feed = new Feed(pool(2));
        HostToDevice to = HostToDevice.create()) {
      Feed.Received unit = feed.pass(ViewScope.CONFINED, 50_000);
      List<Object> deep = new ArrayList<>();
      List<Object> inner = deep;
      for (int i = 0; i < 200_000; i++) {
        List<Object> next = new ArrayList<>();
        inner.add(next);
        inner = next;
      }
      List<Object> item = List.of(unit.tensors().getFirst(), deep);
      assertThrows(StackOverflowError.class, () -> to.copy(item));
      assertEquals(1, stub.log().count("completed"));
      unit.lease().close();
      feed.overwrite(6, SEGMENT);
    }
    stub.assertCleanAndOver();
  }

  // D9
  @Test
  void whatIsThrownUndeclaredHalfWayWaitsForTheCopiesToo() {
    stub.configure("cuMemcpyHtoDAsync=delay(300)@1");
    try (Feed feed = new Feed(pool(2));
        HostToDevice to = HostToDevice.create()) {
      Feed.Received unit = feed.pass(ViewScope.CONFINED, 50_000);
      List<Object> item = List.of(unit.tensors().getFirst(), new Undeclared());
      assertThrows(IOException.class, () -> to.copy(item));
      assertEquals(1, stub.log().count("completed"));
      unit.lease().close();
      feed.overwrite(6, SEGMENT);
    }
    stub.assertCleanAndOver();
  }

  /** A list of user code that throws what its methods do not declare, as other languages allow. */
  private static final class Undeclared extends AbstractList<Object> {
    @Override
    public Object get(int index) {
      throw Undeclared.<RuntimeException>as(new IOException("of a test"));
    }

    @Override
    public int size() {
      return 1;
    }

    @SuppressWarnings({
      "unchecked",
      "TypeParameterUnusedInFormals"
    }) // it is no T, which is the point
    private static <T extends Throwable> T as(Throwable thrown) throws T {
      throw (T) thrown;
    }
  }

  // D9
  @Test
  void whenTheEndCannotBeProvedEverythingIsKeptUntilItCan() {
    stub.configure(
        "cuMemcpyHtoDAsync=delay(700)@1,cuStreamSynchronize=fail(999),cuStreamQuery=fail(999)@1");
    SharedMemorySegmentPool pool = pool(2);
    Feed feed = new Feed(pool);
    long address;
    try (HostToDevice to = HostToDevice.create()) {
      Feed.Received unit = feed.pass(ViewScope.CONFINED, SEGMENT);
      address = unit.tensors().getFirst().segment().address();
      DeviceException e =
          assertThrows(DeviceException.class, () -> to.copy(unit.tensors().getFirst()));
      assertEquals("cuStreamSynchronize", e.facts().get("call"));
      assertTrue(e.facts().containsKey("kept"));
      unit.lease().close();
      GcPressure.collect();
      assertEquals(0, pool.stats().reclaimed(), "the unit is kept");
      assertEquals(1, pool.stats().quarantined());
      try (DeviceTensor another = to.copy(Tensor.of(new int[] {1}, 1))) {
        assertEquals(4, another.byteSize(), "the thread goes on with another stream");
      }
    }
    StorageRetainedException e = assertThrows(StorageRetainedException.class, feed::close);
    assertTrue(String.valueOf(e.facts().get("why")).contains("device 0"), e.getMessage());
    assertTrue(pool.isPinned());
    assertTrue(Maps.containing(address).isPresent());
    assertTrue(stub.isRegistered(address, SEGMENT));
    Deadlines.assertEventually("the quarantine is empty", () -> Quarantine.size() == 0);
    Deadlines.assertEventually("it is unmapped", () -> Maps.containing(address).isEmpty());
    pool.close();
    assertFalse(pool.isPinned());
    stub.assertCleanAndOver();
  }

  // D9
  @Test
  void aFailureWhoseDrainFailsTooSaysBoth() {
    stub.configure(
        "cuMemcpyHtoDAsync=delay(300)@1,cuMemcpyHtoDAsync=fail(2)@2,cuStreamSynchronize=fail(999)");
    try (Feed feed = new Feed(pool(2));
        HostToDevice to = HostToDevice.create()) {
      Feed.Received unit = feed.pass(ViewScope.CONFINED, 50_000, 4096);
      DeviceException e = assertThrows(DeviceException.class, () -> to.copy(unit.tensors()));
      assertEquals(2, e.code(), "the first failure wins");
      DeviceException drain = (DeviceException) e.getSuppressed()[0];
      assertEquals(999, drain.code());
      unit.lease().close();
      Deadlines.assertEventually("the quarantine is empty", () -> Quarantine.size() == 0);
      feed.overwrite(6, SEGMENT);
    }
    stub.assertCleanAndOver();
  }

  /** Copies by the same copier when it is asked for its tensor, and goes on when that fails. */
  record Nested(HostToDevice to, Tensor tensor) {
    @Override
    public Tensor tensor() {
      assertThrows(DeviceException.class, () -> to.copy(tensor));
      Deadlines.assertEventually(
          "the stream of the copy is given back",
          () -> {
            Quarantine.retry();
            return Quarantine.size() == 0;
          });
      return tensor;
    }
  }

  // D9
  @Test
  void anUnprovedCopyWithinACopyTakesNoStreamAway() {
    stub.configure("cuStreamSynchronize=fail(999)");
    try (HostToDevice to = HostToDevice.create();
        DeviceToHost back = DeviceToHost.create()) {
      assertArrayEquals(new int[] {1, 2}, lastOf(to, back).toIntArray());
    }
    stub.assertCleanAndOver(); // what was copied is dropped, and the collector frees it
  }

  private static Tensor lastOf(HostToDevice to, DeviceToHost back) {
    Tensor tensor = Tensor.of(new int[] {1, 2}, 2);
    Tensor another = Tensor.of(new int[] {3}, 1);
    List<Object> there = to.copy(List.of(another, new Nested(to, tensor), tensor));
    return back.copy((Tensor) there.getLast());
  }

  @Test
  void copiesFromAnUnpinnedArenaAreCountedApartAndAreAsSafe() {
    stub.configure("cuMemcpyHtoDAsync=delay(100)@*");
    try (Feed feed = new Feed(new SharedMemorySegmentPool(SEGMENT, 2));
        HostToDevice to = HostToDevice.create()) {
      Feed.Received unit = feed.pass(ViewScope.CONFINED, SEGMENT);
      to.copy(unit.tensors().getFirst()).close();
      unit.lease().close();
      feed.overwrite(6, SEGMENT);
    }
    StubLog log = stub.log();
    assertEquals(1, log.pageableCopies());
    log.assertCleanAndOver();
  }

  @Test
  void deviceMemoryThatIsClosedUnderACopyIsFreedAfterIt() throws Exception {
    stub.configure("cuMemcpyDtoHAsync=delay(300)@1");
    try (HostToDevice to = HostToDevice.create();
        DeviceToHost back = DeviceToHost.create()) {
      DeviceTensor there = to.copy(Tensor.of(new int[] {1, 2, 3}, 3));
      FutureTask<Tensor> copy = Deadlines.start("copy", () -> back.copy(there));
      Deadlines.assertEventually("it is under way", () -> stub.calls("cuMemcpyDtoHAsync") == 1);
      there.close();
      assertEquals(0, stub.calls("cuMemFree"));
      assertEquals(3, Deadlines.result(copy).toIntArray()[2]);
      assertEquals(1, stub.calls("cuMemFree"));
    }
    stub.assertCleanAndOver();
  }

  // B173
  @Test
  void aCopyBackWaitsForWhatTheDefaultStreamWasAskedFor() {
    stub.configure("cuMemcpyHtoDAsync=delay(300)@2");
    try (HostToDevice to = HostToDevice.create();
        DeviceToHost back = DeviceToHost.create();
        DeviceTensor there = to.copy(Tensor.of(new int[] {1, 2, 3}, 3));
        Arena arena = Arena.ofConfined()) {
      MemorySegment later = arena.allocateFrom(ValueLayout.JAVA_INT, 4, 5, 6);
      stub.copyAsAnother(there.address(), later, 0);
      assertArrayEquals(new int[] {4, 5, 6}, back.copy(there).toIntArray());
    }
    stub.assertCleanAndOver();
  }

  // B173
  @Test
  void aCopyBackWaitsForItsProducersEvent() {
    stub.configure("cuMemcpyHtoDAsync=delay(300)@2");
    long stream = stub.makeAsAnother("cuStreamCreate");
    long event = stub.makeAsAnother("cuEventCreate");
    try (HostToDevice to = HostToDevice.create();
        DeviceToHost back = DeviceToHost.create();
        DeviceTensor there = to.copy(Tensor.of(new int[] {1, 2, 3}, 3));
        Arena arena = Arena.ofConfined()) {
      MemorySegment later = arena.allocateFrom(ValueLayout.JAVA_INT, 4, 5, 6);
      stub.copyAsAnother(there.address(), later, stream);
      stub.recordAsAnother(event, stream);
      Tensor again = (Tensor) back.<Object>copy(there, event);
      assertArrayEquals(new int[] {4, 5, 6}, again.toIntArray());
    }
    stub.endAsAnother("cuEventDestroy_v2", event);
    stub.endAsAnother("cuStreamDestroy_v2", stream);
    stub.assertCleanAndOver();
  }

  @Test
  void closingACopierWaitsForTheCopiesOfOtherThreads() throws Exception {
    stub.configure("cuMemcpyHtoDAsync=delay(300)@1");
    HostToDevice to = HostToDevice.create();
    FutureTask<DeviceTensor> copy =
        Deadlines.start("copy", () -> to.copy(Tensor.of(new int[] {1}, 1)));
    Deadlines.assertEventually("it is under way", () -> stub.calls("cuMemcpyHtoDAsync") == 1);
    to.close();
    Deadlines.result(copy).close();
    stub.assertCleanAndOver();
  }
}
