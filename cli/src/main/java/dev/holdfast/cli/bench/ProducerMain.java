package dev.holdfast.cli.bench;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputStream;
import java.io.OutputStream;
import java.util.OptionalInt;

/**
 * The process of {@link ProducerProcess}: runs a pass for each number that comes on standard input,
 * and ends with it. Standard output is the transport's.
 */
final class ProducerMain {
  private ProducerMain() {}

  /**
   * Runs the passes.
   *
   * @param args not used
   */
  public static void main(String[] args) {
    OutputStream out = new FileOutputStream(FileDescriptor.out);
    System.setOut(System.err);
    try {
      serve(new BufferedInputStream(System.in), out);
    } catch (Exception | Error failure) {
      failure.printStackTrace();
      Runtime.getRuntime().halt(1);
    }
    System.exit(0);
  }

  private static void serve(InputStream in, OutputStream out) throws Exception {
    ProducerProcess.Setup setup = (ProducerProcess.Setup) new ObjectInputStream(in).readObject();
    DataInputStream requests = new DataInputStream(in);
    try (ProducerEnd end = newEnd(setup.endClass())) {
      end.open(setup.cell(), setup.address(), out);
      OptionalInt pass = next(requests);
      while (pass.isPresent()) {
        end.produce(setup.cell().plan(pass.getAsInt()));
        pass = next(requests);
      }
    }
  }

  private static ProducerEnd newEnd(String name) throws ReflectiveOperationException {
    return Class.forName(name).asSubclass(ProducerEnd.class).getDeclaredConstructor().newInstance();
  }

  /** Returns the number of the next pass, or nothing when standard input has ended. */
  private static OptionalInt next(DataInputStream requests) throws IOException {
    int first = requests.read();
    if (first < 0) {
      return OptionalInt.empty();
    }
    int rest = requests.readUnsignedByte() << 16 | requests.readUnsignedShort();
    return OptionalInt.of(first << 24 | rest);
  }
}
