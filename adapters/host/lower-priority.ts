import { getPriority, setPriority } from "node:os"
import { isMainThread } from "node:worker_threads"

/** In steps of "nice": a third of the time where everything is busy, so that the work comes second and goes on. */
const steps = 5

/**
 * Lets others who want a core have it first: for a thread, or a program, that does long work and answers nobody. Linux
 * has a priority for each thread; elsewhere it is that of the whole process, which a thread leaves as it is.
 */
export const lowerPriority = (): void => {
  if (!isMainThread && process.platform !== "linux") return
  try {
    if (getPriority() < steps) setPriority(steps)
  } catch {
    // A host that forbids it has its reasons, and the work is the same.
  }
}
