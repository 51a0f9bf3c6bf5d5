package dev.holdfast.cli.bench;

import java.util.List;

/** A transport that carries nothing, and says what its process was started with. */
public final class RefusingTransport implements Transport {
  @Override
  public String name() {
    return "refusing";
  }

  @Override
  public boolean waits() {
    return false;
  }

  @Override
  public List<String> jvmFlags() {
    return List.of("-Dholdfast.test.flag=raised");
  }

  @Override
  public Session open(CellSpec cell) throws NotSupportedException {
    throw new NotSupportedException("flag=" + System.getProperty("holdfast.test.flag"));
  }
}
