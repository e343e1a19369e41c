import { classOf, letter } from "./characters.js"
import { foldRun, stem } from "./fold-term.js"

/** Shorter words have too many neighbours. */
const lettersMin = 5
/** Minimum number of letters for an edit distance of two. */
const lettersOfTwo = 8
const slipsMost = 2
/** Longer words are not corrected. */
const lettersMax = 32
/** Shorter stems are too similar to each other. */
const stemMin = 4
const stemOfTwo = 8

/** Possible corrections of a word. */
export interface Spelling {
  /**
   * Returns possible prefixes of corrections, of the given length: those of the word with at most one edit in the
   * first two letters.
   */
  readonly heads: (letters: number) => ReadonlyArray<string>
  /** Returns the edit distance to a term: 1 or 2, or null when it is too large for the length of the word. */
  readonly slips: (term: string) => number | null
}

/**
 * Returns the possible corrections of a word; null when it is too short, too long or not made of letters only. An edit
 * inserts, deletes, replaces or transposes a letter (Damerau 1964). Edits in an ending that stemming removes are
 * detected too: the word is corrected first and then stemmed.
 */
export const spellingOf = (surface: string): Spelling | null => {
  const word = foldRun(surface)
  if (word.length < lettersMin || word.length > lettersMax || !isLetters(word)) return null
  const own = stem(word)
  const slipsMax = word.length >= lettersOfTwo ? slipsMost : 1
  let mended: ReadonlySet<string> | undefined
  const between = slipsFrom(own)
  return {
    heads: (letters) => [
      ...new Set([
        word.slice(0, letters),
        word.slice(1, letters + 1),
        (word.charAt(1) + word.charAt(0) + word.slice(2)).slice(0, letters)
      ])
    ],
    slips: (term) => {
      const allowed = Math.min(
        slipsMax,
        term.length >= stemOfTwo ? slipsMost : term.length >= stemMin ? 1 : 0
      )
      const slips = between(term, allowed)
      if (slips <= 1 && slips <= allowed) return 1
      if (mayBegin(term, word)) {
        mended ??= correctedStems(word)
        if (mended.has(term)) return 1
      }
      return slips > allowed ? null : slips
    }
  }
}

/** Whether the word consists of letters of a script with spaces between words. */
const isLetters = (word: string): boolean =>
  /^\p{L}+$/u.test(word) && [...word].every((sign) => classOf(sign.codePointAt(0) ?? 0) === letter)

/** Number of final letters that stemming may change (`y` to `i`, `bility` to `bl`). */
const changedMax = 2

/**
 * Whether a term, except for its end, is a prefix of the word with at most one edit; otherwise it cannot be the stem
 * of a correction.
 */
const mayBegin = (term: string, word: string): boolean => {
  const length = term.length - changedMax
  let at = 0
  while (at < length && term.charCodeAt(at) === word.charCodeAt(at)) at += 1
  const goesOn = (ofTerm: number, ofWord: number): boolean => {
    for (let i = at + ofTerm, j = at + ofWord; i < length; i++, j++)
      if (term.charCodeAt(i) !== word.charCodeAt(j)) return false
    return true
  }
  return at >= length || goesOn(0, 1) || goesOn(1, 0) || goesOn(1, 1) || goesOn(2, 2)
}

/** Returns the stems of all words at edit distance one. */
const correctedStems = (word: string): ReadonlySet<string> => {
  const stems = new Set<string>()
  const alphabet = alphabets.find((letters) => [...word].every((letter) => letters.includes(letter)))
  if (alphabet === undefined) return stems
  for (let at = 0; at <= word.length; at++) {
    const [head, here, tail] = [word.slice(0, at), word.slice(at, at + 1), word.slice(at + 1)]
    for (const put of alphabet) {
      stems.add(stem(head + put + here + tail))
      if (here !== "") stems.add(stem(head + put + tail))
    }
    if (here === "") continue
    stems.add(stem(head + tail))
    if (tail !== "") stems.add(stem(head + tail.charAt(0) + here + tail.slice(1)))
  }
  return stems
}

/** Alphabets of the scripts with stemming. */
const alphabets = ["abcdefghijklmnopqrstuvwxyz", "абвгдежзийклмнопрстуфхцчшщъыьэюя"]

/** Returns a function for the edit distance to other words (optimal string alignment), or some number above `most`. */
const slipsFrom = (word: string): ((other: string, most: number) => number) => {
  const columns = lettersMax + slipsMost + 1
  let [before, last, row] = [new Uint8Array(columns), new Uint8Array(columns), new Uint8Array(columns)]
  return (other, most) => {
    if (Math.abs(word.length - other.length) > most) return most + 1
    for (let j = 0; j <= other.length; j++) last[j] = j
    let leastBefore = 0
    for (let i = 1; i <= word.length; i++) {
      row[0] = i
      let least = i
      for (let j = 1; j <= other.length; j++) {
        const same = word.charCodeAt(i - 1) === other.charCodeAt(j - 1) ? 0 : 1
        let slips = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + same)
        const isExchange =
          i > 1 &&
          j > 1 &&
          word.charCodeAt(i - 1) === other.charCodeAt(j - 2) &&
          word.charCodeAt(i - 2) === other.charCodeAt(j - 1)
        if (isExchange) slips = Math.min(slips, (before[j - 2] ?? 0) + 1)
        row[j] = slips
        least = Math.min(least, slips)
      }
      // A transposition reaches back two rows and costs one.
      if (least > most && leastBefore >= most) return most + 1
      leastBefore = least
      ;[before, last, row] = [last, row, before]
    }
    return last[other.length] ?? most + 1
  }
}
