package dev.holdfast.acceptance.gpu;

import dev.holdfast.acceptance.device.Feed;
import dev.holdfast.arena.PagePinner;
import dev.holdfast.arena.SharedMemoryArena;
import dev.holdfast.arena.SharedMemoryRingBuffer;
import dev.holdfast.arena.SharedMemorySegmentPool;
import dev.holdfast.arena.ViewScope;
import dev.holdfast.cuda.CudaPagePinner;
import dev.holdfast.cuda.DeviceTensor;
import dev.holdfast.cuda.DeviceToHost;
import dev.holdfast.cuda.HostToDevice;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.LongFunction;

/**
 * How fast tensors go from an arena to the device, from pageable and from page-locked memory. One
 * number is the time of {@link HostToDevice#copy}, allocation on the device included, over many
 * units; every run is shown.
 */
final class CopyRates {
  private static final long MIB = 1L << 20;

  /** What is measured, in MiB. */
  static final String SIZES = "8,64";

  private static final int UNITS = 4;
  private static final int RUNS = Integer.getInteger("holdfast.gpu.runs", 5);
  private static final long BYTES_PER_RUN = Long.getLong("holdfast.gpu.mib-per-run", 1024) * MIB;

  private CopyRates() {}

  private record Row(String name, LongFunction<SharedMemoryArena> arena) {}

  private static List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    rows.add(new Row("pool pageable", size -> new SharedMemorySegmentPool(size, UNITS)));
    rows.add(
        new Row(
            "pool pinned",
            size -> SharedMemorySegmentPool.builder(size, UNITS).pinned(pinner(size)).build()));
    rows.add(new Row("ring pageable", size -> new SharedMemoryRingBuffer(UNITS * size)));
    rows.add(
        new Row(
            "ring pinned",
            size -> SharedMemoryRingBuffer.builder(UNITS * size).pinned(pinner(size)).build()));
    return rows;
  }

  private static PagePinner pinner(long size) {
    return CudaPagePinner.of(2 * UNITS * size);
  }

  /** Measures and prints a table. */
  static void print(PrintStream out) {
    for (String mib : System.getProperty("holdfast.gpu.sizes", SIZES).split(",", -1)) {
      long size = Long.parseLong(mib) * MIB;
      for (Row row : rows()) {
        List<Double> rates = measure(row.arena().apply(size), size);
        StringBuilder line = new StringBuilder("%-14s %3d MiB ".formatted(row.name(), size / MIB));
        for (double rate : rates) {
          line.append(String.format(Locale.ROOT, " %7.2f", rate));
        }
        out.println(line.append(" GiB/s"));
      }
    }
  }

  private static List<Double> measure(SharedMemoryArena arena, long size) {
    List<Double> rates = new ArrayList<>();
    try (Feed feed = new Feed(arena);
        HostToDevice to = HostToDevice.create();
        DeviceToHost back = DeviceToHost.create()) {
      check(feed, to, back, size);
      for (int run = 0; run < RUNS; run++) {
        long nanos = 0;
        long units = Math.max(1, BYTES_PER_RUN / size);
        for (long i = 0; i < units; i++) {
          nanos += copyOne(feed, to, size);
        }
        rates.add(units * size / (double) (1L << 30) / (nanos / 1e9));
      }
      check(feed, to, back, size);
    }
    return rates;
  }

  private static long copyOne(Feed feed, HostToDevice to, long size) {
    Feed.Received unit = feed.pass(ViewScope.CONFINED, size);
    try {
      long start = System.nanoTime();
      DeviceTensor there = to.copy(unit.tensors().getFirst());
      long nanos = System.nanoTime() - start;
      there.close();
      return nanos;
    } finally {
      unit.lease().close();
    }
  }

  private static void check(Feed feed, HostToDevice to, DeviceToHost back, long size) {
    Feed.Received unit = feed.pass(ViewScope.CONFINED, size);
    try (DeviceTensor there = to.copy(unit.tensors().getFirst())) {
      unit.verify(0, back.copy(there));
    } finally {
      unit.lease().close();
    }
  }
}
