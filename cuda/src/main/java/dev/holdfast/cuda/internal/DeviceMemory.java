package dev.holdfast.cuda.internal;

import dev.holdfast.arena.internal.life.Once;
import java.lang.ref.Cleaner;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Memory of a device. It has an owner count: one for the tensors on it, until they are closed or
 * the garbage collector finds them gone, and one for each copy in flight. The last owner frees.
 * Thread-safe.
 */
public final class DeviceMemory {
  private static final Once<Cleaner> CLEANER =
      new Once<>(
          () ->
              Cleaner.create(
                  Thread.ofPlatform().daemon().name("holdfast-device-memory").factory()));

  private final Allocation allocation;
  private final long byteSize;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final Cleaner.Cleanable cleanable;

  private DeviceMemory(Allocation allocation, long byteSize) {
    this.allocation = allocation;
    this.byteSize = byteSize;
    this.cleanable = CLEANER.get().register(this, allocation::release);
  }

  /** Allocates; zero bytes take nothing. */
  public static DeviceMemory allocate(CudaContext context, long byteSize) {
    Allocation allocation = new Allocation(context);
    DeviceMemory memory = new DeviceMemory(allocation, byteSize); // before there is what to free
    if (byteSize > 0) {
      allocation.address = context.allocate(byteSize);
    }
    return memory;
  }

  /** Returns the device's index. */
  public int device() {
    return allocation.context.device();
  }

  /** Returns the device address, 0 for an empty one. */
  public long address() {
    return allocation.address;
  }

  /** Returns the size in bytes. */
  public long byteSize() {
    return byteSize;
  }

  /** Returns whether {@link #close} was called. */
  public boolean isClosed() {
    return closed.get();
  }

  /** Adds an owner for a copy; returns false when the memory is free or about to be. */
  boolean retain() {
    return !closed.get() && allocation.retain();
  }

  /** Retires the owner of a copy. */
  void release() {
    allocation.release();
  }

  /** Retires the tensors' owner. Repeating it does nothing. */
  public void close() {
    if (closed.compareAndSet(false, true)) {
      cleanable.clean();
    }
  }

  private static final class Allocation {
    private final CudaContext context;
    private final AtomicInteger owners = new AtomicInteger(1);
    private volatile long address; // set once

    Allocation(CudaContext context) {
      this.context = context;
    }

    boolean retain() {
      int count = owners.get();
      while (count > 0) {
        if (owners.compareAndSet(count, count + 1)) {
          return true;
        }
        count = owners.get();
      }
      return false;
    }

    void release() {
      if (owners.decrementAndGet() == 0 && address != 0) {
        context.end(CudaCall.MEMORY_FREE, address);
      }
    }
  }
}
