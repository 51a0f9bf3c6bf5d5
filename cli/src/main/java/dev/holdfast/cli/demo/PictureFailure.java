package dev.holdfast.cli.demo;

import dev.holdfast.cli.text.Words;
import java.io.Serializable;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;

/**
 * A file that gave no picture.
 *
 * @param name the file's name
 * @param reason why, in one line
 */
record PictureFailure(String name, String reason) implements Serializable {

  static PictureFailure of(String name, Throwable failure) {
    String reason =
        switch (failure) {
          case AccessDeniedException _ -> "AccessDeniedException: the file may not be read";
          case NoSuchFileException _ -> "NoSuchFileException: the file has gone";
          default -> Words.summary(failure);
        };
    return new PictureFailure(name, reason);
  }
}
