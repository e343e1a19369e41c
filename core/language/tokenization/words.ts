import { foldRun, isStopWord, setStems, stem } from "./fold-term.js"
import { type Slice, splitRun } from "./word-parts.js"

/** Maximum number of cached words and terms, maximum length of a cached word, and size of the hash table. */
const wordsMax = 1 << 16
const wordUnitsMax = 40
const slots = 1 << 17

/**
 * Layout of an entry: hash of the word, offset of its units, term number, and length with flags; the last is 0 for a
 * free entry.
 */
const entrySize = 4
const stopFlag = 64
const partsFlag = 128
const unitsMask = stopFlag - 1
/** The entry after the table holds the result for a word that is not cached, valid until the next look-up. */
const passing = slots * entrySize

/**
 * A cache of analysed words by their UTF-16 units. A vocabulary is small compared with its text, so nearly every word
 * is found without allocating a string. An open hash table with entries in one column, so that a look-up touches one
 * cache line and the units. Stops growing when it is full.
 */
class WordTable {
  readonly entries = new Int32Array((slots + 1) * entrySize)
  /** Parts of the few compound words, by entry index. */
  readonly parts = new Map<number, ReadonlyArray<Slice>>()
  #units = new Uint16Array(1 << 14)
  #unitCount = 0
  #size = 0

  get isFull(): boolean {
    return this.#size === wordsMax
  }

  /** Returns the index of the word's entry, or of the free one for it. */
  find(units: Uint16Array, start: number, end: number, hash: number): number {
    const entries = this.entries
    for (let at = (hash & (slots - 1)) * entrySize; ; at = (at + entrySize) & (passing - 1)) {
      const length = (entries[at + 3] ?? 0) & unitsMask
      if (length === 0) return at
      if (entries[at] !== hash || length !== end - start) continue
      if (isAt(this.#units, entries[at + 1] ?? 0, units, start, end)) return at
    }
  }

  /** Fills the entry. */
  add(at: number, units: Uint16Array, start: number, end: number, hash: number, raw: string): void {
    const from = this.#unitCount
    this.#unitCount += end - start
    if (this.#unitCount > this.#units.length) {
      const longer = new Uint16Array(this.#units.length * 2)
      longer.set(this.#units)
      this.#units = longer
    }
    this.#units.set(units.subarray(start, end), from)
    this.#size += 1
    this.entries[at] = hash
    this.entries[at + 1] = from
    this.note(at, raw, end - start)
  }

  /** Folds and stems a run and stores the result. */
  note(at: number, raw: string, length: number): void {
    const folded = foldWord(raw)
    const stop = isStopWord(folded)
    const parts = splitRun(raw)
    if (parts !== null) this.parts.set(at, parts)
    this.entries[at + 2] = termOf(stop ? folded : stem(folded))
    this.entries[at + 3] = length | (stop ? stopFlag : 0) | (parts === null ? 0 : partsFlag)
  }

  clear(): void {
    this.entries.fill(0)
    this.parts.clear()
    this.#unitCount = 0
    this.#size = 0
  }
}

const isAt = (stored: Uint16Array, from: number, units: Uint16Array, start: number, end: number): boolean => {
  for (let i = start, at = from; i < end; i++, at++) if (stored[at] !== units[i]) return false
  return true
}

const words = new WordTable()
const codes = new Map<string, number>()
/** Terms by number, and numbers by term. The empty text has number 0. */
let texts: Array<string> = [""]
const numbers = new Map<string, number>([["", 0]])

/** Returns how many term numbers are assigned. */
export const termCount = (): number => texts.length

/** The text of a term. */
export const termText = (term: number): string => texts[term] ?? ""

/** Returns the number of a term: stable until `forgetWords`. */
export const termOf = (text: string): number => {
  const cached = numbers.get(text)
  if (cached !== undefined) return cached
  numbers.set(text, texts.length)
  return texts.push(text) - 1
}

/** Clears full tables. Term numbers become invalid, so call it only between analyses. */
export const forgetWords = (): void => {
  if (words.isFull || codes.size >= wordsMax || texts.length >= wordsMax) clearWords()
}

/**
 * Turns stemming on or off for the whole process, for measurements. An index is read with the setting that it was
 * written with, and threads have a setting of their own, so no workspace that is kept may be open.
 */
export const setStemming = (on: boolean): void => {
  setStems(on)
  clearWords()
}

const clearWords = (): void => {
  words.clear()
  codes.clear()
  texts = [""]
  numbers.clear()
  numbers.set("", 0)
}

/** Returns the term of a compound that is one code, cached because codes repeat. */
export const codeTerm = (whole: string): number => {
  const cached = codes.get(whole)
  if (cached !== undefined) return cached
  const folded = foldWord(whole)
  const term = termOf(isStopWord(folded) ? folded : stem(folded))
  if (codes.size < wordsMax) codes.set(whole, term)
  return term
}

/**
 * Returns the entry index with folding, stem and parts of a run, given as UTF-16 units and their hash. Valid until the
 * next call.
 */
export const knowUnits = (units: Uint16Array, start: number, end: number, hash: number): number => {
  if (end - start <= wordUnitsMax) {
    const at = words.find(units, start, end, hash)
    if (words.entries[at + 3] !== 0) return at
    if (!words.isFull) {
      words.add(at, units, start, end, hash, textOf(units, start, end))
      return at
    }
  }
  words.note(passing, textOf(units, start, end), 1)
  return passing
}

/** Returns the term number; 0 when nothing is left of the run. */
export const termAt = (at: number): number => words.entries[at + 2] ?? 0

export const isStopAt = (at: number): boolean => ((words.entries[at + 3] ?? 0) & stopFlag) !== 0

/** Returns the parts of the run when it is a code or changes case. */
export const partsAt = (at: number): ReadonlyArray<Slice> | undefined =>
  ((words.entries[at + 3] ?? 0) & partsFlag) === 0 ? undefined : words.parts.get(at)

/** Copies the string: a slice would keep the whole source text alive. */
const textOf = (units: Uint16Array, start: number, end: number): string => {
  let text = ""
  for (let from = start; from < end; from += textUnitsAtOnce)
    text += Reflect.apply(
      String.fromCharCode,
      null,
      units.subarray(from, Math.min(end, from + textUnitsAtOnce))
    )
  return text
}
const textUnitsAtOnce = 1 << 12

/** Hash of no units; extended by `hashedWith`, finished by `hashed`. */
export const emptyHash = 0x811c9dc5 | 0
/** FNV-1a. */
export const hashedWith = (hash: number, unit: number): number => Math.imul(hash ^ unit, 0x01000193)
export const hashed = (hash: number): number => hash ^ (hash >>> 15)

/** Removes possessives and English contractions after an apostrophe, and the apostrophe itself. */
const foldWord = (raw: string): string => {
  const bare = raw.length <= wordUnitsMax ? raw.replace(/['\u2019\uff07](?:s|ll|re|ve|d|m)$/iu, "") : raw
  return foldRun(bare).replace(/'/gu, "")
}
