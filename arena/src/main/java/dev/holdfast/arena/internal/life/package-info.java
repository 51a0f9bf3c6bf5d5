/**
 * Who still uses a unit's bytes: owners, scopes, holds, the ledger, and what happens at the end.
 */
@NullMarked
package dev.holdfast.arena.internal.life;

import org.jspecify.annotations.NullMarked;
