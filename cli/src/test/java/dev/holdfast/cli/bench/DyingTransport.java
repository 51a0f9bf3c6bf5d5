package dev.holdfast.cli.bench;

/** A transport that ends its process. */
public final class DyingTransport implements Transport {
  @Override
  public String name() {
    return "dying";
  }

  @Override
  public boolean waits() {
    return false;
  }

  @Override
  public Session open(CellSpec cell) {
    Runtime.getRuntime().halt(3);
    throw new IllegalStateException("not reached");
  }
}
