package dev.holdfast.cli.demo;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class DrawnPicturesTest {
  @Test
  void picturesAreTheSameEachTimeAndGoWithTheirFolder() throws Exception {
    DrawnPictures first = DrawnPictures.draw(6);
    DrawnPictures second = DrawnPictures.draw(6);
    try (first;
        second) {
      assertEquals(6, Pictures.in(first.folder()).size());
      for (Path file : Pictures.in(first.folder())) {
        assertArrayEquals(
            Files.readAllBytes(file),
            Files.readAllBytes(second.folder().resolve(file.getFileName())));
      }
    }
    assertFalse(Files.exists(first.folder()));
    assertFalse(Files.exists(second.folder()));
    first.close();
  }
}
