package dev.holdfast.cli.bench;

import java.util.Set;

/** What a transport is, which its colour tells. */
enum HtmlFamily {
  /** This library. */
  OWN("own", "Holdfast"),
  /** The copy that all are compared with. */
  BASELINE("baseline", "one copy, no transport"),
  /** What the operating system has. */
  SYSTEM("system", "operating system"),
  /** Other libraries. */
  OTHER("other", "other libraries");

  private static final Set<String> OWN_NAMES =
      Set.of("pool", "pool-in-place", "ring", "channel", "inline");
  private static final Set<String> SYSTEM_NAMES = Set.of("pipe", "socket", "futex");

  private final String styleClass;
  private final String title;

  HtmlFamily(String styleClass, String title) {
    this.styleClass = styleClass;
    this.title = title;
  }

  static HtmlFamily of(CellSpec cell) {
    String transport = cell.transport();
    if (OWN_NAMES.contains(transport)) {
      return OWN;
    }
    if (SYSTEM_NAMES.contains(transport)) {
      return SYSTEM;
    }
    return transport.equals("memcpy") ? BASELINE : OTHER;
  }

  String styleClass() {
    return styleClass;
  }

  String title() {
    return title;
  }
}
