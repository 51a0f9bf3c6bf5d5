package dev.holdfast.loader.pipeline;

/**
 * An item that failed in a stage.
 *
 * @param stage the stage's name
 * @param index which item of the source it came from, counted from 0 in each pass
 * @param item the item itself when it is a short text, a number or a path, else its class
 * @param reason what was thrown, in one line
 */
public record StageFailure(String stage, long index, String item, String reason) {}
