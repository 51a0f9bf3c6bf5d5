package dev.holdfast.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Checks after every test that nothing is left: names in {@code /dev/shm}, files of ours in the
 * temporary folder, crash reports, processes, descriptors, mappings, threads that keep the JVM
 * alive. What only the garbage collector gives back has some seconds for it, with collections in
 * between; so has what a JVM that tests at the same time has put into a shared folder. The first
 * look gives this JVM a process group of its own. A file whose name ends in {@code -of-PID} of
 * another live JVM is that one's, however long it stays.
 *
 * <p>Put {@code @ExtendWith(Leftovers.class)} on a test class, or call {@link #snapshot} and {@link
 * #assertNothingSince}. What a failed test left alive is not looked at again.
 */
public final class Leftovers implements BeforeEachCallback, AfterEachCallback {
  private static final ExtensionContext.Namespace NAMESPACE =
      ExtensionContext.Namespace.create(Leftovers.class);
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final int MORE_DESCRIPTORS = 8;
  private static final Pattern OWNER = Pattern.compile("-of-([0-9]{1,9})$");

  static {
    OwnGroup.enter();
  }

  /**
   * What there was at one moment.
   *
   * @param names files in shared memory, files of ours in the temporary folder, crash reports
   * @param processes ids of descendants and of others in the same process group
   * @param descriptors open descriptors by number
   * @param mappings how many shared mappings are not the JVM's own
   * @param threads ids of live threads that are no daemons
   */
  public record Snapshot(
      Set<String> names,
      Set<Long> processes,
      Map<Integer, String> descriptors,
      int mappings,
      Set<Long> threads) {}

  /** Used by JUnit. */
  public Leftovers() {}

  @Override
  public void beforeEach(ExtensionContext context) {
    context.getStore(NAMESPACE).put(context.getUniqueId(), snapshot());
  }

  @Override
  public void afterEach(ExtensionContext context) {
    Snapshot before = context.getStore(NAMESPACE).remove(context.getUniqueId(), Snapshot.class);
    if (before != null && context.getExecutionException().isEmpty()) {
      assertNothingSince(before);
    }
  }

  /**
   * Looks around.
   *
   * @return what there is now
   */
  public static Snapshot snapshot() {
    return new Snapshot(
        names(), processes(), ProcSelf.descriptors(), Maps.ofArenas().size(), threads());
  }

  /**
   * Fails when something is left that was not there before.
   *
   * @param before what there was
   */
  public static void assertNothingSince(Snapshot before) {
    long start = System.nanoTime();
    List<String> left = compare(before, snapshot());
    while (!left.isEmpty() && System.nanoTime() - start < LIMIT.toNanos()) {
      GcPressure.collect();
      Deadlines.pause(Duration.ofMillis(20));
      left = compare(before, snapshot());
    }
    if (!left.isEmpty()) {
      Assertions.fail("left behind: " + String.join("; ", left));
    }
  }

  private static List<String> compare(Snapshot before, Snapshot after) {
    List<String> left = new ArrayList<>();
    Set<String> names = new TreeSet<>(after.names);
    names.removeAll(before.names);
    names.forEach(name -> left.add("file " + name));
    Set<Long> processes = new TreeSet<>(after.processes);
    processes.removeAll(before.processes);
    processes.forEach(pid -> left.add("process " + describe(pid)));
    if (after.mappings > before.mappings) {
      left.add("mappings " + before.mappings + " -> " + Maps.ofArenas());
    }
    long ours = countOurs(after.descriptors);
    if (ours > countOurs(before.descriptors)
        || after.descriptors.size() > before.descriptors.size() + MORE_DESCRIPTORS) {
      left.add("descriptors " + before.descriptors + " -> " + after.descriptors);
    }
    Set<Long> threads = new TreeSet<>(after.threads);
    threads.removeAll(before.threads);
    if (!threads.isEmpty()) {
      left.add(
          Thread.getAllStackTraces().keySet().stream()
              .filter(thread -> threads.contains(thread.threadId()))
              .map(Thread::getName)
              .collect(Collectors.joining(", ", "threads ", "")));
    }
    return left;
  }

  private static long countOurs(Map<Integer, String> descriptors) {
    return descriptors.values().stream()
        .filter(path -> path.contains("holdfast") && !path.endsWith(".jar"))
        .filter(path -> path.startsWith("/memfd:") || path.endsWith("(deleted)"))
        .count();
  }

  private static Set<String> names() {
    Set<String> names = new TreeSet<>();
    list(Path.of("/dev/shm"), "", names);
    list(Path.of(System.getProperty("java.io.tmpdir")), "holdfast", names);
    list(Path.of(System.getProperty("java.io.tmpdir")), "hs_err_pid", names);
    list(Path.of("").toAbsolutePath(), "hs_err_pid", names);
    return names;
  }

  private static void list(Path folder, String prefix, Set<String> names) {
    try (Stream<Path> files = Files.list(folder)) {
      files
          .filter(file -> file.getFileName().toString().startsWith(prefix))
          .filter(file -> !belongsToAnother(file.getFileName().toString()))
          .forEach(file -> names.add(file.toString()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean belongsToAnother(String name) {
    Matcher owner = OWNER.matcher(name);
    if (!owner.find()) {
      return false;
    }
    long pid = Long.parseLong(owner.group(1));
    return pid != ProcessHandle.current().pid() && ProcessHandle.of(pid).isPresent();
  }

  private static Set<Long> processes() {
    Set<Long> found = new TreeSet<>();
    ProcessHandle.current().descendants().forEach(child -> found.add(child.pid()));
    long group = ProcSelf.processGroup(ProcessHandle.current().pid());
    ProcessHandle.allProcesses()
        .map(ProcessHandle::pid)
        .filter(pid -> ProcSelf.processGroup(pid) == group && !waitsForInit(pid))
        .forEach(found::add);
    return found;
  }

  /** An orphan that has ended is the init process's to collect, which may take its time. */
  private static boolean waitsForInit(long pid) {
    try {
      return ProcSelf.state(pid) == 'Z';
    } catch (UncheckedIOException e) {
      return true; // it was collected between two looks
    }
  }

  private static String describe(long pid) {
    return pid
        + " "
        + ProcessHandle.of(pid).flatMap(handle -> handle.info().commandLine()).orElse("(gone)");
  }

  private static Set<Long> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.isAlive() && !thread.isDaemon())
        .filter(thread -> !thread.getName().startsWith("junit-"))
        .map(Thread::threadId)
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
