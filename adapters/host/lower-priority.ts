import { getPriority, setPriority } from "node:os"
import { isMainThread } from "node:worker_threads"

/** Increment of "nice": about a third of the time on a busy machine, so that the work is deferred but progresses. */
const steps = 5

/**
 * Lowers the priority of a thread or program for long background work. Linux has a priority per thread; elsewhere it
 * belongs to the whole process, and a thread leaves it unchanged.
 */
export const lowerPriority = (): void => {
  if (!isMainThread && process.platform !== "linux") return
  try {
    if (getPriority() < steps) setPriority(steps)
  } catch {
    // A host may forbid it; the work is the same.
  }
}
