import type { Passage } from "../documents/index.js"
import type { Evidence, EvidencePassage } from "./evidence.js"
import { scoreUnits } from "./score.js"

/** What the best unit counts; the rest is the place in the pool. */
const unitShare = 0.8
/** More chunks of one document only when there is nothing else. */
const perDocumentMax = 3
/** Two passages that share this much of their five-word shingles are one (Jaccard). */
const duplicateShare = 0.9

/**
 * Picks the passages that answer best out of a wider pool, best first: by their best unit as an answer and, with a
 * smaller share, by their place in the pool; near-duplicates dropped, at most three a document as long as others
 * remain. Equal scores keep the order of the pool. Of a question that puts several at once, each picks in turn.
 */
export const selectPassages = (pool: Evidence, max: number): ReadonlyArray<Passage> => {
  const { parts } = pool.question
  const ranked =
    parts.length === 0 ? rankedFor(pool) : inTurn(parts.map((question) => rankedFor({ ...pool, question })))
  return spread(withoutDuplicates(ranked), max).map(({ passage }) => passage)
}

/** The first of each, then the second of each, and so on; none twice. */
const inTurn = (rankings: ReadonlyArray<ReadonlyArray<EvidencePassage>>): ReadonlyArray<EvidencePassage> => {
  const longest = Math.max(0, ...rankings.map(({ length }) => length))
  const places = Array.from({ length: longest }, (_, at) => at)
  return [...new Set(places.flatMap((at) => rankings.flatMap((ranking) => ranking[at] ?? [])))]
}

const rankedFor = (pool: Evidence): ReadonlyArray<EvidencePassage> => {
  const best = new Map<EvidencePassage, number>()
  for (const { score, source } of scoreUnits(pool)) best.set(source, Math.max(best.get(source) ?? 0, score))
  const top = Math.max(1e-9, ...best.values())
  return pool.sources
    .map((source) => ({
      source,
      score: unitShare * ((best.get(source) ?? 0) / top) + (1 - unitShare) / (1 + (source.rank - 1) / 10)
    }))
    .sort((a, b) => b.score - a.score)
    .map(({ source }) => source)
}

const withoutDuplicates = (sources: ReadonlyArray<EvidencePassage>): ReadonlyArray<EvidencePassage> => {
  const kept: Array<{ readonly source: EvidencePassage; readonly shingles: ReadonlySet<string> }> = []
  for (const source of sources) {
    const shingles = shinglesOf(source.text)
    if (!kept.some((other) => jaccard(other.shingles, shingles) >= duplicateShare))
      kept.push({ source, shingles })
  }
  return kept.map(({ source }) => source)
}

const shinglesOf = (text: string): ReadonlySet<string> => {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  if (words.length < 5) return new Set([words.join(" ")])
  return new Set(words.slice(4).map((_, at) => words.slice(at, at + 5).join(" ")))
}

const jaccard = (a: ReadonlySet<string>, b: ReadonlySet<string>): number => {
  const [small, large] = a.size < b.size ? [a, b] : [b, a]
  if (small.size < duplicateShare * large.size) return 0
  let shared = 0
  for (const shingle of small) if (large.has(shingle)) shared += 1
  return shared / (a.size + b.size - shared)
}

const spread = (sources: ReadonlyArray<EvidencePassage>, max: number): ReadonlyArray<EvidencePassage> => {
  const taken: Array<EvidencePassage> = []
  const held: Array<EvidencePassage> = []
  const counts = new Map<string, number>()
  for (const source of sources) {
    const count = counts.get(source.passage.documentId) ?? 0
    counts.set(source.passage.documentId, count + 1)
    ;(count < perDocumentMax ? taken : held).push(source)
  }
  return [...taken, ...held].slice(0, max)
}
