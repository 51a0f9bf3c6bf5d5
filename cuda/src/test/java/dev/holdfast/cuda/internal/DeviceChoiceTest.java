package dev.holdfast.cuda.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.holdfast.cuda.DeviceException;
import org.junit.jupiter.api.Test;

class DeviceChoiceTest {
  @Test
  void theNamedDeviceWinsOverTheRank() {
    assertEquals(1, DeviceChoice.index(1, "0"));
  }

  @Test
  void theRankNamesTheDevice() {
    assertEquals(3, DeviceChoice.index(null, " 3 "));
  }

  @Test
  void withoutBothItIsTheFirst() {
    assertEquals(0, DeviceChoice.index(null, null));
    assertEquals(0, DeviceChoice.index(null, ""));
  }

  @Test
  void aRankThatIsNoNumberIsNamedInTheError() {
    DeviceException e = assertThrows(DeviceException.class, () -> DeviceChoice.index(null, "gpu"));
    assertEquals("LOCAL_RANK", e.facts().get("variable"));
    assertEquals("gpu", e.facts().get("value"));
  }
}
