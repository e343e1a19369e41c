import type { AnchorField } from "../../language/text-analysis/index.js"
import { type Evidence, type EvidencePassage, namesOf, type PreparedQuestion } from "../evidence/index.js"
import { coveredShare, heaviestMissingWord, rowOf } from "./coverage.js"
import { datedPagesOf } from "./dated-page.js"
import { headTextOf } from "./head-text.js"

/** A passage as the place of statements. */
export interface Place {
  readonly passage: number
  readonly missing: number
  readonly title: number
  readonly field: AnchorField
  /** Rank of the passage among all by words or by vectors, whichever is better; 1 is the best. */
  readonly rank: number
}

/**
 * Returns each passage of the evidence as a place of statements. Its rank is the better of two: by its score of words
 * and by its cosine. Neighbours in the graph, which move passages in the order of the evidence, say nothing of a
 * single statement. Where nobody searched, the share of the question's words decides.
 */
export const placesOf = (
  evidence: Evidence,
  prepared: PreparedQuestion
): ReadonlyMap<EvidencePassage, Place> => {
  const { scores, sources } = evidence
  const places = sources.map((source) => ({ source, ...placeOf(evidence, prepared, source) }))
  const ranks = new Map<EvidencePassage, number>()
  const rankBy = (scoreOf: (place: (typeof places)[number]) => number) => {
    const found = places.filter((place) => scoreOf(place) > 0).sort((a, b) => scoreOf(b) - scoreOf(a))
    for (const [at, { source }] of found.entries())
      ranks.set(source, Math.min(ranks.get(source) ?? sources.length, at + 1))
  }
  if (scores.size === 0) rankBy(({ passage }) => passage)
  for (const kind of ["lexical", "cosine"] as const)
    rankBy(({ source }) => scores.get(source.passage.id)?.[kind] ?? 0)
  const datedPages = datedPagesOf(evidence)
  return new Map(
    places.map(({ source, ...place }) => [
      source,
      datedPages.has(source.passage.documentId)
        ? { ...place, passage: 1, missing: 0, title: 1, rank: 1 }
        : { ...place, rank: ranks.get(source) ?? sources.length }
    ])
  )
}

const placeOf = (
  evidence: Evidence,
  prepared: PreparedQuestion,
  source: EvidencePassage
): Omit<Place, "rank"> => {
  const own = prepared.withImpliedTerms(rowOf(prepared, source.read), source.units)
  const head = rowOf(prepared, evidence.texts.read(headTextOf(source)))
  const at = (place: number) => Math.max(own[place] ?? 0, head[place] ?? 0)
  const title = rowOf(prepared, evidence.texts.read(namesOf(evidence, source.passage.docTitle).join(" | ")))
  return {
    passage: coveredShare(prepared, at),
    missing: heaviestMissingWord(prepared, at),
    title: coveredShare(prepared, (place) => title[place] ?? 0),
    field: source.read.under(headTextOf(source)).field
  }
}
