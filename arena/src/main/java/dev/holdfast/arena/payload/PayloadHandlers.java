package dev.holdfast.arena.payload;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The handlers in the order in which they are asked; the first that matches claims the object.
 * Immutable; may be used by any thread. Strings are never binaries, whatever a handler says.
 */
@SuppressWarnings("exports") // the nullness annotations are not there at run time
public final class PayloadHandlers {
  private static final int MAX_KIND_CHARS = 100;
  private static final PayloadHandlers STANDARD = new PayloadHandlers(StandardHandlers.list());

  private final List<PayloadHandler<?>> handlers;
  private final Map<String, PayloadHandler<?>> byKind;

  /*
   * Each object of each item is looked up, so the handlers whose type fits are remembered for its
   * class. A ClassValue keeps no class from being unloaded.
   */
  private final ClassValue<List<PayloadHandler<?>>> candidates =
      new ClassValue<>() {
        @Override
        protected List<PayloadHandler<?>> computeValue(Class<?> type) {
          return type == String.class
              ? List.of()
              : handlers.stream().filter(h -> h.type().isAssignableFrom(type)).toList();
        }
      };

  private PayloadHandlers(List<PayloadHandler<?>> handlers) {
    Map<String, PayloadHandler<?>> kinds = new HashMap<>();
    for (PayloadHandler<?> handler : handlers) {
      String kind = checkedKind(handler);
      PayloadHandler<?> other = kinds.put(kind, handler);
      if (other != null) {
        throw new IllegalArgumentException(
            "two payload handlers have the same kind: kind=%s first=%s second=%s; rename one"
                .formatted(kind, other.getClass().getName(), handler.getClass().getName()));
      }
    }
    this.handlers = List.copyOf(handlers);
    this.byKind = Map.copyOf(kinds);
  }

  /**
   * Returns the handlers for primitive arrays, buffers, memory segments and tensors.
   *
   * @return the standard handlers
   */
  public static PayloadHandlers standard() {
    return STANDARD;
  }

  /**
   * Returns these handlers with others in front of them.
   *
   * @param first the others, asked in this order before any of these
   * @return a new registry
   * @throws IllegalArgumentException when a kind is taken or is not a legal name
   */
  public PayloadHandlers with(PayloadHandler<?>... first) {
    List<PayloadHandler<?>> all = new ArrayList<>(Arrays.asList(first));
    all.addAll(handlers);
    return new PayloadHandlers(all);
  }

  /**
   * Returns the handlers in order.
   *
   * @return an unmodifiable list
   */
  public List<PayloadHandler<?>> handlers() {
    return handlers;
  }

  /**
   * Returns the handler of a kind.
   *
   * @param kind the name
   * @return the handler, or null when none has that kind
   */
  public @Nullable PayloadHandler<?> ofKind(String kind) {
    return byKind.get(kind);
  }

  /**
   * Returns the handler that claims an object.
   *
   * @param candidate the object
   * @return the first that matches, or null when the object is no binary
   */
  public @Nullable PayloadHandler<?> claiming(Object candidate) {
    List<PayloadHandler<?>> fitting = candidates.get(candidate.getClass());
    for (int i = 0; i < fitting.size(); i++) {
      PayloadHandler<?> handler = fitting.get(i);
      if (matches(handler, candidate)) {
        return handler;
      }
    }
    return null;
  }

  private static <T> boolean matches(PayloadHandler<T> handler, Object candidate) {
    return handler.matches(handler.type().cast(candidate));
  }

  private static String checkedKind(PayloadHandler<?> handler) {
    String kind = handler.kind();
    boolean printable = kind.chars().allMatch(c -> c > ' ' && c < 127);
    if (kind.isEmpty() || kind.length() > MAX_KIND_CHARS || !printable) {
      throw new IllegalArgumentException(
          ("the kind of a payload handler is not a legal name: kind=%s handler=%s;"
                  + " use 1 to %d printable ASCII characters")
              .formatted(kind, handler.getClass().getName(), MAX_KIND_CHARS));
    }
    return kind;
  }
}
