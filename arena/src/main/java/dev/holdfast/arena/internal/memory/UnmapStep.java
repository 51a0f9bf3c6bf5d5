package dev.holdfast.arena.internal.memory;

/** Something that must have happened before memory is unmapped, such as ending a registration. */
public interface UnmapStep {

  /** Returns what the step does, as errors name it. */
  String what();

  /**
   * Does it. A step that throws has not happened: the memory stays mapped, and the step is tried
   * again.
   *
   * @throws Exception when it is refused
   */
  void run() throws Exception;
}
