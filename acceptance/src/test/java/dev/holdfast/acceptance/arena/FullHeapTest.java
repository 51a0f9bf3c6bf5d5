package dev.holdfast.acceptance.arena;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.testkit.ChildJvm;
import dev.holdfast.testkit.FullHeap;
import dev.holdfast.testkit.Leftovers;
import dev.holdfast.testkit.PausePoints;
import dev.holdfast.testkit.Rounds;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Giving back needs heap here and there, and stack, and there may be none. */
@ExtendWith(Leftovers.class)
@Timeout(300)
final class FullHeapTest {
  /** Bytes. */
  private static final String ROOM_GROWS_BY = Rounds.whole() ? "256" : "1024";

  @TempDir private Path folder;

  /** Nor does any daemon end, on which all giving back depends. */
  // R6
  @ParameterizedTest
  @EnumSource
  void whatAFullHeapKeepsFromBeingGivenBackIsGivenBackWhenThereIsRoom(FullHeapMain.Deed deed) {
    var _ = noticed(deed, ROOM_GROWS_BY);
  }

  /** An error in the midst of it, at each place in turn. */
  // R6
  @ParameterizedTest
  @CsvSource({
    "CLOSES_A_POOL,NATIVE_CALL,exhaust",
    "CLOSES_A_POOL,CLOSING_STEP,exhaust",
    "CLOSES_A_POOL,CLOSING_STEP,overflow",
    "CLOSES_A_POOL,CLOSING_STEP,throw",
    "CLOSES_A_RING,CLOSING_STEP,overflow",
    "CLOSES_THE_ENDPOINTS,GIVING_BACK,exhaust",
    "CLOSES_THE_ENDPOINTS,GIVING_BACK,overflow",
    "UNLINKS_MEMORY,NATIVE_CALL,exhaust",
    "UNLINKS_A_FILE,NATIVE_CALL,exhaust",
    "UNLINKS_A_FILE,NATIVE_CALL,overflow",
    "CONSTRUCTS,NATIVE_CALL,exhaust",
    "CONSTRUCTS,CONSTRUCTION_STEP,exhaust",
    "CONSTRUCTS_A_FILE,NATIVE_CALL,exhaust",
    "CONSTRUCTS_A_FILE,CONSTRUCTION_STEP,exhaust",
    "CONSTRUCTS_A_FILE_OF_A_DRAFT,NATIVE_CALL,exhaust",
    "CONSTRUCTS_A_FILE_OF_A_DRAFT,CONSTRUCTION_STEP,exhaust",
    "CONSTRUCTS_IN_A_FOLDER_OF_DRAFTS,NATIVE_CALL,exhaust",
    "CONSTRUCTS_IN_A_FOLDER_OF_DRAFTS,CONSTRUCTION_STEP,exhaust",
    "DRAFTS_A_FILE_IN_VAIN,NATIVE_CALL,exhaust",
    "NAMES_A_FILE_IN_VAIN,NATIVE_CALL,exhaust",
    "OPENS_A_UNIT,UNIT_OPENED,exhaust",
    "OPENS_A_UNIT_OF_A_RING,UNIT_OPENED,exhaust"
  })
  void whatAnErrorHasInterruptedIsGivenBackAllTheSame(
      FullHeapMain.Deed deed, String point, String action) {
    assertTrue(noticed(deed, point, action) > 0, "nothing has failed");
  }

  /** What is closed by a thread at the end of its stack is given back or is open still. */
  // R6
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = "CONSTRUCTS.*|.*IN_VAIN")
  void whatTheEndOfAStackKeepsFromBeingGivenBackCanBeGivenBackAgain(FullHeapMain.Deed deed) {
    String turns = String.valueOf(Rounds.of(300, 30));
    assertTrue(noticed(deed, FullHeapMain.STACK, turns) > 0, "nothing has failed");
  }

  private int noticed(FullHeapMain.Deed deed, String... lack) {
    String[] arguments =
        Stream.concat(Stream.of(deed.name(), folder.toString()), Stream.of(lack))
            .toArray(String[]::new);
    try (ChildJvm child =
        ChildJvm.of(FullHeapMain.class)
            .jvmArgs(FullHeap.jvmArguments())
            .jvmArgs(PausePoints.in(folder).jvmArgument())
            .args(arguments)
            .start()) {
      String line = child.awaitLine("NOTICED ");
      child.awaitSuccess();
      return Integer.parseInt(line.trim());
    }
  }
}
