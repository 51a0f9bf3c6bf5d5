package dev.holdfast.cli.demo;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The files of a folder: which count, in which order, and what they are called. */
final class Pictures {
  private Pictures() {}

  /**
   * Lists the regular files of the folder itself, in the order of their names' bytes, unsigned. The
   * file system provider compares paths in just that way, also when a name is no text in any
   * encoding.
   */
  static List<Path> in(Path folder) throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.filter(Files::isRegularFile).sorted().toList();
    }
  }

  /**
   * Returns a file's name. Its bytes are read as UTF-8 whatever the locale says, by way of the
   * file's URI, which has the bytes as they are.
   */
  static String name(Path file) {
    String uri = file.toUri().getRawPath();
    String raw = uri.substring(uri.lastIndexOf('/') + 1);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(raw.length());
    for (int i = 0; i < raw.length(); i++) {
      char c = raw.charAt(i);
      if (c == '%') {
        bytes.write(Integer.parseInt(raw, i + 1, i + 3, 16));
        i += 2;
      } else {
        bytes.write(c);
      }
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
