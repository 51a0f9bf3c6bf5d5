package dev.holdfast.arena.internal.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.holdfast.arena.internal.os.ProcessIdentity;
import org.junit.jupiter.api.Test;

final class ClaimTest {

  @Test
  void largestPidAndStartTimeComeBack() {
    ProcessIdentity holder = new ProcessIdentity((1 << 22) - 1, (1L << 40) - 1);
    for (Claim.Use use : Claim.Use.values()) {
      Claim claim = new Claim(holder, use);
      assertNotEquals(Claim.FREE, claim.encode());
      assertEquals(claim, Claim.decode(claim.encode()));
    }
  }

  @Test
  void ownClaimNamesThisProcess() {
    Claim claim = Claim.decode(Claim.own(Claim.Use.STREAMS).encode());
    assertEquals(ProcessHandle.current().pid(), claim.holder().pid());
    assertEquals(Claim.Use.STREAMS, claim.use());
  }
}
