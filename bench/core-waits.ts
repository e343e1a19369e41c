import { existsSync, readFileSync } from "node:fs"

/** Linux counts how long a thread has waited for a core; the main thread has the number of the process. */
const schedule = `/proc/${process.pid}/task/${process.pid}/schedstat`

/** Whether this platform tells how long the main thread could have run and had no core. */
export const countsCoreWaits = existsSync(schedule)

/** So long, in milliseconds, it has waited for one since it began: what other programs take. 0 where nobody counts. */
export const coreWaitedMs = (): number =>
  countsCoreWaits ? Number(readFileSync(schedule, "utf8").split(" ")[1]) / 1e6 : 0
