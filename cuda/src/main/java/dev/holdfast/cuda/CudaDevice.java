package dev.holdfast.cuda;

/**
 * A device that the driver knows.
 *
 * @param index counted from 0, as the driver counts
 * @param name what the driver calls it
 * @param totalBytes bytes of its memory
 */
public record CudaDevice(int index, String name, long totalBytes) {}
