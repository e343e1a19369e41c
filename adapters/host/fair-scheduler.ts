import * as Layer from "effect/Layer"
import * as Scheduler from "effect/Scheduler"

/** Turns (of about 2,000 steps) that our work may take before everything else in the process has its turn. */
const turnsInARow = 2
/** As Effect has it. */
const stepsInATurn = 2048

const runnerOf = Scheduler.SchedulerRunner.cached((turn, drain) => {
  if (turn < turnsInARow) Promise.resolve().then(() => drain(turn + 1))
  else setImmediate(() => drain(0))
})

/**
 * Lets the rest of the process run while we work. Effect's own scheduler lets 2,048 turns pass before it gives way
 * to timers and sockets; as SQLite answers at once, that starved them for half a minute (measured: 3,000 new
 * documents), our own heartbeats among them. It also gives way by a timer, which comes back after a millisecond at
 * the soonest: seven of these were most of the time that one new document took. `setImmediate` comes back when all
 * that was due has had its turn.
 */
export const fairScheduler = Layer.setScheduler(
  Scheduler.make(
    (task, priority, fiber) => runnerOf(fiber).scheduleTask(task, priority),
    // Asked at every step: Effect's own answer looks two settings up, which nobody changes.
    (fiber) => fiber.currentOpCount > stepsInATurn && Scheduler.defaultShouldYield(fiber)
  )
)
