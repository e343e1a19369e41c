import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import { noServices, type ServiceLayer, serviceLayer } from "../../core/platform/kernel/index.js"
import { fitArtefact, LsaFitter } from "../../core/search/vectors/index.js"
import { runInThread } from "../host/one-job-thread.js"

/**
 * The built file beside this one; null when running from sources, because Node 20 has no TypeScript loader for
 * threads.
 */
const workerFile = import.meta.url.endsWith(".ts") ? null : new URL("./fit-worker-main.js", import.meta.url)

/**
 * Fits in a thread of its own, one per fit, so that the main thread stays free. When no thread can be started (a
 * bundle without the file, sources without a loader) it fits in place and logs that once.
 */
export const workerLsaFitter = (file: URL | null = workerFile): ServiceLayer<never> =>
  file === null ? noServices : fitterIn(file)

const fitterIn = (file: URL) =>
  serviceLayer(
    LsaFitter,
    Effect.map(Ref.make(false), (wasLogged) => ({
      fit: (texts) =>
        Effect.catchTag(runInThread<Uint8Array | null>(file, { texts }), "NoThread", ({ reason }) =>
          Effect.gen(function* () {
            if (!(yield* Ref.getAndSet(wasLogged, true))) {
              yield* Effect.logWarning(
                `The thread for the built-in vectors could not be started; they are fitted in the main thread. ${reason}`
              )
            }
            return fitArtefact(texts)
          })
        )
    }))
  )
