package dev.holdfast.cli.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class PlainItemsTest {
  @ParameterizedTest
  @EnumSource(Payload.class)
  void everyPayloadComesThroughAStreamWholeAndInItsTurn(Payload payload)
      throws IOException, ClassNotFoundException {
    CellSpec cell = SpecFixture.spec(payload, 70_000, 5, CellSpec.Measure.THROUGHPUT);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    ObjectSender sender = new ObjectSender(cell, bytes);
    sender.send();
    sender.send();

    ObjectInputStream stream = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()));
    PlainItems items = new PlainItems(payload);
    for (int number = 0; number < 2; number++) {
      ItemCheck check = new ItemCheck(cell, cell.plan(number));
      for (int unit = 0; unit < cell.plan(number).items(); unit++) {
        check.accept(items.item(stream.readObject()));
      }
      assertTrue(check.passed());
    }
    assertEquals(-1, stream.read());
  }
}
