import { analyseForIndex } from "./analyse.js"

/** Characters of a snippet, about: it is cut at words. */
const snippetUnits = 240
/** A word that is longer than this may be cut. */
const wordUnitsMax = 40
/** Most of a passage that is looked through for the best window. */
const readUnitsMax = 20_000

/**
 * The part of a plain text where the terms of a query stand densest, about 240 UTF-16 units, on one line, cut at
 * words where there are any, with `…` where something was left out. The beginning when no term occurs. Never
 * tears a character. `weights` gives the terms and how much each counts.
 */
export const snippetOf = (text: string, weights: ReadonlyMap<string, number>): string =>
  snippetsFor(weights)(text)

/** The same for many texts and one query. */
export const snippetsFor = (weights: ReadonlyMap<string, number>): ((text: string) => string) => {
  const candidate = candidatesFor(weights)
  return (text) => snippet(text, weights, candidate)
}

const snippet = (text: string, weights: ReadonlyMap<string, number>, candidate: RegExp): string => {
  const line = wholeCharacters(text, readUnitsMax)
    .replace(/\s{2,}|[^\S ]/gu, " ")
    .trim()
  if (line.length <= snippetUnits) return line
  const { end, start } = bestWindow(hitsIn(line, weights, candidate))
  // The match stands in the middle of what is left around it.
  const slack = Math.max(0, snippetUnits - (end - start))
  const to = Math.min(line.length, Math.max(start - Math.floor(slack / 2), 0) + snippetUnits)
  const from = Math.max(0, to - snippetUnits)
  const first = from === 0 ? 0 : wordStart(line, from, start)
  const last = to === line.length ? to : wordEnd(line, to, Math.max(end, first + 1))
  return `${first > 0 ? "…" : ""}${line.slice(first, last).trim()}${last < line.length ? "…" : ""}`
}

const wholeCharacters = (text: string, units: number): string =>
  text.slice(0, isLowSurrogate(text, units) ? units - 1 : units)

/** The span whose terms weigh most and fit into a snippet; a term said again adds little. */
const bestWindow = (hits: ReadonlyArray<Hit>): { readonly start: number; readonly end: number } => {
  const counts = new Map<string, number>()
  let best = { start: 0, end: 0, score: 0 }
  let score = 0
  let from = 0
  for (const hit of hits) {
    const count = counts.get(hit.term) ?? 0
    counts.set(hit.term, count + 1)
    score += hit.weight * repeatShare ** Math.min(count, 4)
    for (
      let oldest = hits[from];
      oldest !== undefined && hit.end - oldest.start > snippetUnits;
      oldest = hits[from]
    ) {
      const left = (counts.get(oldest.term) ?? 1) - 1
      counts.set(oldest.term, left)
      score -= oldest.weight * repeatShare ** Math.min(left, 4)
      from += 1
    }
    if (score > best.score + 1e-9) best = { start: hits[from]?.start ?? hit.start, end: hit.end, score }
  }
  return best
}

const repeatShare = 0.25

interface Hit {
  readonly start: number
  readonly end: number
  readonly term: string
  readonly weight: number
}

/**
 * Finds the words that may give one of the terms: a stem differs from its words in nothing but its last letter
 * and what follows, and words with other letters than English ones are always tried.
 */
const candidatesFor = (weights: ReadonlyMap<string, number>): RegExp => {
  const heads = [...weights.keys()].filter((term) => /^[a-z0-9]/u.test(term)).map(headPattern)
  return new RegExp(["[^\\0-\\x7f]", ...new Set(heads)].join("|"), "gu")
}

/** Where the terms stand in the words that are candidates. */
const hitsIn = (
  line: string,
  weights: ReadonlyMap<string, number>,
  candidate: RegExp
): ReadonlyArray<Hit> => {
  const hits: Array<Hit> = []
  candidate.lastIndex = 0
  for (let found = candidate.exec(line); found !== null; found = candidate.exec(line)) {
    const from = line.lastIndexOf(" ", found.index) + 1
    const space = line.indexOf(" ", found.index)
    const to = space < 0 ? line.length : space
    for (const { end, start, term } of analyseForIndex(line.slice(from, to))) {
      const weight = weights.get(term)
      if (weight !== undefined)
        hits.push({ start: from + start, end: from + Math.min(end, start + snippetUnits), term, weight })
    }
    candidate.lastIndex = to
  }
  return hits
}

/** The first letters of a term's words, at the start of a word or as a capital inside one; digits anywhere. */
const headPattern = (term: string): string => {
  const head = (/^[a-z0-9]*/u.exec(term)?.[0] ?? "").slice(0, Math.max(1, Math.min(3, term.length - 1)))
  const [first = "", ...rest] = head
  const start = /\d/u.test(first) ? first : `(?:(?<![A-Za-z])${first}|${first.toUpperCase()})`
  return start + rest.map((unit) => (/\d/u.test(unit) ? unit : `[${unit}${unit.toUpperCase()}]`)).join("")
}

/** The next start of a word from here on, but not behind `limit`; here, when the word is too long to wait for. */
const wordStart = (line: string, from: number, limit: number): number => {
  for (let at = from; at <= Math.min(limit, from + wordUnitsMax); at++) if (line[at - 1] === " ") return at
  return isLowSurrogate(line, from) || isMark(line, from) ? wholeStart(line, from) : from
}

/** The last end of a word up to here, but not before `limit`. */
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
