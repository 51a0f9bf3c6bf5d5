package dev.holdfast.loader.internal.pipeline;

import java.net.URI;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Shows items in reports without running user code. */
public final class ItemText {
  private static final int LONGEST = 200;

  private ItemText() {}

  /** Returns a short text, of most classes the name alone. */
  public static String of(@Nullable Object item) {
    return switch (item) {
      case null -> "null";
      case String text -> cut(text);
      case Integer number -> number.toString();
      case Long number -> number.toString();
      case Short number -> number.toString();
      case Byte number -> number.toString();
      case Double number -> number.toString();
      case Float number -> number.toString();
      case Boolean truth -> truth.toString();
      case URI uri -> cut(uri.toString());
      case Path path when path.getClass().getModule() == Object.class.getModule() ->
          cut(path.toString());
      default -> item.getClass().getTypeName();
    };
  }

  private static String cut(String text) {
    return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "...";
  }
}
