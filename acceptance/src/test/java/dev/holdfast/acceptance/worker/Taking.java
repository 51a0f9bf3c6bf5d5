package dev.holdfast.acceptance.worker;

import dev.holdfast.arena.ViewScope;
import dev.holdfast.loader.Lease;
import dev.holdfast.loader.Parcel;
import dev.holdfast.loader.SubprocessIterable;
import java.util.Iterator;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The ways in which a consumer takes the items of {@link Workers}. */
enum Taking {
  ITEMS {
    @Override
    Iterable<Kept> of(SubprocessIterable<Map<String, Object>> items) {
      return map(items, KeptItem::new);
    }
  },
  CONFINED {
    @Override
    Iterable<Kept> of(SubprocessIterable<Map<String, Object>> items) {
      return map(items.leases(), KeptLease::new);
    }
  },
  SHARED {
    @Override
    Iterable<Kept> of(SubprocessIterable<Map<String, Object>> items) {
      return map(items.leases(ViewScope.SHARED), KeptLease::new);
    }
  },
  PARCELS {
    @Override
    Iterable<Kept> of(SubprocessIterable<Map<String, Object>> items) {
      return map(items.parcels(), KeptParcel::new);
    }
  };

  abstract Iterable<Kept> of(SubprocessIterable<Map<String, Object>> items);

  /** Something that was taken and is not given back yet. */
  interface Kept extends AutoCloseable {
    /** Checks that it is whole and has its number; opens it first where it is not. */
    void verify(int number);

    @Override
    void close();
  }

  private static <T> Iterable<Kept> map(Iterable<T> passes, Function<T, Kept> kept) {
    return () -> {
      Iterator<T> pass = passes.iterator();
      return new Iterator<>() {
        @Override
        public boolean hasNext() {
          return pass.hasNext();
        }

        @Override
        public Kept next() {
          return kept.apply(pass.next());
        }
      };
    };
  }

  private record KeptItem(Map<String, Object> item) implements Kept {
    @Override
    public void verify(int number) {
      Workers.verify(number, item);
    }

    @Override
    public void close() {
      // the collector's business
    }
  }

  private record KeptLease(Lease<Map<String, Object>> lease) implements Kept {
    @Override
    public void verify(int number) {
      Workers.verify(number, lease.item());
    }

    @Override
    public void close() {
      lease.close();
    }
  }

  private static final class KeptParcel implements Kept {
    private final Parcel<Map<String, Object>> parcel;
    private @Nullable Lease<Map<String, Object>> lease;

    KeptParcel(Parcel<Map<String, Object>> parcel) {
      this.parcel = parcel;
    }

    @Override
    public void verify(int number) {
      if (lease == null) {
        lease = parcel.open(ViewScope.CONFINED);
      }
      Workers.verify(number, lease.item());
    }

    @Override
    public void close() {
      if (lease == null) {
        parcel.discard();
      } else {
        lease.close();
      }
    }
  }
}
