import * as Layer from "effect/Layer"
import * as Scheduler from "effect/Scheduler"

/** Number of 2,048-step turns before timers and sockets run. */
const turnsInARow = 2
const runnerOf = Scheduler.SchedulerRunner.cached((turn, drain) => {
  if (turn < turnsInARow) Promise.resolve().then(() => drain(turn + 1))
  else setImmediate(() => drain(0))
})

/**
 * A scheduler that lets timers and sockets run between turns. Effect's own scheduler gives way after 2,048 turns;
 * because SQLite answers synchronously, that starved heartbeats for half a minute while 3,000 documents were created.
 * It also gives way with a timer of at least one millisecond, where `setImmediate` returns as soon as all that was due
 * has run.
 */
export const fairScheduler = Layer.setScheduler(
  Scheduler.make(
    (task, priority, fiber) => runnerOf(fiber).scheduleTask(task, priority),
    Scheduler.defaultShouldYield
  )
)
