import type { AnchorField } from "../../language/text-analysis/index.js"
import type { Evidence, EvidencePassage, PreparedQuestion } from "../evidence/index.js"
import { coveredShare, heaviestMissingWord, rowOf } from "./coverage.js"
import { datedPagesOf } from "./dated-page.js"
import { headTextOf } from "./head-text.js"

/** A passage as the place of statements. */
export interface Place {
  readonly passage: number
  readonly missing: number
  readonly title: number
  readonly field: AnchorField
}

/** Returns each passage of the evidence as a place of statements. */
export const placesOf = (
  evidence: Evidence,
  prepared: PreparedQuestion
): ReadonlyMap<EvidencePassage, Place> => {
  const datedPages = datedPagesOf(evidence)
  return new Map(
    evidence.sources.map((source) => {
      const place = placeOf(evidence, prepared, source)
      const isAsked = datedPages.has(source.passage.documentId)
      return [source, isAsked ? { ...place, passage: 1, missing: 0, title: 1 } : place]
    })
  )
}

const placeOf = (evidence: Evidence, prepared: PreparedQuestion, source: EvidencePassage): Place => {
  const own = prepared.withImpliedTerms(rowOf(prepared, source.read), source.units)
  const head = rowOf(prepared, evidence.texts.read(headTextOf(source)))
  const at = (place: number) => Math.max(own[place] ?? 0, head[place] ?? 0)
  const title = rowOf(prepared, evidence.texts.read(source.passage.docTitle))
  return {
    passage: coveredShare(prepared, at),
    missing: heaviestMissingWord(prepared, at),
    title: coveredShare(prepared, (place) => title[place] ?? 0),
    field: source.read.under(headTextOf(source)).field
  }
}
