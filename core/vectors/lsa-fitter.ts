import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { type ServiceLayer, serviceLayer } from "../kernel/index.js"
import { fitLsa } from "./lsa.js"
import { encodeLsa } from "./lsa-artefact.js"

/** Fits the built-in model: seconds of arithmetic, which a host should keep off its main loop. */
export class LsaFitter extends Context.Tag("kanon/LsaFitter")<
  LsaFitter,
  {
    /** The artefact for these indexed texts, equal bytes for equal texts in equal order; null as `fitLsa`. */
    readonly fit: (texts: ReadonlyArray<string>) => Effect.Effect<Uint8Array | null>
  }
>() {}

/** What every fitter computes. */
export const fitArtefact = (texts: ReadonlyArray<string>): Uint8Array | null => {
  const model = fitLsa(texts)
  return model === null ? null : encodeLsa(model)
}

/** Fits where it is called; nothing else runs meanwhile. */
export const inProcessLsaFitter: ServiceLayer<LsaFitter> = serviceLayer(
  LsaFitter,
  Effect.succeed({ fit: (texts: ReadonlyArray<string>) => Effect.sync(() => fitArtefact(texts)) })
)
