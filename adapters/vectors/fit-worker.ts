import { Worker } from "node:worker_threads"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import { fitArtefact, inProcessLsaFitter, LsaFitter } from "../../core/retrieval/index.js"

/** What the worker says: first that it has loaded, then the artefact. */
export type FitReply = { readonly ready: true } | { readonly artefact: Uint8Array | null }

/** Beside this file once it is built; sources have no thread, since Node 20 gives threads no loader for TypeScript. */
const besides = import.meta.url.endsWith(".ts") ? null : new URL("./fit-worker-main.js", import.meta.url)

/**
 * Fits in a thread of its own, one per fit, so that the main loop stays free. Where no thread can be started (a
 * bundle without the file, sources without a loader) it fits in place and says so once.
 */
export const workerLsaFitter = (file: URL | null = besides): Layer.Layer<LsaFitter> =>
  file === null ? inProcessLsaFitter : fitterIn(file)

const fitterIn = (file: URL): Layer.Layer<LsaFitter> =>
  Layer.effect(
    LsaFitter,
    Effect.map(Ref.make(false), (told) => ({
      fit: (texts) =>
        Effect.catchTag(fitInWorker(file, texts), "NoWorker", ({ reason }) =>
          Effect.gen(function* () {
            if (!(yield* Ref.getAndSet(told, true))) {
              yield* Effect.logWarning(
                `No thread to fit the built-in vectors in; they are fitted in place. ${reason}`
              )
            }
            return fitArtefact(texts)
          })
        )
    }))
  )

/** The thread did not start, so nothing was computed. */
interface NoWorker {
  readonly _tag: "NoWorker"
  readonly reason: string
}

const fitInWorker = (file: URL, texts: ReadonlyArray<string>): Effect.Effect<Uint8Array | null, NoWorker> =>
  Effect.async((resume) => {
    let ready = false
    const failed = (reason: unknown) =>
      resume(
        ready
          ? Effect.die(reason)
          : Effect.fail({
              _tag: "NoWorker",
              reason: reason instanceof Error ? reason.message : String(reason)
            })
      )
    let worker: Worker
    try {
      // Arguments of the process itself are not the thread's: some make it refuse to start.
      worker = new Worker(file, { workerData: { texts }, execArgv: [] })
    } catch (error) {
      failed(error)
      return
    }
    worker.on("message", (reply: FitReply) => {
      if ("ready" in reply) ready = true
      else resume(Effect.succeed(reply.artefact))
    })
    worker.on("error", failed)
    worker.on("exit", (code) => failed(new Error(`The thread ended with code ${code}.`)))
    return Effect.promise(() => worker.terminate())
  })
