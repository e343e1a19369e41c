import type { VectorModel } from "./store.js"

/** Up to so many live chunks the vectors always equal those of a fresh build: every change asks for a new fit. */
const exactUntil = 5000

/** Above, folded-in chunks may make up a fifth of those fitted: at half, the fused ranking was measured to fall. */
const driftShareMax = 0.2

/** Terms of new chunks that the model may not know: a judgement, not measured. */
const unknownShareMax = 0.2

/** New chunks speak for unknown terms from this share of the fitted ones on, so that one odd document does not. */
const unknownChunksShareMin = 0.02

/**
 * Whether the built-in model must be learned anew: `exactly` when the result must equal a fresh build (which may
 * turn out to be the model that is there), `roughly` when any model that is nearer will do.
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
