import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { type ServiceLayer, serviceLayer } from "../kernel/index.js"
import { fitLsa } from "./lsa.js"
import { encodeLsa } from "./lsa-artefact.js"

/** Fits the built-in model: seconds of arithmetic, which a host should run off its main thread. */
export class LsaFitter extends Context.Tag("kanon/LsaFitter")<
  LsaFitter,
  {
    /** Returns the artefact for these texts, equal bytes for equal texts in equal order; null as `fitLsa`. */
    readonly fit: (texts: ReadonlyArray<string>) => Effect.Effect<Uint8Array | null>
  }
>() {}

/** The computation of every fitter. */
export const fitArtefact = (texts: ReadonlyArray<string>): Uint8Array | null => {
  const model = fitLsa(texts)
  return model === null ? null : encodeLsa(model)
}

/** Fits in the calling thread and blocks it. */
export const inProcessLsaFitter: ServiceLayer<LsaFitter> = serviceLayer(
  LsaFitter,
  Effect.succeed({ fit: (texts: ReadonlyArray<string>) => Effect.sync(() => fitArtefact(texts)) })
)
