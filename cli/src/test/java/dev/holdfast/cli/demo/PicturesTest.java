package dev.holdfast.cli.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PicturesTest {
  @Test
  void filesComeInTheOrderOfTheirNamesBytes(@TempDir Path folder) throws Exception {
    List<String> ordered =
        List.of(
            "%20",
            "10",
            "2",
            "A",
            "B",
            "Z",
            "_",
            "a",
            "a%2B",
            "aa",
            "z",
            "%C3%A9",
            "%E4%B8%AD",
            "%F0%9F%98%80",
            "%FF");
    for (String name : ordered.reversed()) {
      Files.createFile(Path.of(URI.create(folder.toUri() + name)));
    }

    assertEquals(
        List.of(
            " ",
            "10",
            "2",
            "A",
            "B",
            "Z",
            "_",
            "a",
            "a+",
            "aa",
            "z",
            "\u00e9",
            "\u4e2d",
            "\ud83d\ude00",
            "\ufffd"),
        Pictures.in(folder).stream().map(Pictures::name).toList());
  }

  @Test
  void onlyRegularFilesOfTheFolderItselfCount(@TempDir Path folder) throws Exception {
    Files.createFile(folder.resolve("file"));
    Files.createSymbolicLink(folder.resolve("link"), folder.resolve("file"));
    Files.createSymbolicLink(folder.resolve("broken-link"), folder.resolve("nothing"));
    Files.createFile(Files.createDirectory(folder.resolve("folder")).resolve("inner"));

    assertEquals(
        List.of("file", "link"), Pictures.in(folder).stream().map(Pictures::name).toList());
  }
}
