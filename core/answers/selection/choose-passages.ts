import type { Passage } from "../../files/documents/index.js"
import type { ReadText } from "../../language/text-analysis/index.js"
import { memoize } from "../../platform/caching/index.js"
import type { Evidence, EvidencePassage } from "../evidence/index.js"
import { amendingPassages } from "./amendments.js"
import { continuationOf } from "./answered-question.js"
import { scoredAnswer } from "./scored-answer.js"

/** Weight of the best unit; the rest is the rank in the pool. */
const unitShare = 0.8
/** Maximum number of chunks per document, unless nothing else is left. */
const perDocumentMax = 3
/** Passages with this Jaccard similarity of five-word shingles are duplicates. */
const duplicateShare = 0.9

/**
 * Selects the passages that answer best from a wider pool, best first: by their best unit and, with less weight, by
 * their rank in the pool. Drops near-duplicates and keeps at most three per document as long as others remain. Equal
 * scores keep the pool order. For a compound question, each part selects in turn.
 */
export const selectPassages = (pool: Evidence, max: number): ReadonlyArray<Passage> =>
  choosePassages(pool, max).map(({ passage }) => passage)

/** A selected passage with the reason for its rank. */
export interface ChosenPassage {
  readonly passage: Passage
  /** Score of its best statement beside the best of all, 0 to 1; 0 for one without a scored statement. */
  readonly unitScore: number
  /** The same combined with the rank in the pool: about 0 to 1, descending. */
  readonly worth: number
}

/** Returns the same with the scores; for a compound question, those of the part that selected the passage first. */
export const choosePassages = (pool: Evidence, max: number): ReadonlyArray<ChosenPassage> => {
  const { parts } = pool.question
  const ranked =
    parts.length === 0 ? rankedFor(pool) : inTurn(parts.map((question) => rankedFor({ ...pool, question })))
  const distinct = withContinuation(pool, spread(ranked, max))
  // A passage that amends a chosen one takes the place of the last.
  const sources = distinct.map(({ source }) => source)
  const amending = amendingPassages(pool.sources, sources)
    .slice(0, amendingMax)
    .map((source): Ranked => ({ source, unitScore: 0, worth: 0 }))
  return [...distinct.slice(0, Math.max(1, max - amending.length)), ...amending]
    .slice(0, max)
    .map(({ source, unitScore, worth }) => ({ passage: source.stored, unitScore, worth }))
}
/** Puts the passages in which the list of the best one goes on behind it, for a question that wants all of it. */
const withContinuation = (
  { question: { answerType }, sources }: Evidence,
  chosen: ReadonlyArray<Ranked>
): ReadonlyArray<Ranked> => {
  const [best, ...others] = chosen
  if (best === undefined || (answerType !== "procedure" && answerType !== "list")) return chosen
  if (best.source.units.at(-1)?.kind === "row") return chosen
  const next = continuationOf(sources, best.source)
  return [
    best,
    ...next.map((source): Ranked => ({ source, unitScore: 0, worth: best.worth })),
    ...others.filter(({ source }) => !next.includes(source))
  ]
}

/** Passages that are added because they amend a chosen one. */
const amendingMax = 2

interface Ranked extends Pick<ChosenPassage, "unitScore" | "worth"> {
  readonly source: EvidencePassage
}

/** Interleaves the rankings: the first of each, then the second, without repetition. */
const inTurn = (rankings: ReadonlyArray<ReadonlyArray<Ranked>>): ReadonlyArray<Ranked> => {
  const longest = Math.max(0, ...rankings.map(({ length }) => length))
  const places = Array.from({ length: longest }, (_, at) => at)
  const picks = places.flatMap((at) => rankings.flatMap((ranking) => ranking[at] ?? []))
  const seen = new Set<EvidencePassage>()
  return picks.filter(({ source }) => !seen.has(source) && seen.add(source))
}

const rankedFor = (pool: Evidence): ReadonlyArray<Ranked> => {
  const { statements } = scoredAnswer(pool)
  const top = statements[0]?.score ?? 0
  const best = new Map<EvidencePassage, number>()
  for (const { score, source } of statements)
    if (!best.has(source)) best.set(source, Math.exp((score - top) / scoreScale))
  return pool.sources
    .map((source) => {
      const unitScore = best.get(source) ?? 0
      const place = (1 - unitShare) / (1 + (source.rank - 1) / 10)
      return { source, unitScore, worth: unitShare * unitScore + place }
    })
    .sort((a, b) => b.worth - a.worth)
}
/** A score so much lower counts 1 / e as much. */
const scoreScale = 4

/** Returns the first `max` non-duplicates, with surplus passages of a document last; stops as early as possible. */
const spread = (sources: ReadonlyArray<Ranked>, max: number): ReadonlyArray<Ranked> => {
  const chosen: Array<Ranked> = []
  const surplus: Array<Ranked> = []
  const counts = new Map<string, number>()
  for (const one of sources) {
    if (chosen.length === max) break
    const { passage, read } = one.source
    if ([...chosen, ...surplus].some((other) => areDuplicates(read, other.source.read))) continue
    const count = counts.get(passage.documentId) ?? 0
    counts.set(passage.documentId, count + 1)
    ;(count < perDocumentMax ? chosen : surplus).push(one)
  }
  return [...chosen, ...surplus].slice(0, max)
}

/** Hashes are compared: a collision changes a share by far less than the margin. */
const areDuplicates = (a: ReadText, b: ReadText): boolean =>
  shareOfHashes(hashesOf(a), hashesOf(b)) >= duplicateShare - margin &&
  jaccard(shinglesOf(a.text), shinglesOf(b.text)) >= duplicateShare
const margin = 0.05

const wordsIn = (text: string): ReadonlyArray<string> => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

const shinglesOf = (text: string): ReadonlySet<string> => {
  const words = wordsIn(text)
  if (words.length < 5) return new Set([words.join(" ")])
  return new Set(words.slice(4).map((_, at) => words.slice(at, at + 5).join(" ")))
}

const jaccard = (a: ReadonlySet<string>, b: ReadonlySet<string>): number => {
  const [small, large] = a.size < b.size ? [a, b] : [b, a]
  let shared = 0
  for (const shingle of small) if (large.has(shingle)) shared += 1
  return shared / (a.size + b.size - shared)
}

/** Returns the distinct hashes of a text's shingles, ascending. */
const hashesOf = memoize(({ text }: ReadText): Int32Array => {
  const words = wordsIn(text).map(hashOf)
  const count = Math.max(1, words.length - 4)
  const hashes = new Int32Array(count)
  for (let at = 0; at < count; at += 1)
    for (let next = at; next < Math.min(at + 5, words.length); next += 1)
      hashes[at] = Math.imul(hashes[at] ?? 0, 0x01000193) ^ (words[next] ?? 0)
  hashes.sort()
  return hashes.filter((hash, at) => at === 0 || hash !== hashes[at - 1])
})

const hashOf = (word: string): number => {
  let hash = 0x811c9dc5 | 0
  for (let at = 0; at < word.length; at += 1) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193)
  return hash
}

/** Returns the Jaccard similarity of two ascending lists; 0 when their lengths alone exclude a high one. */
const shareOfHashes = (a: Int32Array, b: Int32Array): number => {
  if (Math.min(a.length, b.length) < (duplicateShare - margin) * Math.max(a.length, b.length)) return 0
  let [shared, left, right] = [0, 0, 0]
  while (left < a.length && right < b.length) {
    const [one, other] = [a[left] ?? 0, b[right] ?? 0]
    if (one === other) shared += 1
    if (one <= other) left += 1
    if (other <= one) right += 1
  }
  return shared / (a.length + b.length - shared)
}
