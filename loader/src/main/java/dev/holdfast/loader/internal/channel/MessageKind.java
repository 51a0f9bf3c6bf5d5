package dev.holdfast.loader.internal.channel;

/**
 * What records say. A record has two numbers besides its bytes; in records of a pass the first one
 * is the pass's number. Counts of units are absolute over the arena's life, -1 without an arena.
 */
public final class MessageKind {
  /** To the worker, once: bytes are its {@code WorkerSetup}. */
  public static final int SETUP = 1;

  /** To the worker: begin this pass, and leave an earlier one. */
  public static final int START = 2;

  /** To the worker: leave this pass. */
  public static final int STOP = 3;

  /** To the worker: try again to write the item that had no space. */
  public static final int RETRY = 4;

  /** From the worker, once: the source is open. Second number: units published. */
  public static final int READY = 16;

  /** From the worker, its last: it cannot work. Second number: its stage; bytes: why. */
  public static final int UNUSABLE = 17;

  /** This pass has begun. Second number: units published before it. */
  public static final int STARTED = 18;

  /** An item without storage in the arena. Second number: its index. */
  public static final int ITEM = 19;

  /** An item with a unit; the record ends with the receipt. Second number: its index. */
  public static final int UNIT_ITEM = 20;

  /** An item that cannot cross. Second number: its index; bytes: why. */
  public static final int ITEM_FAILED = 21;

  /** An item that found no space in time. Second number: its index; bytes: why. */
  public static final int NO_SPACE = 22;

  /** The user's code threw. Second number: items before it; bytes: why. */
  public static final int SOURCE_FAILED = 23;

  /** The pass has ended by itself. Second number: units published. */
  public static final int FINISHED = 24;

  /** The pass was left, because a command asked for it. Second number: units published. */
  public static final int LEFT = 25;

  /**
   * What the next item answers, or what is answered without one. Second number: the item's index;
   * bytes: an {@code Answers}.
   */
  public static final int ANSWER = 26;

  /** To the worker: an input without storage in the arena. Second number: the input's. */
  public static final int INPUT = 32;

  /** To the worker: an input with a unit; the record ends with the receipt. */
  public static final int UNIT_INPUT = 33;

  /** To the worker: this pass has no more inputs. */
  public static final int INPUTS_END = 34;

  private MessageKind() {}
}
