package dev.holdfast.cli.inspect;

import dev.holdfast.arena.FailureDetail;
import dev.holdfast.cli.text.UsageException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** What is looked at. */
public sealed interface Target {
  /** Every process of this user. */
  record Everything() implements Target {}

  /**
   * One process.
   *
   * @param pid its number
   */
  record OneProcess(long pid) implements Target {}

  /**
   * What is left in a folder.
   *
   * @param path the folder
   */
  record Folder(Path path) implements Target {}

  /** The most digits that a pid has, and fewer than make a number overflow. */
  int MOST_DIGITS = 9;

  /**
   * Reads what was given on the command line.
   *
   * @param text a pid, a folder, or null for everything
   * @return the target
   * @throws UsageException when it is neither
   */
  static Target of(@Nullable String text) {
    if (text == null) {
      return new Everything();
    }
    if (text.length() <= MOST_DIGITS && text.matches("[1-9][0-9]*")) {
      return new OneProcess(Long.parseLong(text));
    }
    return new Folder(folder(text));
  }

  /**
   * Reads a folder.
   *
   * @param text its path
   * @return the folder
   * @throws UsageException when there is none that can be listed
   */
  static Path folder(String text) {
    Path folder = Path.of(text);
    if (!Files.isDirectory(folder) || !Files.isReadable(folder)) {
      throw new UsageException(
          FailureDetail.of("neither a process nor a folder that can be read")
              .with("given", text)
              .advise("name a pid or a folder such as /dev/shm"));
    }
    return folder;
  }
}
