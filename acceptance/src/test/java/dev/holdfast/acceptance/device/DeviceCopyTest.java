package dev.holdfast.acceptance.device;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.PagePinner;
import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.SharedMemoryRingBuffer;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.arena.payload.ElementType;
import dev.holdfast.arena.payload.Tensor;
import dev.holdfast.cuda.CudaDriver;
import dev.holdfast.cuda.CudaPagePinner;
import dev.holdfast.cuda.DeviceException;
import dev.holdfast.cuda.DeviceTensor;
import dev.holdfast.cuda.DeviceToHost;
import dev.holdfast.cuda.HostToDevice;
import dev.holdfast.testkit.Deadlines;
import dev.holdfast.testkit.GcPressure;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.Stamps;
import dev.holdfast.testkit.cuda.StubDriver;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Copies to a device and back, on the stub driver or a real one. */
@ExtendWith(Leftovers.class)
class DeviceCopyTest {
  private static final long SEGMENT = 1 << 20;

  private Optional<StubDriver> stub = Optional.empty();

  /** The arenas that tensors come out of. */
  enum Kind {
    POOL,
    PINNED_POOL,
    RING,
    PINNED_RING;

    SharedMemoryArena make() {
      PagePinner pinner = CudaPagePinner.of(64 << 20);
      return switch (this) {
        case POOL -> new SharedMemorySegmentPool(SEGMENT, 3);
        case PINNED_POOL -> SharedMemorySegmentPool.builder(SEGMENT, 3).pinned(pinner).build();
        case RING -> new SharedMemoryRingBuffer(3 * SEGMENT);
        case PINNED_RING -> SharedMemoryRingBuffer.builder(3 * SEGMENT).pinned(pinner).build();
      };
    }
  }

  @BeforeEach
  void useDriver() {
    stub = Drivers.use();
  }

  @AfterEach
  void nothingIsWrongOrLeft() {
    stub.ifPresent(StubDriver::assertCleanAndOver);
  }

  @ParameterizedTest
  @EnumSource
  void whatIsCopiedThereAndBackIsTheSame(Kind kind) {
    try (Feed feed = new Feed(kind.make());
        HostToDevice to = HostToDevice.create();
        DeviceToHost back = DeviceToHost.create()) {
      for (int round = 0; round < 8; round++) {
        Feed.Received unit = feed.pass(ViewScope.CONFINED, 500_001, 4096, 77);
        Tensor heap = Tensor.of(new float[] {1.5f, Float.NaN, -0.0f}, 3);
        Batch item =
            new Batch(
                "unit",
                unit.tensors().get(0),
                List.of(unit.tensors().get(1), heap),
                Map.of("small", unit.tensors().get(2), "number", 7));
        Batch there = to.copy(item);
        unit.lease().close();
        feed.overwrite(2, SEGMENT);
        assertEquals(Tensor.Location.DEVICE, there.image().location());
        assertEquals(7, there.named().get("number"));
        Batch again = back.copy(there);
        unit.verify(0, again.image());
        unit.verify(1, again.more().get(0));
        unit.verify(2, (Tensor) assertNotNullTensor(again.named().get("small")));
        assertTrue(heap.contentEquals(again.more().get(1)));
        closeAll(there);
      }
    }
  }

  private static Object assertNotNullTensor(Object value) {
    assertNotNull(value);
    return assertInstanceOf(Tensor.class, value);
  }

  private static void closeAll(Batch batch) {
    for (Object tensor : List.of(batch.image(), batch.more().get(0), batch.more().get(1))) {
      ((DeviceTensor) tensor).close();
    }
    assertInstanceOf(DeviceTensor.class, batch.named().get("small")).close();
  }

  @Test
  void eachCopyHappensInTheContextOfItsDevice() {
    Tensor tensor = Tensor.of(new int[] {1, 2, 3}, 3);
    for (int device = 0; device < CudaDriver.devices().size(); device++) {
      try (HostToDevice to = HostToDevice.builder().device(device).build();
          DeviceToHost back = DeviceToHost.builder().device(device).build();
          DeviceTensor there = to.copy(tensor)) {
        assertEquals(device, there.device());
        assertTrue(tensor.contentEquals(back.copy(there)));
      }
    }
    stub.ifPresent(
        driver -> {
          for (String call : List.of("cuMemcpyHtoDAsync", "cuMemcpyDtoHAsync")) {
            assertEquals(
                List.of(0L, 1L),
                driver.log().done(call).stream().map(line -> line.value("context")).toList());
          }
        });
  }

  @Test
  void aTensorOfAnotherDeviceIsRefusedByNumberAndStaysWhereItIs() {
    Assumptions.assumeTrue(CudaDriver.devices().size() > 1, "skipped: there is one device only");
    try (HostToDevice to = HostToDevice.builder().device(1).build();
        DeviceToHost first = DeviceToHost.builder().device(0).build();
        DeviceToHost second = DeviceToHost.builder().device(1).build();
        DeviceTensor there = to.copy(Tensor.of(new int[] {4, 5}, 2))) {
      for (Object item : List.of(there, List.of("text", there))) {
        IllegalArgumentException refused =
            assertThrows(IllegalArgumentException.class, () -> first.copy(item));
        assertTrue(refused.getMessage().contains("device=1 expected=0"), refused::getMessage);
      }
      assertArrayEquals(new int[] {4, 5}, second.copy(there).toIntArray());
    }
  }

  @Test
  void aTensorOfManyMegabytesIsTheSameBitForBit() {
    long[] shape = {4, 3, 461, 533};
    Tensor image = Tensor.allocate(ElementType.FLOAT32, shape);
    Stamps.fill(image.segment(), 3, 1);
    try (HostToDevice to = HostToDevice.create();
        DeviceToHost back = DeviceToHost.create();
        DeviceTensor there = to.copy(image)) {
      assertArrayEquals(shape, there.shape());
      assertTrue(image.contentEquals(back.copy(there)));
      Tensor row = back.copy(there.at(2).reshape(3L * 461, 533));
      assertTrue(image.at(2).reshape(3L * 461, 533).contentEquals(row));
      Tensor rows = back.copy(there.slice(1, 3));
      assertTrue(image.slice(1, 3).contentEquals(rows));
    }
  }

  @Test
  void aStridedTensorArrivesInLogicalOrder() {
    int[] elements = {0, 1, 2, 3, 4, 5};
    Tensor transposed =
        Tensor.strided(
            ElementType.INT32,
            MemorySegment.ofArray(elements),
            0,
            new long[] {3, 2},
            new long[] {1, 3});
    try (HostToDevice to = HostToDevice.create();
        DeviceToHost back = DeviceToHost.create();
        DeviceTensor there = to.copy(transposed)) {
      assertArrayEquals(new int[] {0, 3, 1, 4, 2, 5}, back.copy(there).toIntArray());
    }
  }

  @Test
  void nativeMemoryOutsideAnyArenaMayBeClosedRightAfterTheCall() {
    try (HostToDevice to = HostToDevice.create();
        DeviceToHost back = DeviceToHost.create()) {
      DeviceTensor there;
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment bytes = arena.allocate(100_003, 64);
        Stamps.fill(bytes, 5, 2);
        there = to.copy(Tensor.of(ElementType.UINT8, bytes, bytes.byteSize()));
      }
      Stamps.verify(back.copy(there).segment(), 5, 2);
      there.close();
    }
  }

  @Test
  void stagingMemoryCanBePageLocked() {
    try (HostToDevice to =
            HostToDevice.builder().pinnedStaging(CudaPagePinner.of(8 << 20)).build();
        DeviceToHost back =
            DeviceToHost.builder().pinnedStaging(CudaPagePinner.of(8 << 20)).build()) {
      for (int size : new int[] {10, 3 << 20, 100}) {
        byte[] bytes = new byte[size];
        Arrays.fill(bytes, (byte) size);
        try (DeviceTensor there = to.copy(Tensor.of(bytes, size))) {
          assertArrayEquals(bytes, back.copy(there).toByteArray());
        }
      }
      stub.ifPresent(driver -> assertEquals(0, driver.log().pageableCopies()));
    }
  }

  @Test
  void emptyTensorsTakeNothingAndComeBackEmpty() {
    try (HostToDevice to = HostToDevice.create();
        DeviceToHost back = DeviceToHost.create();
        DeviceTensor there = to.copy(Tensor.of(new float[0], 0, 3))) {
      assertEquals(0, there.address());
      assertArrayEquals(new long[] {0, 3}, back.copy(there).shape());
      stub.ifPresent(driver -> assertEquals(0, driver.calls("cuMemAlloc")));
    }
  }

  @Test
  void hostAccessToADeviceTensorIsRefused() {
    try (HostToDevice to = HostToDevice.create();
        DeviceTensor there = to.copy(Tensor.of(new int[] {1, 2}, 2))) {
      assertThrows(IllegalStateException.class, there::segment);
      assertThrows(IllegalStateException.class, there::toIntArray);
      assertThrows(IllegalStateException.class, there::toByteArray);
      assertThrows(IllegalStateException.class, there::asByteBuffer);
      assertThrows(IllegalStateException.class, there::copy);
      assertThrows(IllegalStateException.class, () -> there.get(0));
      assertThrows(IllegalStateException.class, () -> there.contentEquals(there));
      assertThrows(IllegalArgumentException.class, () -> there.reshape(3));
    }
  }

  @Test
  void whatLiesOnADeviceAndWhatIsNoTensorPassesThrough() {
    try (HostToDevice to = HostToDevice.create();
        DeviceToHost back = DeviceToHost.create();
        DeviceTensor there = to.copy(Tensor.of(new int[] {1}, 1))) {
      assertSame(there, to.copy(there));
      List<Object> plain = List.of("text", 1);
      assertSame(plain, to.copy(plain));
      assertSame(plain, back.copy(plain));
    }
  }

  @Test
  void aClosedTensorIsRefusedByName() {
    try (HostToDevice to = HostToDevice.create();
        DeviceToHost back = DeviceToHost.create()) {
      DeviceTensor there = to.copy(Tensor.of(new int[] {1}, 1));
      there.close();
      there.close();
      assertThrows(IllegalStateException.class, there::address);
      assertThrows(IllegalStateException.class, () -> back.copy(there));
    }
  }

  @Test
  void aDroppedTensorIsFreedByTheCollector() {
    try (HostToDevice to = HostToDevice.create()) {
      WeakReference<DeviceTensor> dropped =
          new WeakReference<>(to.copy(Tensor.of(new int[] {1}, 1)));
      stub.ifPresent(
          driver ->
              Deadlines.assertEventually(
                  "the memory is freed",
                  () -> {
                    GcPressure.collect();
                    return driver.calls("cuMemFree") == 1;
                  }));
      assertTrue(stub.isEmpty() || dropped.get() == null);
    }
  }

  @Test
  void theLastResultsOfAThreadAreKeptOnRequest() {
    try (HostToDevice to = HostToDevice.builder().keepLast(2).build()) {
      List<WeakReference<Object>> results = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        results.add(new WeakReference<>(to.copy(List.of(Tensor.of(new int[] {i}, 1)))));
      }
      Deadlines.assertEventually(
          "the older ones go",
          () -> {
            GcPressure.collect();
            return results.get(0).get() == null && results.get(1).get() == null;
          });
      assertNotNull(results.get(2).get());
      assertNotNull(results.get(3).get());
    }
  }

  @Test
  void eachThreadHasAStreamOfItsOwn() throws Exception {
    try (HostToDevice to = HostToDevice.create();
        DeviceToHost back = DeviceToHost.create()) {
      List<FutureTask<Void>> tasks = new ArrayList<>();
      for (int t = 0; t < 4; t++) {
        int value = t;
        tasks.add(
            Deadlines.start(
                "copier",
                () -> {
                  for (int i = 0; i < 20; i++) {
                    int[] elements = new int[5000];
                    Arrays.fill(elements, value * 100 + i);
                    try (DeviceTensor there = to.copy(Tensor.of(elements, 5000))) {
                      assertArrayEquals(elements, back.copy(there).toIntArray());
                    }
                  }
                  return null;
                }));
      }
      for (FutureTask<Void> task : tasks) {
        Deadlines.result(task);
      }
      stub.ifPresent(driver -> assertEquals(8, driver.calls("cuStreamCreate")));
    }
  }

  @Test
  void virtualThreadsCopyWithoutWaitingInTheDriver() throws Exception {
    try (HostToDevice to = HostToDevice.create();
        DeviceToHost back = DeviceToHost.create()) {
      List<Thread> threads = new ArrayList<>();
      List<Throwable> failures = new ArrayList<>();
      for (int t = 0; t < 16; t++) {
        int value = t;
        threads.add(
            Thread.ofVirtual()
                .start(
                    () -> {
                      try (DeviceTensor there = to.copy(Tensor.of(new int[] {value}, 1))) {
                        assertEquals(value, back.copy(there).toIntArray()[0]);
                      } catch (Throwable e) {
                        synchronized (failures) {
                          failures.add(e);
                        }
                      }
                    }));
      }
      for (Thread thread : threads) {
        assertTrue(thread.join(Deadlines.GENEROUS));
      }
      assertEquals(List.of(), failures);
      stub.ifPresent(driver -> assertEquals(0, driver.calls("cuStreamSynchronize")));
    }
  }

  @Test
  void aViewWhoseLeaseIsClosedIsAnError() {
    try (Feed feed = new Feed(Kind.POOL.make());
        HostToDevice to = HostToDevice.create()) {
      Feed.Received unit = feed.pass(ViewScope.CONFINED, 4096);
      unit.lease().close();
      assertThrows(IllegalStateException.class, () -> to.copy(unit.tensors()));
    }
  }

  @Test
  void afterCloseCopiesAreRefused() {
    HostToDevice to = HostToDevice.create();
    to.copy(Tensor.of(new int[] {1}, 1)).close();
    to.close();
    to.close();
    assertThrows(IllegalStateException.class, () -> to.copy(Tensor.of(new int[] {1}, 1)));
  }

  /** Asks for a copy, or closes the copier, when it is asked for its tensor. */
  record Busy(HostToDevice to, DeviceToHost back, boolean closes, Tensor tensor) {
    @Override
    public Tensor tensor() {
      if (closes) {
        to.close();
      }
      try (DeviceTensor there = to.copy(tensor)) {
        return back.copy(there);
      }
    }
  }

  @Test
  void codeThatACopyCallsMayCopyByTheSameCopier() {
    try (HostToDevice to = HostToDevice.create();
        DeviceToHost back = DeviceToHost.create()) {
      Tensor first = Tensor.of(new int[] {1, 2}, 2);
      Tensor second = Tensor.of(new int[] {3}, 1);
      List<Object> item = List.of(first, new Busy(to, back, false, second), second);
      List<Object> there = to.copy(item);
      Tensor again = back.copy((Tensor) there.get(0));
      assertArrayEquals(new int[] {1, 2}, again.toIntArray());
      again = back.copy((Tensor) there.get(2));
      assertArrayEquals(new int[] {3}, again.toIntArray());
      ((DeviceTensor) there.get(0)).close();
      ((DeviceTensor) there.get(2)).close();
    }
  }

  @Test
  void codeThatACopyCallsCannotCloseItsCopier() {
    try (HostToDevice to = HostToDevice.create();
        DeviceToHost back = DeviceToHost.create()) {
      Tensor tensor = Tensor.of(new int[] {1, 2}, 2);
      List<Object> item = List.of(tensor, new Busy(to, back, true, tensor));
      assertThrows(IllegalStateException.class, () -> to.copy(item));
      try (DeviceTensor there = to.copy(tensor)) {
        assertArrayEquals(new int[] {1, 2}, back.copy(there).toIntArray());
      }
    }
  }

  @Test
  void idleStagingMemoryOfOtherThreadsMakesRoomUnderTheBudget() throws Exception {
    PagePinner pinner = CudaPagePinner.of(3 << 20);
    try (HostToDevice to = HostToDevice.builder().pinnedStaging(pinner).build()) {
      for (int size : new int[] {1 << 20, 2 << 20, 3 << 20}) {
        Tensor tensor = Tensor.of(new byte[size], size);
        to.copy(tensor).close();
        Deadlines.result(Deadlines.start("copier", () -> to.copy(Tensor.of(new byte[size], size))))
            .close();
      }
    }
  }

  @Test
  void aDeviceThatIsNotThereIsNamed() {
    int devices = CudaDriver.devices().size();
    DeviceException e =
        assertThrows(DeviceException.class, () -> HostToDevice.builder().device(devices).build());
    assertEquals(devices, e.facts().get("devices"));
    assertEquals(devices, e.facts().get("device"));
    assertThrows(DeviceException.class, () -> CudaPagePinner.of(devices, 1));
    assertFalse(CudaDriver.version().isEmpty());
    assertTrue(CudaDriver.devices().getFirst().totalBytes() > 0);
  }
}
