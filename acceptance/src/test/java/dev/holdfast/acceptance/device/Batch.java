package dev.holdfast.acceptance.device;

import dev.holdfast.arena.payload.Tensor;
import java.util.List;
import java.util.Map;

/**
 * An item as tests copy it.
 *
 * @param name no tensor
 * @param image a tensor of its own
 * @param more tensors in a list
 * @param named tensors and other things in a map
 */
public record Batch(String name, Tensor image, List<Tensor> more, Map<String, Object> named) {}
