package dev.holdfast.acceptance.iterate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.holdfast.arena.payload.EnvelopeCodec;
import dev.holdfast.arena.payload.ItemCodec;
import dev.holdfast.arena.payload.PayloadHandlers;
import dev.holdfast.loader.Subprocess;
import dev.holdfast.loader.SubprocessIterable;
import dev.holdfast.loader.SubprocessOptions;
import dev.holdfast.loader.pipeline.Pipeline;
import dev.holdfast.loader.pipeline.PipelineIterable;
import dev.holdfast.loader.pipeline.ProcessRegion;
import dev.holdfast.testkit.Leftovers;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Nobody has to ask for the compact codec. */
@ExtendWith(Leftovers.class)
@Timeout(300)
final class DefaultCodecTest {
  private static final String COMPACT = "Compact";
  private static final String JAVA = "JavaEnvelope";

  /**
   * Notes which codec's code is at work each time it crosses: at the writer, then at the reader.
   */
  static final class Witness implements Serializable {
    private static final long serialVersionUID = 1L;

    private final ArrayList<String> codecs = new ArrayList<>();

    private void writeObject(ObjectOutputStream out) throws IOException {
      codecs.add(codecAtWork());
      out.defaultWriteObject();
    }

    private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
      in.defaultReadObject();
      codecs.add(codecAtWork());
    }

    /** The outermost class of the payload package that is one of an envelope codec. */
    private static String codecAtWork() {
      return StackWalker.getInstance()
          .walk(
              frames ->
                  frames
                      .map(StackWalker.StackFrame::getClassName)
                      .map(name -> name.substring(name.lastIndexOf('.') + 1))
                      .filter(name -> name.startsWith(COMPACT) || name.startsWith(JAVA))
                      .map(name -> name.startsWith(COMPACT) ? COMPACT : JAVA)
                      .reduce("none", (_, outer) -> outer));
    }
  }

  /** One witness at each pass. */
  record Witnesses() implements Iterable<Witness>, Serializable {
    private static final long serialVersionUID = 1L;

    @Override
    public Iterator<Witness> iterator() {
      return List.of(new Witness()).iterator();
    }
  }

  private static List<String> fromAWorker(SubprocessOptions options) {
    try (SubprocessIterable<Witness> items = Subprocess.iterate(_ -> new Witnesses(), options)) {
      return items.iterator().next().codecs;
    }
  }

  @Test
  void workerWithoutOptionsWritesTheCompactForm() {
    try (SubprocessIterable<Witness> items = Subprocess.iterate(_ -> new Witnesses())) {
      assertEquals(List.of(COMPACT, COMPACT), items.iterator().next().codecs);
    }
    assertEquals(List.of(COMPACT, COMPACT), fromAWorker(SubprocessOptions.defaults()));
    assertSame(ItemCodec.standard(), SubprocessOptions.defaults().codec().codec());
  }

  @Test
  void regionWithoutOptionsWritesInputsAndOutputsInTheCompactForm() {
    try (PipelineIterable<Witness> pipeline =
        Pipeline.from(new Witnesses())
            .to(ProcessRegion.workers(1))
            .<Witness>map(item -> item)
            .toMain()
            .build()) {
      assertEquals(List.of(COMPACT, COMPACT, COMPACT, COMPACT), pipeline.iterator().next().codecs);
    }
  }

  @Test
  void witnessTellsJavaSerializationFromTheCompactForm() {
    SubprocessOptions options =
        SubprocessOptions.builder()
            .codec(
                () -> ItemCodec.of(PayloadHandlers.standard(), EnvelopeCodec.javaSerialization()))
            .build();
    assertEquals(List.of(JAVA, JAVA), fromAWorker(options));
  }
}
