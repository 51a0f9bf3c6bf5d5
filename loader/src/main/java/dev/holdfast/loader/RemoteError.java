package dev.holdfast.loader;

import java.io.Serializable;

/**
 * What was thrown in another process, as text. It holds no class of the thrower, so that it can be
 * read where that class is not known. All of it together is cut at {@link #LIMIT_CHARS} characters.
 *
 * @param className the binary name of the class thrown
 * @param message its message; {@code "null"} when it had none, and {@code "message unavailable:
 *     ..."} when asking for it failed
 * @param stackTrace the stack with all causes and suppressed exceptions, as the JVM prints it
 */
public record RemoteError(String className, String message, String stackTrace)
    implements Serializable {

  /** How many characters of one error cross at most. */
  public static final int LIMIT_CHARS = 64 * 1024;
}
