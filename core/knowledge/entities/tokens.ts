import { foldCase, normalForm } from "../../platform/kernel/index.js"
import { WordReader } from "./word-reader.js"

/**
 * A text split for name comparison: folded words with their offsets in the original. `joined` marks a word that
 * directly follows the one before ("erc" and "20" in `ERC20`), so that no match ends inside a run of letters and
 * digits.
 */
export interface Tokens {
  readonly words: ReadonlyArray<string>
  /** UTF-16 offsets in the original text. */
  readonly starts: ReadonlyArray<number>
  readonly ends: ReadonlyArray<number>
  readonly joined: ReadonlyArray<boolean>
}

/** The words of a text in columns with their offsets in the original. Valid until the next call. */
export interface Cut {
  readonly words: WordReader
  /** UTF-16 offsets in the original text. */
  readonly startOf: (word: number) => number
  readonly endOf: (word: number) => number
}

/** Token for a break between blocks; no name spans it. */
const blockBreak = "\n"

/**
 * Splits a text into words. The text is normalized to NFKC and folded; hyphens, quotes, apostrophes and emphasis
 * count as blanks, so `EIP-145`, `EIP 145` and `EIP145` give equal words. Linear in the length.
 */
export const tokenize = (text: string): Tokens => {
  const { endOf, startOf, words } = splitWords(text)
  const { count, from, joined, to } = words
  const folded = foldedText(words)
  const tokens = {
    words: new Array<string>(count),
    starts: new Array<number>(count),
    ends: new Array<number>(count),
    joined: new Array<boolean>(count)
  }
  for (let at = 0; at < count; at++) {
    tokens.words[at] = folded.slice(from[at], to[at])
    tokens.starts[at] = startOf(at)
    tokens.ends[at] = endOf(at)
    tokens.joined[at] = joined[at] === 1
  }
  return tokens
}

/** Like `tokenize`, without allocating a string per word. */
export const splitWords = (text: string): Cut => {
  if (text.length <= unitsKept && foldInto(text, reader)) {
    reader.read()
    return { words: reader, startOf: (word) => reader.from[word] ?? 0, endOf: (word) => reader.to[word] ?? 0 }
  }
  const { folded, offsets } = fold(text)
  const words = folded.length <= unitsKept ? reader : new WordReader()
  const units = words.open(folded.length)
  for (let at = 0; at < folded.length; at++) units[at] = folded.charCodeAt(at)
  words.read()
  if (offsets === null)
    return { words, startOf: (word) => words.from[word] ?? 0, endOf: (word) => words.to[word] ?? 0 }
  return {
    words,
    startOf: (word) => offsets.start[words.from[word] ?? 0] ?? text.length,
    endOf: (word) => (words.to[word] === 0 ? 0 : (offsets.end[(words.to[word] ?? 0) - 1] ?? text.length))
  }
}

/** The shared reader; very long texts use their own, so that their buffer is freed. */
const reader = new WordReader()
const unitsKept = 1 << 18

/** Returns the folded text, converted in chunks because a call takes a limited number of arguments. */
const foldedText = (words: WordReader): string => {
  let text = ""
  for (let from = 0; from < words.length; from += pieceUnits)
    text += words.textOf(from, Math.min(from + pieceUnits, words.length))
  return text
}
const pieceUnits = 1 << 12

/**
 * Returns the words of a name joined by blanks; names with equal keys are the same surface. Marks at either end are
 * dropped except those that distinguish names (`C++`, `C#`). Empty when the name has no words.
 */
export const surfaceKey = (name: string): string => {
  const words = tokenize(name).words.filter((word) => word !== blockBreak)
  let [from, to] = [0, words.length]
  while (from < to && edge.test(words[from] ?? "")) from++
  while (to > from && edge.test(words[to - 1] ?? "")) to--
  return words.slice(from, to).join(" ")
}

const edge = /^[,;:!?.()[\]{}|/\\<>=§…·•。、，；：！？]$/u

/** For each UTF-16 unit its folded unit if that does not depend on its neighbours, else `complex`. */
const foldedUnits = new Uint16Array(0x10000)
const complex = 0xffff
for (let unit = 1; unit < 128; unit++)
  foldedUnits[unit] = String.fromCharCode(unit).toLowerCase().charCodeAt(0)

/** Folds a text unit by unit; returns false if that is impossible. */
const foldInto = (text: string, words: WordReader): boolean => {
  const units = words.open(text.length)
  let all = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    const folded = foldedUnits[unit] || foldUnit(unit)
    if (folded === complex) return false
    units[at] = folded
    all |= unit
  }
  words.isAscii = all < 128
  return true
}

const foldUnit = (unit: number): number => {
  if (unit === 0) return 0
  const char = String.fromCharCode(unit)
  const one = joins.test(char) ? "" : foldCluster(char)
  const folded = one.length === 1 ? one.charCodeAt(0) : complex
  foldedUnits[unit] = folded
  return folded
}

/** Characters that may compose with the one before, and surrogates. */
const joins = /[\p{M}\p{Cs}\u1160-\u11ff\uff9e\uff9f]/u

interface Folded {
  readonly folded: string
  /** For each unit of `folded` the start and end of its source cluster; null when offsets did not change. */
  readonly offsets: { readonly start: Int32Array; readonly end: Int32Array } | null
}

/** A base character with the characters that NFKC may compose with it: marks, conjoining jamo, half-width voicing. */
const cluster = /[\x00-\x7f]+(?!\p{M})|[^\p{M}][\p{M}\u{1160}-\u{11ff}\u{ff9e}\u{ff9f}]*|\p{M}+/gsu

const fold = (text: string): Folded => {
  if (isAscii(text)) return { folded: text.toLowerCase(), offsets: null }
  const pieces: Array<string> = []
  const spans: Array<number> = []
  let [length, moved] = [0, false]
  for (const match of text.matchAll(cluster)) {
    const [from] = match
    const one = isAscii(from) ? from.toLowerCase() : foldCluster(from)
    if (one.length !== from.length) moved = true
    pieces.push(one)
    spans.push(match.index, from.length, one.length)
    length += one.length
  }
  const folded = pieces.join("")
  if (!moved) return { folded, offsets: null }
  const [start, end] = [new Int32Array(length), new Int32Array(length)]
  let at = 0
  for (let i = 0; i < spans.length; i += 3) {
    const [from, size, kept] = [spans[i] ?? 0, spans[i + 1] ?? 0, spans[i + 2] ?? 0]
    for (let unit = 0; unit < kept; unit++) {
      // A cluster of unchanged length maps unit by unit, so that surrogate pairs stay together.
      start[at] = kept === size ? from + unit : from
      end[at] = kept === size ? from + unit + 1 : from + size
      at++
    }
  }
  return { folded, offsets: { start, end } }
}

const foldCluster = (from: string): string => normalForm(foldCase(normalForm(from, "NFKC")), "NFKC")

const isAscii = (text: string): boolean => /^[\x00-\x7f]*$/.test(text)

/** Returns the surface key of a name, or the trimmed name if it has no words. */
export const claimKey = (name: string): string => surfaceKey(name) || name.trim()

/** Stands between the shared name and the document; a surface key holds no line break. */
const separator = "\n"

/** Returns the claim key of an entity whose name several documents bear: that of one of them. */
export const homonymKey = (key: string, documentId: string): string => `${key}${separator}${documentId}`

/** Returns the name of a claim key, without the document. */
export const sharedKey = (claimKey: string): string => claimKey.split(separator, 1)[0] ?? claimKey

/** Returns whether an entity with this claim key is the one of the document. */
export const isClaimOf = (claimKey: string, documentId: string): boolean =>
  !claimKey.includes(separator) || claimKey.endsWith(`${separator}${documentId}`)
