import { classOf, letter, mark, unspaced } from "./characters.js"
import { foldRun } from "./fold-term.js"
import { type TextUnits, unitsOf } from "./text-units.js"
import { compoundJoins, hyphenJoins, partsMax, type Slice } from "./word-parts.js"
import {
  codeTerm,
  emptyHash,
  forgetWords,
  hashed,
  hashedWith,
  isStopAt,
  knowUnits,
  partsAt,
  termAt,
  termOf,
  termText
} from "./words.js"

/** A term with its location: `position` counts words, `start` and `end` UTF-16 units of the analysed text. */
export interface Token {
  readonly term: string
  readonly position: number
  readonly start: number
  readonly end: number
}

/**
 * `word`: a content word. `whole`: a code or compound as one term, beside its parts, at the position of the first.
 * `stop`: a stop word. `single`: one character of a longer run of a script without spaces. `joined`: a hyphenated word
 * without its hyphens, beside its parts, at the position of the first.
 */
export type TokenKind = "word" | "whole" | "stop" | "single" | "joined"

/** A token of an indexed text; stop words included, distinguished by kind. */
export interface IndexToken extends Token {
  readonly kind: TokenKind
}

/** Receives the tokens of a text in order, except for inserted ones; terms by number. */
export interface TokenSink {
  /** Number of tokens received. */
  readonly size: number
  readonly add: (term: number, position: number, start: number, end: number, kind: TokenKind) => void
  /** Inserts a token before the token with index `at`. */
  readonly insert: (
    at: number,
    term: number,
    position: number,
    start: number,
    end: number,
    kind: TokenKind
  ) => void
}

/**
 * Returns the terms of a text in order; stop words are omitted but keep their positions. Words are case-folded, freed
 * of Latin diacritics, and stemmed when they are plain English letters; scripts without spaces give overlapping pairs
 * of characters, one position each; codes (`KX-2041`, `v1.2.3`, `foo_bar`, `camelCase`) give their parts and, at the
 * position of the first part, the whole. Linear for any text; equal words give equal terms everywhere.
 */
export const analyse = (text: string): ReadonlyArray<Token> =>
  analyseForIndex(text).filter(({ kind }) => kind === "word" || kind === "whole")

/**
 * Like `analyse`, with the stop words and single characters that match only a query without other words, and with
 * hyphenated words as one.
 */
export const analyseForIndex = (text: string): ReadonlyArray<IndexToken> => {
  forgetWords()
  const list = new TokenList()
  analyseInto(unitsOf(text), list)
  return list.tokens
}

/** Like `analyseForIndex`, without building a list. Term numbers are valid until the next `forgetWords`. */
export const analyseInto = (text: TextUnits, sink: TokenSink): void => new Scanner(text, sink).run()

class TokenList implements TokenSink {
  readonly tokens: Array<IndexToken> = []

  get size(): number {
    return this.tokens.length
  }

  add(term: number, position: number, start: number, end: number, kind: TokenKind): void {
    this.tokens.push({ term: termText(term), position, start, end, kind })
  }

  insert(at: number, term: number, position: number, start: number, end: number, kind: TokenKind): void {
    this.tokens.splice(at, 0, { term: termText(term), position, start, end, kind })
  }
}

/** Letters and digits of ASCII, by unit. */
const plain = Uint8Array.from({ length: 128 }, (_, unit) => (classOf(unit) === letter ? 1 : 0))

const isPlain = (unit: number): boolean => unit < 128 && plain[unit] === 1

/** Whether a run of ASCII letters ends here for certain: no joiner, apostrophe or mark follows. */
const endsPlainly = (units: Uint16Array, end: number, length: number): boolean => {
  if (end >= length) return true
  const unit = units[end] ?? 0
  if (unit >= 128) return false
  if (!isJoiner(unit) && unit !== 39) return true
  if (unit === 45 && brokenWordAt(units, end, length) >= 0) return false
  return end + 1 >= length || ((units[end + 1] ?? 0) < 128 && !isPlain(units[end + 1] ?? 0))
}

/**
 * Returns where the word goes on after a hyphen at the end of a line; -1 when it does not. The next line goes on with a
 * small letter.
 */
const brokenWordAt = (units: Uint16Array, hyphen: number, length: number): number => {
  let at = hyphen + 1
  const skipBlanks = (): void => {
    while (at < length && (units[at] === 32 || units[at] === 9)) at += 1
  }
  skipBlanks()
  if (units[at] === 13) at += 1
  if (at >= length || units[at] !== 10) return -1
  at += 1
  skipBlanks()
  const unit = units[at] ?? 0
  if (at >= length || unit < 97 || (unit < 128 && unit > 122)) return -1
  return classOf(unit) === letter && isSmall(unit) ? at : -1
}

const isSmall = (unit: number): boolean => unit < 128 || /^\p{Ll}$/u.test(String.fromCharCode(unit))

class Scanner {
  #position = 0
  readonly #text: string
  readonly #units: Uint16Array
  readonly #length: number
  readonly #sink: TokenSink

  constructor({ text, units }: TextUnits, sink: TokenSink) {
    this.#text = text
    this.#units = units
    this.#length = text.length
    this.#sink = sink
  }

  run(): void {
    const [units, length] = [this.#units, this.#length]
    let at = 0
    while (at < length) {
      const unit = units[at] ?? 0
      if (unit < 128) {
        if (!isPlain(unit)) {
          at += 1
          continue
        }
        // Fast path for most text: ASCII letters and digits that are not joined to what follows.
        let hash = hashedWith(emptyHash, unit)
        let end = at + 1
        for (; end < length; end++) {
          const next = units[end] ?? 0
          if (!isPlain(next)) break
          hash = hashedWith(hash, next)
        }
        if (endsPlainly(units, end, length)) {
          this.#emit(at, end, hashed(hash))
          at = end
          continue
        }
      }
      const kind = this.#classAt(at)
      if (kind === letter) at = this.#compound(at)
      else if (kind === unspaced) at = this.#unspacedRun(at)
      else at += 1
    }
  }

  /** A lone low surrogate is a separator, so stepping one unit over separators is safe. */
  #classAt(at: number): number {
    const unit = this.#units[at] ?? 0
    if (unit < 0xd800 || unit > 0xdbff) return classOf(unit)
    return classOf(this.#text.codePointAt(at) ?? unit)
  }

  #step(at: number): number {
    const unit = this.#units[at] ?? 0
    return unit >= 0xd800 && unit <= 0xdbff && (this.#text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
  }

  /** Returns where a word continues after the joiner here; -1 when it does not. */
  #nextPart(end: number): number {
    const unit = this.#units[end] ?? 0
    if (end + 1 >= this.#length || !isJoiner(unit)) return -1
    if (this.#classAt(end + 1) === letter) return end + 1
    return isHyphen(unit) ? brokenWordAt(this.#units, end, this.#length) : -1
  }

  /** Scans runs joined by hyphens, underscores, dots and commas, starting with a letter. */
  #compound(from: number): number {
    const firstToken = this.#sink.size
    const firstPosition = this.#position
    let end = this.#word(from)
    let start = this.#nextPart(end)
    if (start < 0) return end
    const parts: Array<Slice> = [[from, end]]
    for (; start >= 0; start = this.#nextPart(end)) {
      end = this.#word(start)
      if (parts.length <= partsMax) parts.push([start, end])
    }
    if (this.#holdsCodeMark(from, end)) {
      const whole = compoundJoins(this.#text, parts)
      if (whole !== null) this.#sink.insert(firstToken, codeTerm(whole), firstPosition, from, end, "whole")
      return end
    }
    const joined = hyphenJoins(this.#text, parts)
    if (joined !== null) this.#sink.insert(firstToken, codeTerm(joined), firstPosition, from, end, "joined")
    return end
  }

  /** Whether there is a digit or an underscore, without which a compound is not a code. Most have none. */
  #holdsCodeMark(from: number, to: number): boolean {
    for (let at = from; at < to; at++) {
      const unit = this.#units[at] ?? 0
      if ((unit >= 48 && unit <= 57) || unit === 95) return true
    }
    return false
  }

  /** Scans one run of letters, numbers and their marks, with apostrophes between letters. */
  #word(from: number): number {
    const [units, length] = [this.#units, this.#length]
    let end = from
    let start = from
    while (end < length) {
      const unit = units[end] ?? 0
      if (unit >= 97 && unit <= 122) {
        end += 1
        continue
      }
      const kind = unit < 128 ? classOf(unit) : this.#classAt(end)
      if (kind === letter || kind === mark) end += unit < 0xd800 ? 1 : this.#step(end)
      else if ((unit === 39 || unit === 0x2019) && this.#apostropheInside(end)) {
        start = this.#elided(start, end)
        end += 1
      } else break
    }
    this.#emit(start, end, this.#hashOf(start, end))
    return end
  }

  #hashOf(start: number, end: number): number {
    let hash = emptyHash
    for (let i = start; i < end; i++) hash = hashedWith(hash, this.#units[i] ?? 0)
    return hashed(hash)
  }

  #apostropheInside(at: number): boolean {
    return (
      at > 0 && this.#classAt(at - 1) === letter && at + 1 < this.#length && this.#classAt(at + 1) === letter
    )
  }

  /**
   * Returns where the word starts after an elided French article or pronoun (`l'eau`, `qu'elle`); the elision is a
   * stop word.
   */
  #elided(start: number, apostrophe: number): number {
    if (apostrophe - start > 7) return start
    const head = this.#text.slice(start, apostrophe)
    if (!elisions.test(head) || !/[aeiouyhàâäéèêëîïôöûüœæ]/iu.test(this.#text.charAt(apostrophe + 1)))
      return start
    this.#sink.add(termOf(head.toLowerCase()), this.#position, start, apostrophe, "stop")
    this.#position += 1
    return apostrophe + 1
  }

  #emit(start: number, end: number, hash: number): void {
    const known = knowUnits(this.#units, start, end, hash)
    const parts = partsAt(known)
    if (parts === undefined) {
      this.#push(termAt(known), isStopAt(known), start, end)
      return
    }
    this.#sink.add(termAt(known), this.#position, start, end, "whole")
    for (const [from, to] of parts) {
      const [partStart, partEnd] = [start + from, start + to]
      const part = knowUnits(this.#units, partStart, partEnd, this.#hashOf(partStart, partEnd))
      this.#push(termAt(part), isStopAt(part), partStart, partEnd)
    }
  }

  #push(term: number, stop: boolean, start: number, end: number): void {
    if (term !== 0) this.#sink.add(term, this.#position, start, end, stop ? "stop" : "word")
    this.#position += 1
  }

  /** Emits pairs of neighbouring characters, each at the position of its first one; a lone character is a word. */
  #unspacedRun(from: number): number {
    const text = this.#text
    let before: IndexToken | null = null
    let at = from
    let pairs = false
    while (at < text.length && this.#classAt(at) === unspaced) {
      const start = at
      at += this.#step(at)
      while (
        at < text.length &&
        at - start < unitsOfCharacterMax &&
        (this.#classAt(at) === mark || isJamoTail(this.#units[at] ?? 0))
      )
        at += this.#step(at)
      const raw = text.slice(start, at)
      const term = isPlainIdeograph(raw) ? raw : foldRun(raw)
      if (term === "") continue
      const single: IndexToken = { term, position: this.#position, start, end: at, kind: "single" }
      if (before !== null) {
        pairs = true
        this.#sink.add(termOf(before.term + term), before.position, before.start, at, "word")
        this.#addSingle(before, "single")
      }
      before = single
      this.#position += 1
    }
    if (before !== null) this.#addSingle(before, pairs ? "single" : "word")
    // A mark without a preceding letter, or marks beyond the longest character, do not form words.
    return at
  }

  #addSingle({ end, position, start, term }: Token, kind: TokenKind): void {
    this.#sink.add(termOf(term), position, start, end, kind)
  }
}

/** Han, Hiragana and Katakana in their usual form, which folding does not change. */
const isPlainIdeograph = (raw: string): boolean => {
  const unit = raw.charCodeAt(0)
  return (
    raw.length === 1 &&
    ((unit >= 0x4e00 && unit <= 0x9fff) ||
      (unit >= 0x3041 && unit <= 0x30fe && unit !== 0x309b && unit !== 0x309c))
  )
}

/** A vowel or final consonant of Hangul, which belongs to the letter before it. */
const isJamoTail = (unit: number): boolean =>
  (unit >= 0x1160 && unit <= 0x11ff) || (unit >= 0xd7b0 && unit <= 0xd7ff)

/** More marks on one character than in any language are noise. */
const unitsOfCharacterMax = 16
const elisions = /^(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu)$/iu

/** Hyphens, underscore, dot and comma. */
const isJoiner = (unit: number): boolean => isHyphen(unit) || unit === 46 || unit === 95 || unit === 44
const isHyphen = (unit: number): boolean => unit === 45 || unit === 0x2010 || unit === 0x2011
