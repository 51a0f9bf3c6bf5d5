package dev.holdfast.cli.text;

import dev.holdfast.arena.FailureDetail;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sizes in bytes as people write them. */
public final class Sizes {
  private static final Pattern SIZE =
      Pattern.compile("([0-9]{1,12})\\s*(B|K|KiB|M|MiB|G|GiB)?", Pattern.CASE_INSENSITIVE);

  /** One mebibyte. */
  public static final double MIB = 1 << 20;

  /** One gibibyte. */
  public static final double GIB = 1 << 30;

  private Sizes() {}

  /**
   * Reads a size.
   *
   * @param text a whole number with or without one of B, KiB, MiB, GiB, or their first letters
   * @return the size in bytes
   * @throws UsageException when the text is no size above zero
   */
  public static long parse(String text) {
    Matcher matcher = SIZE.matcher(text.strip());
    if (!matcher.matches()) {
      throw notASize(text);
    }
    String unit = matcher.group(2) == null ? "" : matcher.group(2).toUpperCase(Locale.ROOT);
    int shift =
        switch (unit.isEmpty() ? 'B' : unit.charAt(0)) {
          case 'K' -> 10;
          case 'M' -> 20;
          case 'G' -> 30;
          default -> 0;
        };
    long number = Long.parseLong(matcher.group(1));
    long bytes = number << shift;
    if (number == 0 || bytes >> shift != number) {
      throw notASize(text);
    }
    return bytes;
  }

  /**
   * Writes a size with the largest unit that divides it.
   *
   * @param bytes the size in bytes
   * @return the text, which {@link #parse} reads
   */
  public static String format(long bytes) {
    String[] units = {"B", "KiB", "MiB", "GiB"};
    int unit = 0;
    long number = bytes;
    while (unit < units.length - 1 && number != 0 && number % 1024 == 0) {
      number /= 1024;
      unit++;
    }
    return number + units[unit];
  }

  private static UsageException notASize(String text) {
    return new UsageException(
        FailureDetail.of("not a size")
            .with("value", text)
            .advise("write for example 64KiB or 32MiB"));
  }
}
