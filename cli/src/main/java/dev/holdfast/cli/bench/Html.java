package dev.holdfast.cli.bench;

/** Puts a page together. Whatever is given as text or as an attribute's value is escaped. */
final class Html {
  private final StringBuilder page = new StringBuilder();

  /** Adds markup as it is. */
  Html raw(String markup) {
    page.append(markup);
    return this;
  }

  /** Adds text. */
  Html text(String text) {
    page.append(escape(text));
    return this;
  }

  /** Adds an element that holds text alone. */
  Html element(String tag, String text) {
    return raw("<" + tag + ">").text(text).raw("</" + tag + ">");
  }

  /** Adds an element of a class that holds text alone. */
  Html element(String tag, String styleClass, String text) {
    return open(tag, styleClass).text(text).raw("</" + tag + ">");
  }

  /** Begins an element of a class. */
  Html open(String tag, String styleClass) {
    return raw("<" + tag + " class=\"").text(styleClass).raw("\">");
  }

  static String escape(String text) {
    StringBuilder escaped = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '&' -> escaped.append("&amp;");
        case '<' -> escaped.append("&lt;");
        case '>' -> escaped.append("&gt;");
        case '"' -> escaped.append("&quot;");
        default -> escaped.append(c);
      }
    }
    return escaped.toString();
  }

  @Override
  public String toString() {
    return page.toString();
  }
}
