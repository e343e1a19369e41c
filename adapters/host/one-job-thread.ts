import { Worker } from "node:worker_threads"
import * as Effect from "effect/Effect"

/** The thread did not start, so nothing was done. */
export interface NoThread {
  readonly _tag: "NoThread"
  readonly reason: string
}

/** Replies of a one-job thread: first that it has loaded, then its result. */
export type OneJobReply<Result> = { readonly ready: true } | { readonly result: Result }

/**
 * Runs the program `file` in a thread that does one job and ends: `job` is its `workerData`, structured-cloned. Fails
 * with `NoThread` if the thread does not load and dies for any later error; interruption ends the thread.
 */
export const runInThread = <Result>(file: URL, job: unknown): Effect.Effect<Result, NoThread> =>
  Effect.async((resume) => {
    let ready = false
    const failed = (reason: unknown) =>
      resume(
        ready
          ? Effect.die(reason)
          : Effect.fail({
              _tag: "NoThread",
              reason: reason instanceof Error ? reason.message : String(reason)
            })
      )
    let worker: Worker
    try {
      // The arguments of the process are not passed on: some prevent a thread from starting.
      worker = new Worker(file, { workerData: job, execArgv: [] })
    } catch (error) {
      failed(error)
      return
    }
    worker.on("message", (reply: OneJobReply<Result>) => {
      if ("ready" in reply) ready = true
      else resume(Effect.succeed(reply.result))
    })
    worker.on("error", failed)
    worker.on("exit", (code) => failed(new Error(`The thread ended with code ${code}.`)))
    return Effect.promise(() => worker.terminate())
  })
