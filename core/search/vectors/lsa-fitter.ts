import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { type ServiceLayer, serviceLayer } from "../../platform/kernel/index.js"
import { fitLsa } from "./lsa.js"
import { encodeLsa } from "./lsa-artefact.js"
import type { VectorModel } from "./store.js"

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

/** Up to this number of live chunks the vectors always equal those of a fresh fit: every change requests one. */
const exactUntil = 5000

/**
 * Above it, folded-in chunks may amount to this share of the fitted ones; at half, the fused ranking was measured to
 * degrade.
 */
const driftShareMax = 0.2

/** Maximum share of unknown terms in new chunks; a judgement, not measured. */
const unknownShareMax = 0.2

/** Minimum share of new chunks for the unknown-term check, so that one unusual document does not trigger a fit. */
const unknownChunksShareMin = 0.02

/**
 * Whether the built-in model must be fitted again: `exactly` when the result must equal a fresh fit (which may be the
 * present model), `roughly` when any more recent model will do.
 */
export const needsFit = (
  active: Pick<VectorModel, "fittedChunks" | "drift"> | undefined,
  liveChunks: number
): "no" | "exactly" | "roughly" => {
  const exact = liveChunks <= exactUntil
  if (active === undefined) return exact ? "exactly" : "roughly"
  const { drift, fittedChunks } = active
  if (exact) return drift.chunks > 0 ? "exactly" : "no"
  const grown = drift.chunks > driftShareMax * fittedChunks
  const strange =
    drift.unknownTerms > unknownShareMax * drift.terms && drift.chunks >= unknownChunksShareMin * fittedChunks
  return grown || strange ? "roughly" : "no"
}
