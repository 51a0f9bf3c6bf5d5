package dev.holdfast.arena.internal.life;

import java.util.UUID;

/**
 * What a ticket knows of its unit.
 *
 * @param arenaId the arena's identity
 * @param unit the unit's number
 * @param span its bytes from the segment's start
 * @param key drawn when it was sealed, so that a ticket cannot be guessed
 */
public record TicketNumber(UUID arenaId, long unit, long span, long key) {}
