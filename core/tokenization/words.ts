import { foldRun, isStopWord, stem } from "./fold-term.js"
import { type Slice, splitRun } from "./word-parts.js"

/** Words, and terms, remembered at most; the longest of these words, and the size of the hash table over them. */
const wordsMax = 1 << 16
const wordUnitsMax = 40
const slots = 1 << 17

/**
 * An entry: the hash of its word, where its units start, the number of its term, and how many units there are with
 * what else is known; the last is 0 where there is none.
 */
const entrySize = 4
const stopFlag = 64
const partsFlag = 128
const unitsMask = stopFlag - 1
/** Behind the table: an entry for what is not remembered, good until the next look. */
const passing = slots * entrySize

/**
 * What is known of words, by their units: a vocabulary is small beside its text, so nearly every word is found here
 * without a string being made of it. An open hash table whose entries lie in one column, so that a look touches one
 * line of memory and the units. Takes no more when it is full.
 */
class WordTable {
  readonly entries = new Int32Array((slots + 1) * entrySize)
  /** Of the few words that fall into parts, by the places of their entries. */
  readonly parts = new Map<number, ReadonlyArray<Slice>>()
  #units = new Uint16Array(1 << 14)
  #unitCount = 0
  #size = 0

  get isFull(): boolean {
    return this.#size === wordsMax
  }

  /** The place of its entry, or of the free one where it belongs. */
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

  /** Folds and stems a run and notes what that gives. */
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

const isAt = (held: Uint16Array, from: number, units: Uint16Array, start: number, end: number): boolean => {
  for (let i = start, at = from; i < end; i++, at++) if (held[at] !== units[i]) return false
  return true
}

const words = new WordTable()
const codes = new Map<string, number>()
/** Terms by number, and their numbers. Nothing, the empty text, is number 0. */
let texts: Array<string> = [""]
const numbers = new Map<string, number>([["", 0]])

/** How many numbers of terms are given away. */
export const termCount = (): number => texts.length

/** The text of a term. */
export const termText = (term: number): string => texts[term] ?? ""

/** The number of a term: equal text has one number until `forgetWords`. */
export const termOf = (text: string): number => {
  const held = numbers.get(text)
  if (held !== undefined) return held
  numbers.set(text, texts.length)
  return texts.push(text) - 1
}

/** Empties what is full. Numbers of terms hold until then, so it belongs between two works, never into one. */
export const forgetWords = (): void => {
  if (!words.isFull && codes.size < wordsMax && texts.length < wordsMax) return
  words.clear()
  codes.clear()
  texts = [""]
  numbers.clear()
  numbers.set("", 0)
}

/** The term of a compound that is one code; these come again and again. */
export const codeTerm = (whole: string): number => {
  const held = codes.get(whole)
  if (held !== undefined) return held
  const folded = foldWord(whole)
  const term = termOf(isStopWord(folded) ? folded : stem(folded))
  if (codes.size < wordsMax) codes.set(whole, term)
  return term
}

/**
 * Where it stands what folding, stemming and parts give for a run of letters and numbers, given as its UTF-16 units
 * and their hash. Good until the next call.
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

/** The number of the term; 0 where nothing is left of the run. */
export const termAt = (at: number): number => words.entries[at + 2] ?? 0

export const isStopAt = (at: number): boolean => ((words.entries[at + 3] ?? 0) & stopFlag) !== 0

/** Where the run falls into parts, when it is a code or changes case. */
export const partsAt = (at: number): ReadonlyArray<Slice> | undefined =>
  ((words.entries[at + 3] ?? 0) & partsFlag) === 0 ? undefined : words.parts.get(at)

/** A string of its own: a slice would keep the whole text that it was cut from. */
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

/** The hash of no units; that of more of them is made by `hashedWith`, and ready with `hashed`. */
export const emptyHash = 0x811c9dc5 | 0
/** FNV-1a. */
export const hashedWith = (hash: number, unit: number): number => Math.imul(hash ^ unit, 0x01000193)
export const hashed = (hash: number): number => hash ^ (hash >>> 15)

/** Cuts the possessive and the English endings that an apostrophe ties on; the apostrophe itself goes. */
const foldWord = (raw: string): string => {
  const bare = raw.length <= wordUnitsMax ? raw.replace(/['\u2019\uff07](?:s|ll|re|ve|d|m)$/iu, "") : raw
  return foldRun(bare).replace(/'/gu, "")
}
