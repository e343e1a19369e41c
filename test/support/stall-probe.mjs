// Loaded into a server before its program: notes each time for which its main thread had the processor without turning
// its event loop. CPU time and not wall time, since a test may share its machine.
import { appendFileSync, readFileSync } from "node:fs"
import { isMainThread } from "node:worker_threads"

const file = process.env["KANON_TEST_STALLS"]
/** CPU time of the main thread in ms, as Linux counts it. */
const cpuMs = () =>
  Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ")[0]) / 1e6

if (file !== undefined && isMainThread && process.argv.includes("serve")) {
  let before = cpuMs()
  setInterval(() => {
    const stall = cpuMs() - before
    if (stall >= 25) appendFileSync(file, `${Math.round(stall)}\n`)
    before = cpuMs()
  }, 5).unref()
}
