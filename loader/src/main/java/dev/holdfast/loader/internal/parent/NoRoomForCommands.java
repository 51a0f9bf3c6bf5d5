package dev.holdfast.loader.internal.parent;

/** Ends a wait for room for a command, since the worker takes none. */
final class NoRoomForCommands extends RuntimeException {
  private static final long serialVersionUID = 1L;

  NoRoomForCommands() {
    super("the worker takes no commands", null, false, false);
  }
}
