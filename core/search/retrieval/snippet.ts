import { analyseForIndex, type IndexToken } from "../../language/tokenization/index.js"

/** Approximate length of a snippet in UTF-16 units; it is cut at word boundaries. */
const snippetUnits = 240
/** Longer words may be cut. */
const wordUnitsMax = 40
/** Length of the part of a passage that is searched for the best window. */
const readUnitsMax = 20_000

/** Returns the beginning of a text on one line, from which snippets are cut. */
export const snippetLine = (text: string): string =>
  wholeCharacters(text, readUnitsMax)
    .replace(/\s{2,}|[^\S ]/gu, " ")
    .trim()

/**
 * Returns a function that cuts the snippet of one query out of lines that `snippetLine` made: the part with the densest
 * query terms, about 240 UTF-16 units, cut at word boundaries where possible, with `…` where text was omitted. Returns
 * the beginning when no term occurs. Never splits a character. `weights` gives the terms and their weights.
 */
export const snippetsFor = (weights: ReadonlyMap<string, number>): ((line: string) => string) => {
  const numbered = [...weights].map(([term, weight], number) => [term, { term: number, weight }] as const)
  const snippetTerms: SnippetTerms = { terms: new Map(numbered), heads: headsOf(weights) }
  return (line) => snippet(line, snippetTerms)
}

const snippet = (line: string, snippetTerms: SnippetTerms): string => {
  if (line.length <= snippetUnits) return line
  const { end, start } = bestWindow(hitsIn(line, snippetTerms))
  // The match is centred in the remaining space.
  const slack = Math.max(0, snippetUnits - (end - start))
  const to = Math.min(line.length, Math.max(start - Math.floor(slack / 2), 0) + snippetUnits)
  const from = Math.max(0, to - snippetUnits)
  const first = from === 0 ? 0 : wordStart(line, from, start)
  const last = to === line.length ? to : wordEnd(line, to, Math.max(end, first + 1))
  return `${first > 0 ? "…" : ""}${line.slice(first, last).trim()}${last < line.length ? "…" : ""}`
}

const wholeCharacters = (text: string, units: number): string =>
  text.slice(0, isLowSurrogate(text, units) ? units - 1 : units)

/** Returns the span with the highest term weight that fits into a snippet; repeated terms add little. */
const bestWindow = (hits: ReadonlyArray<Hit>): { readonly start: number; readonly end: number } => {
  const counts: Array<number> = []
  let [start, end, most] = [0, 0, 0]
  let score = 0
  let from = 0
  for (const hit of hits) {
    const count = counts[hit.term] ?? 0
    counts[hit.term] = count + 1
    score += hit.weight * (repeatShares[count] ?? leastShare)
    for (
      let oldest = hits[from];
      oldest !== undefined && hit.end - oldest.start > snippetUnits;
      oldest = hits[from]
    ) {
      const left = (counts[oldest.term] ?? 1) - 1
      counts[oldest.term] = left
      score -= oldest.weight * (repeatShares[left] ?? leastShare)
      from += 1
    }
    if (score > most + 1e-9) [start, end, most] = [hits[from]?.start ?? hit.start, hit.end, score]
  }
  return { start, end }
}

/**
 * Share of its weight that the n-th occurrence of a term adds: a quarter of the previous one, constant from the
 * fourth.
 */
const repeatShares = [1, 0.25, 0.25 ** 2, 0.25 ** 3]
const leastShare = 0.25 ** 4

interface Hit {
  readonly start: number
  readonly end: number
  /** Number of the term in the query. */
  readonly term: number
  readonly weight: number
}

/** The terms to highlight. */
interface SnippetTerms {
  readonly terms: ReadonlyMap<string, { readonly term: number; readonly weight: number }>
  readonly heads: Heads
}

/**
 * Possible beginnings of words whose stem is a query term: a stem differs from its words only in its last letter and
 * what follows. Grouped by first unit, in lower case.
 */
type Heads = ReadonlyArray<ReadonlyArray<string> | undefined>

const headsOf = (weights: ReadonlyMap<string, number>): Heads => {
  const heads = new Array<Array<string> | undefined>(128).fill(undefined)
  for (const term of weights.keys()) {
    const plain = /^[a-z0-9]+/u.exec(term)?.[0]
    if (plain === undefined) continue
    const head = plain.slice(0, Math.max(1, term.length - 1))
    const same = heads[head.charCodeAt(0)]
    if (same === undefined) heads[head.charCodeAt(0)] = [head]
    else same.push(head)
  }
  return heads
}

/**
 * Returns the first position from `from` on at which a matching word may start; words with non-English letters always
 * qualify. A lower-case letter starts a word after a non-letter, a capital also inside a word, a digit anywhere.
 */
const nextCandidate = (line: string, from: number, heads: Heads): number => {
  let isAfterLetter = from > 0 && kindOf(line.charCodeAt(from - 1)) > digit
  for (let at = from; at < line.length; at++) {
    const unit = line.charCodeAt(at)
    if (unit > 127) return at
    const kind = kinds[unit] ?? other
    if (kind === small && isAfterLetter) continue
    isAfterLetter = kind > digit
    if (kind === other) continue
    const after = heads[lower(unit)]
    if (after !== undefined && matchesHead(line, at, after)) return at
  }
  return -1
}

/** Kinds of units; letters are greater than digits. */
const [other, digit, capital, small] = [0, 1, 2, 3] as const

const kindOf = (unit: number): number =>
  unit >= 97 && unit <= 122
    ? small
    : unit >= 65 && unit <= 90
      ? capital
      : unit >= 48 && unit <= 57
        ? digit
        : other

const kinds = Uint8Array.from({ length: 128 }, (_, unit) => kindOf(unit))

/**
 * Whether one of the beginnings matches here. Apostrophes are skipped, and a non-English letter may fold to an English
 * one.
 */
const matchesHead = (line: string, at: number, heads: ReadonlyArray<string>): boolean => {
  for (const head of heads) {
    let same = 1
    while (same < head.length) {
      const unit = line.charCodeAt(at + same)
      if (unit > 127 || unit === 39) return true
      if (lower(unit) !== head.charCodeAt(same)) break
      same += 1
    }
    if (same === head.length) return true
  }
  return false
}

const lower = (unit: number): number => (unit >= 65 && unit <= 90 ? unit + 32 : unit)

/** Returns the positions of query terms among the candidate words. */
const hitsIn = (line: string, { heads, terms }: SnippetTerms): ReadonlyArray<Hit> => {
  const hits: Array<Hit> = []
  for (let at = nextCandidate(line, 0, heads); at >= 0; ) {
    const from = line.lastIndexOf(" ", at) + 1
    const space = line.indexOf(" ", at)
    const to = space < 0 ? line.length : space
    for (const { end, start, term } of tokensOf(line.slice(from, to))) {
      const found = terms.get(term)
      if (found !== undefined)
        hits.push({
          start: from + start,
          end: from + Math.min(end, start + snippetUnits),
          term: found.term,
          weight: found.weight
        })
    }
    at = nextCandidate(line, to, heads)
  }
  return hits
}

/** Caches analysed words: texts repeat few distinct words. */
const known = new Map<string, ReadonlyArray<IndexToken>>()
const knownMax = 1 << 14

const tokensOf = (word: string): ReadonlyArray<IndexToken> => {
  const cached = known.get(word)
  if (cached !== undefined) return cached
  const tokens = analyseForIndex(word)
  if (word.length <= wordUnitsMax) {
    if (known.size >= knownMax) known.clear()
    known.set(word, tokens)
  }
  return tokens
}

/** Returns the next word start, at most `limit`; `from` itself when the word is too long. */
const wordStart = (line: string, from: number, limit: number): number => {
  for (let at = from; at <= Math.min(limit, from + wordUnitsMax); at++) if (line[at - 1] === " ") return at
  return isLowSurrogate(line, from) || isMark(line, from) ? wholeStart(line, from) : from
}

/** Returns the last word end up to `to`, at least `limit`. */
const wordEnd = (line: string, to: number, limit: number): number => {
  for (let at = to; at >= Math.max(limit, to - wordUnitsMax); at--) if (line[at] === " ") return at
  let end = to
  while (end > 1 && end < line.length && (isLowSurrogate(line, end) || isMark(line, end)) && to - end < 8)
    end -= 1
  return end
}

const wholeStart = (line: string, from: number): number => {
  let start = from
  while (start < line.length && (isLowSurrogate(line, start) || isMark(line, start)) && start - from < 8)
    start += 1
  return start
}

const isLowSurrogate = (line: string, at: number): boolean => {
  const unit = line.charCodeAt(at)
  return unit >= 0xdc00 && unit <= 0xdfff
}

const isMark = (line: string, at: number): boolean => /^[\p{M}\u200d]/u.test(line.slice(at, at + 1))
