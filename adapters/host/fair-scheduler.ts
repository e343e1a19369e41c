import * as Layer from "effect/Layer"
import * as Scheduler from "effect/Scheduler"

/** How long our work may go on, in milliseconds, before everything else in the process has its turn. */
const turnMs = 4

/** Tells whether the event loop has been kept from timers and sockets for a whole turn. */
const turn = () => {
  let startedAt = 0
  let isRunning = false
  return {
    isOver: (): boolean => {
      const now = performance.now()
      if (!isRunning) {
        isRunning = true
        startedAt = now
        // Comes when everybody else has had a turn.
        setImmediate(() => {
          isRunning = false
        })
      }
      return now - startedAt >= turnMs
    }
  }
}

/** Effect's own scheduler, save that it gives way by time: see `fairScheduler`. */
class FairScheduler extends Scheduler.MixedScheduler {
  readonly #turn = turn()
  readonly #runner = Scheduler.SchedulerRunner.cached((depth, drain) => {
    if (this.#turn.isOver()) setImmediate(() => drain(0))
    else queueMicrotask(() => drain(depth + 1))
  })

  override scheduleTask(...[task, priority, fiber]: Parameters<Scheduler.Scheduler["scheduleTask"]>): void {
    this.#runner(fiber).scheduleTask(task, priority)
  }
}

/**
 * Lets the rest of the process run while we work. Effect's own scheduler lets 2,048 turns pass before it gives way
 * to timers and sockets; as SQLite answers at once, that starved them for half a minute (measured: 3,000 new
 * documents), our own heartbeats among them. Ours gives way when some milliseconds are over, also when they were
 * spent in many short calls one after the other.
 */
export const fairScheduler = Layer.setScheduler(new FairScheduler(Number.POSITIVE_INFINITY))
