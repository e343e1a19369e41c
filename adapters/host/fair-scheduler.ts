import * as Layer from "effect/Layer"
import * as Scheduler from "effect/Scheduler"

/** Turns (of about 2,000 steps) that our work may take before everything else in the process has its turn. */
const turnsInARow = 2

/**
 * Lets the rest of the process run while we work. Effect's own scheduler lets 2,048 turns pass before it gives way
 * to timers and sockets; as SQLite answers at once, that starved them for half a minute (measured: 3,000 new
 * documents), our own heartbeats among them.
 */
export const fairScheduler = Layer.setScheduler(new Scheduler.MixedScheduler(turnsInARow))
