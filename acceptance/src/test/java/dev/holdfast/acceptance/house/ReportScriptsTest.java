package dev.holdfast.acceptance.house;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the scripts say of a test run that read its reports. */
final class ReportScriptsTest {
  private static final String SKIPS = "bin/check-skips";
  private static final String COUNTS = "bin/attack-counts";

  @TempDir private Path folder;
  private Scripts scripts;

  @BeforeEach
  void makeTree() throws IOException {
    scripts = new Scripts(folder);
    scripts.writeExecutable(SKIPS, Scripts.text(SKIPS));
    scripts.writeExecutable(COUNTS, Scripts.text(COUNTS));
  }

  private void report(String module, String suite, String... cases) throws IOException {
    scripts.write(
        module + "/target/surefire-reports/TEST-" + suite + ".xml",
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuite xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" name="%s" time="0.1">
          <properties>
            <property name="skipped" value="&lt;testcase/&gt;"/>
          </properties>
        %s
        </testsuite>
        """
            .formatted(suite, String.join("\n", cases)));
  }

  private static String test(String name, String inside) {
    return "  <testcase name=\"%s\" classname=\"a.B\" time=\"0.01\">%s</testcase>"
        .formatted(name, inside);
  }

  private List<String> lines(int status, String script, String... arguments) throws Exception {
    Scripts.Said said = scripts.run(Map.of("PATH", "/usr/bin:/bin"), script, arguments);
    assertEquals(status, said.status(), said::toString);
    return said.output().lines().toList();
  }

  @Test
  void testsOfAllReportsAreCountedAndReasonsOfSkipsAreShown() throws Exception {
    report(
        "one",
        "a.B",
        test("passes", ""),
        "  <testcase name=\"passesToo\" classname=\"a.B\" time=\"0\"/>",
        test("fails", "<failure message=\"no\" type=\"T\"><![CDATA[no]]></failure>"));
    report(
        "two",
        "a.B",
        test("skips", "<skipped message=\"no driver on this machine\" type=\"T\"/>"),
        test("failsTwice", "<failure type=\"T\">no</failure>\n<error type=\"T\">no</error>"),
        test("breaks", "<error type=\"T\"/>"));
    report(
        "three",
        "a.B",
        test("skipsToo", "\n    <skipped><![CDATA[\n  no pictures\n\tat a.B.c]]></skipped>\n  "));

    assertEquals(
        List.of(
            "skipped: a.B.skipsToo: no pictures",
            "skipped: a.B.skips: no driver on this machine",
            "2 passed, 3 failed, 2 skipped"),
        lines(0, SKIPS));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "<skipped/>",
        "<skipped message=\"\"/>",
        "<skipped message=\" \" type=\"T\"></skipped>",
        "<skipped message=\"void a.B.silent() is @Disabled\"/>",
        "<skipped message=\"Assumption failed: assumption is not true\"/>",
        "<skipped type=\"T\"><![CDATA[org.opentest4j.TestAbortedException\n\tat a.B]]></skipped>",
        "<skipped message=\"org.opentest4j.TestAbortedException: Assumption failed\"/>"
      })
  void aSkipWithoutAReasonFails(String skipped) throws Exception {
    report("one", "a.B", test("silent", skipped), test("passes", ""));
    report("two", "a.C", test("skips", "<skipped message=\"no cgroup\"/>"));

    assertEquals(
        List.of(
            "check-skips: skipped without a reason: a.B.silent",
            "skipped: a.B.skips: no cgroup",
            "1 passed, 0 failed, 2 skipped"),
        lines(1, SKIPS));
  }

  @Test
  void whatATestHasPrintedIsNoResult() throws Exception {
    String printed =
        "<![CDATA[\n<testcase name=\"x\" classname=\"y\"><skipped/><failure/>\n</testcase>]]>";
    report(
        "one",
        "a.B",
        test("prints", "<system-out>" + printed + "</system-out>"),
        test("skips", "<skipped message=\"no cgroup\"/><system-err>" + printed + "</system-err>"));

    assertEquals(
        List.of("skipped: a.B.skips: no cgroup", "1 passed, 0 failed, 1 skipped"), lines(0, SKIPS));
  }

  @Test
  void aRunWithoutReportsOrWithoutTestsFails() throws Exception {
    assertEquals(List.of("0 passed, 0 failed, 0 skipped"), lines(1, SKIPS));

    report("one", "a.B");

    assertEquals(
        List.of("check-skips: no test ran", "0 passed, 0 failed, 0 skipped"), lines(1, SKIPS));
  }

  private void output(String module, String suite, String... lines) throws IOException {
    scripts.write(
        module + "/target/surefire-reports/" + suite + "-output.txt",
        String.join("\n", lines) + "\n");
  }

  @Test
  void whatAttackingTestsHavePrintedIsAddedUpButForTheTestsOfTheCounting() throws Exception {
    output("one", "a.B", "tally: rounds 5", "tally: kills 2", "and more", "tally: mutations 4");
    output(
        "one", "a.C", "a tally: rounds 900", "tally: rounds", "tally: rounds 7", "tally: rounds x");
    output("two", "a.D", "tally: interleavings 3000000", "tally: kills 1");
    output("testkit", "a.E", "tally: rounds 10000", "tally: kills 10000");

    List<String> lines = lines(0, COUNTS, "42");

    assertEquals(1, lines.size(), lines::toString);
    assertTrue(lines.getFirst().startsWith("attacks: "), lines::toString);
    for (String count :
        List.of("rounds 12,", "kills 3,", "mutations 4,", "interleavings 3000000", "seed 42 ")) {
      assertTrue(lines.getFirst().contains(" " + count), () -> count + " in " + lines);
    }
  }

  @Test
  void aRunThatHasAttackedNothingSaysSo() throws Exception {
    List<String> lines = lines(0, COUNTS);

    assertEquals(1, lines.size(), lines::toString);
    for (String count : List.of("rounds 0,", "kills 0,", "mutations 0,", "printed by each test")) {
      assertTrue(lines.getFirst().contains(" " + count), () -> count + " in " + lines);
    }
  }
}
