package dev.holdfast.arena.payload;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InvalidClassException;
import java.io.ObjectInputStream;
import java.io.ObjectStreamClass;
import java.io.StreamCorruptedException;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

/** The other end of {@link ItemObjectOutput}. One thread's at a time. */
final class ItemObjectInput extends ObjectInputStream {
  private static final byte[] FORGET = {TC_RESET, TC_NULL};

  /** The objects of an item that were made beside the stream. */
  interface Shared {

    /** Returns the object with a handle, null when it is not complete and cannot be referred to. */
    @Nullable Object shared(int handle) throws IOException;
  }

  private final InputRelay relay;
  private final KnownDescriptors descriptors;
  private final ItemFilter filter;
  private final ClassLoader loader;

  private @Nullable BinarySource source;
  private @Nullable Shared shared;
  private KnownDescriptors.@Nullable Known current;

  ItemObjectInput(KnownDescriptors descriptors, ItemFilter filter, ClassLoader loader)
      throws IOException {
    this(new InputRelay(), descriptors, filter, loader);
  }

  private ItemObjectInput(
      InputRelay relay, KnownDescriptors descriptors, ItemFilter filter, ClassLoader loader)
      throws IOException {
    super(relay);
    this.relay = relay;
    this.descriptors = descriptors;
    this.filter = filter;
    this.loader = loader;
    setObjectInputFilter(filter);
    enableResolveObject(true);
  }

  @Nullable Object readItem(InputStream body, BinarySource binaries)
      throws IOException, ClassNotFoundException {
    filter.begin(body.available());
    relay.target(body);
    source = binaries;
    try {
      Object item = readObject();
      if (body.available() != 0) {
        throw new StreamCorruptedException(
            "bytes are left behind the item: bytes=" + body.available());
      }
      return item;
    } catch (InvalidClassException e) {
      if (filter.limitExceeded()) {
        throw Corruption.record(e);
      }
      throw e;
    } finally {
      source = null;
    }
  }

  /** Reads one of several parts of an item, among which objects keep their identity. */
  @Nullable Object readPart(InputStream part, BinarySource binaries, Shared beside)
      throws IOException, ClassNotFoundException {
    relay.target(part);
    source = binaries;
    shared = beside;
    try {
      return readObject();
    } finally {
      source = null;
      shared = null;
    }
  }

  /** Drops all references to what was read. */
  void forget() throws IOException, ClassNotFoundException {
    relay.target(new ByteArrayInputStream(FORGET));
    Object nothing = readObject();
    relay.target(InputStream.nullInputStream());
    if (nothing != null) {
      throw new StreamCorruptedException("the stream did not forget");
    }
  }

  @Override
  protected void readStreamHeader() {}

  @Override
  protected @Nullable Object resolveObject(@Nullable Object object) throws IOException {
    if (object instanceof Marker marker && source != null) {
      Object binary = source.binary(marker.number());
      filter.markerResolved();
      return binary;
    }
    if (object instanceof SharedMarker marker && shared != null) {
      Object beside = shared.shared(marker.handle());
      if (beside != null) {
        filter.markerResolved();
      }
      return beside;
    }
    return object;
  }

  @Override
  protected ObjectStreamClass readClassDescriptor() throws IOException, ClassNotFoundException {
    int id = readId();
    if (id == SentDescriptors.IN_FULL) {
      current = null;
      return super.readClassDescriptor();
    }
    KnownDescriptors.Known known = descriptors.get(id);
    current = known;
    return known.model();
  }

  private int readId() throws IOException {
    int id = 0;
    for (int shift = 0; shift < 28; shift += 7) {
      int next = readUnsignedByte();
      id |= (next & 0x7F) << shift;
      if (next < 0x80) {
        return id;
      }
    }
    throw new StreamCorruptedException("the number of a class descriptor is out of range");
  }

  @Override
  protected Class<?> resolveClass(ObjectStreamClass descriptor)
      throws IOException, ClassNotFoundException {
    KnownDescriptors.Known known = current;
    current = null;
    return known == null
        ? KnownDescriptors.find(descriptor.getName(), loader)
        : known.resolve(loader);
  }

  @Override
  @SuppressWarnings("deprecation") // the only way to name a proxy class without making a proxy
  protected Class<?> resolveProxyClass(String[] interfaces)
      throws IOException, ClassNotFoundException {
    Class<?>[] types = new Class<?>[interfaces.length];
    ClassLoader definer = loader;
    for (int i = 0; i < types.length; i++) {
      types[i] = Class.forName(interfaces[i], false, loader);
      if (!Modifier.isPublic(types[i].getModifiers())) {
        definer = types[i].getClassLoader();
      }
    }
    try {
      return Proxy.getProxyClass(definer, types);
    } catch (IllegalArgumentException e) {
      throw new ClassNotFoundException("the interfaces make no proxy class", e);
    }
  }

  /** Reads from a source that changes. */
  private static final class InputRelay extends InputStream {
    private InputStream target = InputStream.nullInputStream();

    void target(InputStream next) {
      target = next;
    }

    @Override
    public int read() throws IOException {
      return target.read();
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      return target.read(bytes, offset, length);
    }

    @Override
    public int available() throws IOException {
      return target.available();
    }
  }
}
