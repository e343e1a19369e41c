import { once } from "node:events"
import { dirname } from "node:path"
import { MessageChannel, receiveMessageOnPort, Worker } from "node:worker_threads"
import { z } from "zod"
import { isLong } from "./runs.js"

/** A command line, where it is run, in which environment, and its standard input. */
interface Asked {
  readonly args: ReadonlyArray<string>
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly input: string
}

const Ran = z.object({
  status: z.number().nullable(),
  stdout: z.string(),
  stderr: z.string(),
  ended: z.boolean().default(false)
})

/** A process that runs one command line of the built program after another. */
export interface OneProcess {
  /** Runs a command line and waits for its end, at most `timeoutMs`; the process is gone where it took longer. */
  readonly run: (asked: Asked, timeoutMs: number) => Omit<z.infer<typeof Ran>, "ended">
  readonly close: () => Promise<void>
}

/**
 * Starting a process costs ten times what a command on a small vault does. Each command line still has environment
 * and streams of its own, and in the long form its modules, too: to load them takes five times what a command does.
 * What a process is besides (signals, pipes, its end) is tried with real ones.
 *
 * @param command The built command.
 */
export const oneProcess = (command: string): OneProcess => {
  let started: ReturnType<typeof start> | undefined
  const start = () => {
    // One for each process: the end of the one before wakes nobody who asks the next.
    const done = new Int32Array(new SharedArrayBuffer(4))
    const { port1, port2 } = new MessageChannel()
    const worker = new Worker(new URL("./one-process-bridge.mjs", import.meta.url), {
      workerData: { done, folder: dirname(command), modules: isLong ? "anew" : "shared", port: port2 },
      transferList: [port2],
      execArgv: []
    })
    worker.unref()
    return { port: port1, worker, done }
  }
  const stop = async () => {
    const held = started
    started = undefined
    if (held === undefined) return
    held.worker.ref()
    const gone = once(held.worker, "exit")
    held.port.close()
    await gone
  }
  return {
    run: (asked, timeoutMs) => {
      started ??= start()
      Atomics.store(started.done, 0, 0)
      started.port.postMessage(asked)
      const waited = Atomics.wait(started.done, 0, 0, timeoutMs)
      const { ended, ...ran } = Ran.parse(
        receiveMessageOnPort(started.port)?.message ?? {
          status: null,
          stdout: "",
          stderr: waited,
          ended: true
        }
      )
      if (ended) void stop()
      return ran
    },
    close: stop
  }
}
