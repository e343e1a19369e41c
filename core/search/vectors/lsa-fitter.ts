import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { fitLsa } from "./lsa.js"
import { encodeLsa } from "./lsa-artefact.js"
import type { VectorModel } from "./store.js"

/**
 * Fits the built-in model: seconds of arithmetic, which a host should run off its main thread. Default: in the calling
 * thread, which it blocks.
 */
export class LsaFitter extends Context.Reference<LsaFitter>()("kanon/LsaFitter", {
  defaultValue: () => ({
    /** Returns the artefact for these texts, equal bytes for equal texts in equal order; null as `fitLsa`. */
    fit: (texts: ReadonlyArray<string>): Effect.Effect<Uint8Array | null> =>
      Effect.sync(() => fitArtefact(texts))
  })
}) {}

/** The computation of every fitter. */
export const fitArtefact = (texts: ReadonlyArray<string>): Uint8Array | null => {
  const model = fitLsa(texts)
  return model === null ? null : encodeLsa(model)
}

/**
 * Up to this number of live chunks every change asks for a fit, which takes about 0.1 s of CPU time there. A model of so
 * few chunks drifts at once.
 */
const exactUntil = 100

/**
 * Above it, folded-in and removed chunks may amount to this share of the fitted ones. Measured on five collections that
 * grew from half to whole: the fused nDCG@10 is then at most 0.005 below that of a new fit, at 14 % up to 0.007.
 */
const driftShareMax = 0.1

/** From this number of live chunks on a new fit, which makes all vectors again, comes half as often. */
const largeFrom = 5000
const largeDriftShareMax = 0.2

/** Maximum share of unknown terms in new chunks; a judgement, not measured. */
const unknownShareMax = 0.2

/** Minimum share of new chunks for the unknown-term check, so that a few unusual documents do not trigger a fit. */
const unknownChunksShareMin = 0.05

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
  const shareMax = liveChunks < largeFrom ? driftShareMax : largeDriftShareMax
  const grown = drift.chunks > shareMax * fittedChunks
  const strange =
    drift.unknownTerms > unknownShareMax * drift.terms && drift.chunks >= unknownChunksShareMin * fittedChunks
  return grown || strange ? "roughly" : "no"
}
