import { Worker } from "node:worker_threads"
import type { SlotLabels } from "./graph.js"
import type { BuildSession, BuildStart, PackedChanges } from "./graph-build.js"

/** Requests to the thread, one at a time. */
export type BuildRequest =
  | { readonly start: BuildStart }
  | { readonly change: PackedChanges }
  | { readonly finish: string }

/** Replies of the thread: `ready` once it has loaded, then one reply per request. */
export type BuildReply =
  | { readonly ready: true }
  | { readonly done: SlotLabels | null }
  | { readonly failed: string }

/** The built thread beside this file; null in sources, because Node 20 gives threads no loader for TypeScript. */
export const buildWorkerFile = import.meta.url.endsWith(".ts")
  ? null
  : new URL("./build-worker-main.js", import.meta.url)

/** Begins a build in a thread; null when no thread can be started. */
export const buildInThread = async (file: URL, start: BuildStart): Promise<BuildSession | null> => {
  const thread = startThread(file)
  if (thread === null || !(await thread.ready)) return null
  await thread.ask({ start })
  return {
    change: async (change) => {
      await thread.ask({ change }, [change.cells.buffer, change.labels.buffer])
    },
    finish: async (path) => (await thread.ask({ finish: path })) ?? noLabels,
    end: async () => void (await thread.worker.terminate())
  }
}

const noLabels: SlotLabels = { starts: new Int32Array(1), labels: new Int32Array() }

const startThread = (file: URL) => {
  let worker: Worker
  try {
    // Without the arguments of the process: some keep a thread from starting.
    worker = new Worker(file, { execArgv: [] })
  } catch {
    return null
  }
  let settle: {
    readonly done: (labels: SlotLabels | null) => void
    readonly failed: (why: Error) => void
  } | null = null
  let ended: Error | null = null
  const end = (error: Error) => {
    ended = error
    settle?.failed(error)
  }
  const ready = new Promise<boolean>((resolve) => {
    worker.on("message", (reply: BuildReply) => {
      if ("ready" in reply) resolve(true)
      else if ("failed" in reply) settle?.failed(new Error(reply.failed))
      else settle?.done(reply.done)
    })
    worker.on("error", (error) => {
      end(error instanceof Error ? error : new Error(String(error)))
      resolve(false)
    })
    worker.on("exit", (code) => {
      end(new Error(`The thread ended with code ${code}.`))
      resolve(false)
    })
  })
  const ask = (request: BuildRequest, transfer: ReadonlyArray<ArrayBufferLike> = []) =>
    new Promise<SlotLabels | null>((done, failed) => {
      if (ended !== null) return failed(ended)
      settle = { done, failed }
      worker.postMessage(
        request,
        transfer.filter((memory) => memory instanceof ArrayBuffer)
      )
    })
  return { worker, ready, ask }
}
