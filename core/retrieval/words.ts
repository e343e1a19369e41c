import { foldRun, isStopWord, stem } from "./fold-term.js"
import { type Slice, splitRun } from "./word-parts.js"

/** A term as one object, equal for equal text while it is known: what counts terms needs no map of its own. */
export class Term {
  /** The batch that numbered it last, and its number there. */
  batch = 0
  slot = 0

  constructor(readonly text: string) {}
}

/** What a run of letters and numbers is to the index. */
interface Known {
  readonly term: Term
  readonly stop: boolean
  /** Where the run falls into parts, when it is a code or changes case. */
  readonly parts: ReadonlyArray<Slice> | null
}

/** Words remembered at most, the longest of them, and the size of the hash table over them. */
const wordsMax = 1 << 16
const wordUnitsMax = 40
const slots = 1 << 17

/**
 * What is known of words, by their units: a vocabulary is small beside its text, so nearly every word is found here
 * without a string being made of it. An open hash table over columns, emptied when it is full.
 */
class WordTable {
  /** The number of a word plus 1; 0 for none. */
  readonly #numbers = new Int32Array(slots)
  readonly #hashes = new Int32Array(wordsMax)
  /** The units of word n lie in [starts[n], starts[n + 1]). */
  readonly #starts = new Int32Array(wordsMax + 1)
  #units = new Uint16Array(1 << 14)
  #known: Array<Known> = []

  find(units: Uint16Array, start: number, end: number, hash: number): Known | undefined {
    for (let slot = hash & (slots - 1); ; slot = (slot + 1) & (slots - 1)) {
      const number = (this.#numbers[slot] ?? 0) - 1
      if (number < 0) return undefined
      if (this.#hashes[number] === hash && this.#isAt(number, units, start, end)) return this.#known[number]
    }
  }

  add(units: Uint16Array, start: number, end: number, hash: number, known: Known): void {
    if (this.#known.length === wordsMax) this.#clear()
    const number = this.#known.length
    const from = this.#starts[number] ?? 0
    const to = from + end - start
    if (to > this.#units.length) {
      const longer = new Uint16Array(this.#units.length * 2)
      longer.set(this.#units)
      this.#units = longer
    }
    this.#units.set(units.subarray(start, end), from)
    this.#starts[number + 1] = to
    this.#hashes[number] = hash
    this.#known.push(known)
    let slot = hash & (slots - 1)
    while (this.#numbers[slot] !== 0) slot = (slot + 1) & (slots - 1)
    this.#numbers[slot] = number + 1
  }

  #isAt(number: number, units: Uint16Array, start: number, end: number): boolean {
    const from = this.#starts[number] ?? 0
    if ((this.#starts[number + 1] ?? 0) - from !== end - start) return false
    for (let i = 0; i < end - start; i++) if (this.#units[from + i] !== units[start + i]) return false
    return true
  }

  #clear(): void {
    this.#numbers.fill(0)
    this.#known = []
  }
}

const words = new WordTable()
const terms = new Map<string, Term>()
const codes = new Map<string, Known>()

/** Folding, stemming and parts of a run. */
const know = (raw: string): Known => {
  const folded = foldWord(raw)
  const stop = isStopWord(folded)
  return { term: termOf(stop ? folded : stem(folded)), stop, parts: splitRun(raw) }
}

/** The same for a compound that is one code; these come again and again. */
export const knowCode = (whole: string): Known => {
  const held = codes.get(whole)
  if (held !== undefined) return held
  if (codes.size >= wordsMax) codes.clear()
  const known = know(whole)
  codes.set(whole, known)
  return known
}

/** What folding, stemming and parts give for a part of a text that is given as its UTF-16 units. */
export const knowUnits = (units: Uint16Array, start: number, end: number): Known => {
  if (end - start > wordUnitsMax) return know(textOf(units, start, end))
  const hash = hashOf(units, start, end)
  const held = words.find(units, start, end, hash)
  if (held !== undefined) return held
  const known = know(textOf(units, start, end))
  words.add(units, start, end, hash, known)
  return known
}

/** The one object for a term, as long as it is remembered. */
export const termOf = (text: string): Term => {
  const held = terms.get(text)
  if (held !== undefined) return held
  if (terms.size >= wordsMax) terms.clear()
  const term = new Term(text)
  terms.set(text, term)
  return term
}

/** A string of its own: a slice would keep the whole text that it was cut from. */
const textOf = (units: Uint16Array, start: number, end: number): string => {
  let text = ""
  for (let from = start; from < end; from += textUnitsAtOnce)
    text += String.fromCharCode(...units.subarray(from, Math.min(end, from + textUnitsAtOnce)))
  return text
}
const textUnitsAtOnce = 1 << 12

const hashOf = (units: Uint16Array, start: number, end: number): number => {
  let hash = 0x811c9dc5
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ (units[i] ?? 0), 0x01000193)
  return hash ^ (hash >>> 15)
}

/** Cuts the possessive and the English endings that an apostrophe ties on; the apostrophe itself goes. */
const foldWord = (raw: string): string => {
  const bare = raw.length <= wordUnitsMax ? raw.replace(/['\u2019\uff07](?:s|ll|re|ve|d|m)$/iu, "") : raw
  return foldRun(bare).replace(/'/gu, "")
}
