package dev.holdfast.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.payload.Tensor;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** What is measured must be right: a codec that loses something would be fast. */
class BenchmarksTest {

  @Test
  void everyCodecBringsEveryPayloadBack() throws Exception {
    for (Codecs codec : Codecs.values()) {
      for (Payload payload : Payload.values()) {
        CodecBenchmark benchmark = new CodecBenchmark();
        benchmark.codec = codec;
        benchmark.payload = payload;
        benchmark.sendOnce();
        assertEquals(
            comparable(payload.item()), comparable(benchmark.read()), codec + " " + payload);
      }
    }
  }

  private static Object comparable(Object item) {
    return switch (item) {
      case Map<?, ?> map ->
          List.of(map.get("index"), map.get("label"), shape(map.get("picture")), map.getClass());
      case Payload.Sample sample ->
          List.of(sample.index(), sample.label(), shape(sample.picture()));
      default -> item;
    };
  }

  private static Object shape(Object picture) {
    Tensor tensor = (Tensor) picture;
    return List.of(tensor.elementType(), tensor.shape()[0], tensor.shape()[1]);
  }

  @Test
  void benchmarksRun() throws Exception {
    Options options =
        new OptionsBuilder()
            .include(CodecBenchmark.class.getName() + ".read")
            .include(UnitBenchmark.class.getName() + ".restoreAndRelease")
            .include(LedgerBenchmark.class.getName() + ".unitsOfTwoThreads")
            .include(CopyBenchmark.class.getName() + ".copiedAsFoundFasterAndRead")
            .param("codec", "COMPACT")
            .param("payload", "MAP")
            .param("scope", "CONFINED")
            .param("bytes", "65536")
            .forks(0)
            .warmupIterations(1)
            .warmupTime(TimeValue.milliseconds(100))
            .measurementIterations(1)
            .measurementTime(TimeValue.milliseconds(100))
            .build();
    Collection<RunResult> results = new Runner(options).run();
    assertEquals(4, results.size());
    for (RunResult result : results) {
      assertTrue(result.getPrimaryResult().getScore() > 0);
    }
  }
}
