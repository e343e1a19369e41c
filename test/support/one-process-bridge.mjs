// A thread that hands command lines to the process of `one-process-main.mjs`, while the thread that asks waits.
import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import { workerData } from "node:worker_threads"

const { done, folder, modules, port } = workerData
const child = fork(fileURLToPath(new URL("./one-process-main.mjs", import.meta.url)), [folder, modules], {
  execArgv: [],
  stdio: ["ignore", "pipe", "pipe", "ipc"]
})

/** Output of the process itself rather than of a command in it; there should be none. */
const unasked = []
for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece) => unasked.push(piece))

const answer = (ran) => {
  port.postMessage(ran)
  Atomics.store(done, 0, 1)
  Atomics.notify(done, 0)
}
child.on("message", answer)
child.on("exit", (status) =>
  answer({ status, stdout: "", stderr: Buffer.concat(unasked).toString("utf8"), ended: true })
)
port.on("message", (asked) => child.send(asked))
port.on("close", () => child.kill("SIGKILL"))
