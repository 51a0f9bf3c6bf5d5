package dev.holdfast.arena.payload;

import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/** Says why an object cannot cross to another process by Java serialization. Any thread. */
@SuppressWarnings("exports") // the nullness annotations are not there at run time
public final class SerializationPaths {
  private SerializationPaths() {}

  /**
   * Says why a source cannot cross.
   *
   * @param root the object, called {@code source} in the answer
   * @return a sentence with class and path of what stands in the way, or null when the object can
   *     cross
   */
  public static @Nullable String explain(Object root) {
    return explain("source", root);
  }

  /**
   * Says why an object cannot cross. It is written once more, to nowhere, and then the way to the
   * part that failed is looked for: fields, indexes, keys, and the captured arguments of lambdas.
   *
   * @param rootName what to call the object in the answer
   * @param root the object
   * @return a sentence with class and path of what stands in the way, or null when the object can
   *     cross
   */
  public static @Nullable String explain(String rootName, Object root) {
    VisitTrace trace = new VisitTrace();
    try (ObjectOutputStream out = new Probe(trace)) {
      out.writeObject(root);
      return null;
    } catch (Throwable e) {
      return EncodeFailures.explained(e, rootName, root, trace.at(e)).getMessage();
    }
  }

  /** Writes to nowhere and remembers the object it has come to. */
  private static final class Probe extends ObjectOutputStream {
    private final VisitTrace trace;

    Probe(VisitTrace trace) throws IOException {
      super(OutputStream.nullOutputStream());
      this.trace = trace;
      enableReplaceObject(true);
    }

    @Override
    protected Object replaceObject(Object object) {
      trace.visit(object);
      return object;
    }
  }
}
