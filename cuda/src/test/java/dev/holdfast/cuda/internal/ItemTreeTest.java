package dev.holdfast.cuda.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.holdfast.arena.payload.ElementType;
import dev.holdfast.arena.payload.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ItemTreeTest {
  private static final Tensor FROM = Tensor.of(new int[] {1, 2}, 2);
  private static final Tensor TO = Tensor.of(new int[] {3, 4}, 2);

  @SuppressWarnings("ReferenceEquality") // tensors are equal only when they are the same
  private static Tensor swap(Tensor tensor) {
    return tensor == FROM ? TO : tensor;
  }

  record Inner(Tensor tensor, String label) {}

  record Outer(Inner inner, List<Tensor> list, Map<String, Object> map, int number) {}

  record Narrow(MyTensor tensor) {}

  interface MyTensor extends Tensor {}

  @Test
  void tensorsAtAnyDepthAreReplacedAndEverythingElsePasses() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("a", new Tensor[] {FROM, null});
    map.put("b", "text");
    map.put("c", null);
    Outer item = new Outer(new Inner(FROM, "x"), Arrays.asList(FROM, TO, null), map, 7);
    Outer again = (Outer) ItemTree.map(item, ItemTreeTest::swap);
    assertSame(TO, again.inner.tensor);
    assertSame(item.inner.label, again.inner.label);
    assertEquals(Arrays.asList(TO, TO, null), again.list);
    assertSame(TO, ((Tensor[]) again.map.get("a"))[0]);
    assertEquals(List.of("a", "b", "c"), List.copyOf(again.map.keySet()));
    assertEquals(7, again.number);
    assertSame(FROM, item.inner.tensor, "the item itself stays");
  }

  @Test
  void whatHasNoTensorIsTheSameObject() {
    for (Object item :
        List.of("text", List.of(1, 2), Map.of("a", 1), new Inner(TO, "x"), new int[] {1})) {
      assertSame(item, ItemTree.map(item, ItemTreeTest::swap));
    }
    assertNull(ItemTree.map(null, ItemTreeTest::swap));
  }

  @Test
  @SuppressWarnings("JdkObsolete") // users have linked lists
  void usualContainersKeepTheirClass() {
    for (List<Tensor> list :
        List.of(new ArrayList<>(List.of(FROM)), new LinkedList<>(List.of(FROM)))) {
      assertSame(list.getClass(), ItemTree.map(list, ItemTreeTest::swap).getClass());
    }
    EnumMap<TimeUnit, Tensor> byUnit = new EnumMap<>(Map.of(TimeUnit.DAYS, FROM));
    for (Map<?, Tensor> map :
        List.of(new HashMap<>(Map.of("k", FROM)), new LinkedHashMap<>(Map.of("k", FROM)), byUnit)) {
      Map<?, ?> again = (Map<?, ?>) ItemTree.map(map, ItemTreeTest::swap);
      assertSame(map.getClass(), again.getClass());
      assertEquals(map.keySet(), again.keySet());
      assertSame(TO, again.values().iterator().next());
    }
    TreeMap<String, Tensor> sorted = new TreeMap<>(Comparator.reverseOrder());
    sorted.putAll(Map.of("a", FROM, "b", TO));
    TreeMap<?, ?> again = assertInstanceOf(TreeMap.class, ItemTree.map(sorted, ItemTreeTest::swap));
    assertEquals(List.of("b", "a"), List.copyOf(again.keySet()));
  }

  @Test
  void immutableContainersStayUnmodifiable() {
    List<?> list = (List<?>) ItemTree.map(List.of(FROM), ItemTreeTest::swap);
    assertThrows(UnsupportedOperationException.class, () -> list.remove(0));
    Map<?, ?> map = (Map<?, ?>) ItemTree.map(Map.of("k", FROM), ItemTreeTest::swap);
    assertThrows(UnsupportedOperationException.class, map::clear);
  }

  @Test
  void whatAppearsTwiceIsMadeOnce() {
    List<Tensor> shared = new ArrayList<>(List.of(FROM));
    List<?> again = (List<?>) ItemTree.map(List.of(shared, shared), ItemTreeTest::swap);
    assertNotSame(shared, again.get(0));
    assertSame(again.get(0), again.get(1));
  }

  @Test
  void anItemThatContainsItselfIsRefused() {
    List<Object> loop = new ArrayList<>();
    loop.add(FROM);
    loop.add(loop);
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> ItemTree.map(loop, ItemTreeTest::swap));
    assertTrue(e.getMessage().contains("item[1]"), e.getMessage());
  }

  @Test
  void aComponentThatCannotHoldTheResultIsNamedWithItsPath() {
    MyTensor mine =
        new MyTensor() {
          @Override
          public ElementType elementType() {
            return FROM.elementType();
          }

          @Override
          public long[] shape() {
            return FROM.shape();
          }

          @Override
          public MemorySegment segment() {
            return FROM.segment();
          }
        };
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class,
            () -> ItemTree.map(List.of(new Narrow(mine)), tensor -> TO));
    assertTrue(e.getMessage().contains("item[0].tensor"), e.getMessage());
  }

  @Test
  void aContainerOfAnotherClassIsRefusedOnlyWhenItHasTensors() {
    class Own extends ArrayList<Object> {
      private static final long serialVersionUID = 1L;
    }
    Own own = new Own();
    own.add("text");
    assertSame(own, ItemTree.map(own, ItemTreeTest::swap));
    own.add(FROM);
    assertThrows(IllegalArgumentException.class, () -> ItemTree.map(own, ItemTreeTest::swap));
  }
}
