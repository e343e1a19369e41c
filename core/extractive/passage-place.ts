import { memoize } from "../caching/index.js"
import { type Evidence, type EvidencePassage, namesOf, type PreparedQuestion } from "../evidence/index.js"
import type { AnchorField } from "../text-analysis/index.js"
import { missing, rowOf, share } from "./coverage.js"

/** A passage as the place of statements. */
export interface Place {
  readonly passage: number
  readonly missing: number
  readonly title: number
  readonly field: AnchorField
  /** Of the passage among all, by words or by vectors, whichever is better; 1 is the first. */
  readonly rank: number
}

/**
 * Returns the better of two ranks of each passage: by its score of words and by its cosine. Neighbours in the graph,
 * which move passages in the order of the evidence, say nothing of a single statement.
 */
export const ranksOf = ({ scores, sources }: Evidence): ReadonlyMap<EvidencePassage, number> => {
  const ranks = new Map(sources.map((source) => [source, scores.size === 0 ? source.rank : sources.length]))
  for (const kind of ["lexical", "cosine"] as const) {
    const scoreOf = ({ passage }: EvidencePassage) => scores.get(passage.id)?.[kind] ?? 0
    const found = sources.filter((source) => scoreOf(source) > 0).sort((a, b) => scoreOf(b) - scoreOf(a))
    for (const [at, source] of found.entries())
      ranks.set(source, Math.min(ranks.get(source) ?? Infinity, at + 1))
  }
  return ranks
}

/** Title, headings and path of a passage. */
export const headTextOf = memoize(
  ({ passage }: EvidencePassage): string =>
    `${passage.docTitle} | ${passage.headingPath.join(" | ")} | ${passage.docPath
      .replace(/\.(?:md|markdown|mdx)$/iu, "")
      .split("/")
      .slice(-2)
      .join(" | ")}`
)

export const placeOf = (
  evidence: Evidence,
  asking: PreparedQuestion,
  source: EvidencePassage,
  rank: number
): Place => {
  const own = rowOf(asking, source.read)
  const head = rowOf(asking, evidence.texts.read(headTextOf(source)))
  const at = (place: number) => Math.max(own[place] ?? 0, head[place] ?? 0)
  const title = rowOf(asking, evidence.texts.read(namesOf(evidence, source.passage.docTitle).join(" | ")))
  return {
    passage: share(asking, at),
    missing: missing(asking, at),
    title: share(asking, (place) => title[place] ?? 0),
    field: source.read.under(headTextOf(source)).field,
    rank
  }
}
