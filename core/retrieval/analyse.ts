import { classOf, letter, mark, unspaced } from "./characters.js"
import { foldRun, isStopWord, stem } from "./fold-term.js"
import { compoundJoins, partsMax, type Slice, splitRun } from "./word-parts.js"

/** A term and where it stands: `position` counts words, `start` and `end` UTF-16 units of the analysed text. */
export interface Token {
  readonly term: string
  readonly position: number
  readonly start: number
  readonly end: number
}

/**
 * `word`: what a text is about. `whole`: a code or compound as one term, beside its parts, at the position of the
 * first. `stop`: a word without topic. `single`: one character of a longer run of a script without spaces.
 */
export type TokenKind = "word" | "whole" | "stop" | "single"

export interface IndexToken extends Token {
  readonly kind: TokenKind
}

/**
 * The terms of a text in order: stop words are left out but keep their positions. Words are case-folded, freed
 * of Latin diacritics and stemmed where they are plain English letters; scripts without spaces give overlapping
 * pairs of characters, one position each; codes (`KX-2041`, `v1.2.3`, `foo_bar`, `camelCase`) give their parts
 * and, at the position of the first part, the whole. Linear in the text, whatever it holds; equal words give
 * equal terms wherever they stand.
 */
export const analyse = (text: string): ReadonlyArray<Token> =>
  analyseForIndex(text).filter(({ kind }) => kind === "word" || kind === "whole")

/** Like `analyse`, with the stop words and single characters that only a query made of nothing else asks for. */
export const analyseForIndex = (text: string): ReadonlyArray<IndexToken> => {
  const scanner = new Scanner(text)
  scanner.run()
  return scanner.tokens
}

interface Known {
  readonly term: string
  readonly stop: boolean
  /** Where the run falls into parts, when it is a code or changes case. */
  readonly parts: ReadonlyArray<Slice> | null
}

/** Folding and stemming by raw word. A vocabulary is small beside its text, so nearly every word is found here. */
const memo = new Map<string, Known>()
const memoWordsMax = 1 << 16
const memoUnitsMax = 40

const know = (raw: string): Known => {
  const held = memo.get(raw)
  if (held !== undefined) return held
  const folded = foldWord(raw)
  const stop = isStopWord(folded)
  const known = { term: stop ? folded : stem(folded), stop, parts: splitRun(raw) }
  if (raw.length <= memoUnitsMax) {
    if (memo.size >= memoWordsMax) memo.clear()
    memo.set(raw, known)
  }
  return known
}

/** Cuts the possessive and the English endings that an apostrophe ties on; the apostrophe itself goes. */
const foldWord = (raw: string): string => {
  const bare = raw.length <= memoUnitsMax ? raw.replace(/['\u2019\uff07](?:s|ll|re|ve|d|m)$/iu, "") : raw
  return foldRun(bare).replace(/'/gu, "")
}

class Scanner {
  readonly tokens: Array<IndexToken> = []
  #position = 0
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  run(): void {
    const text = this.#text
    let at = 0
    while (at < text.length) {
      const kind = this.#classAt(at)
      if (kind === letter) at = this.#compound(at)
      else if (kind === unspaced) at = this.#unspacedRun(at)
      else at += 1
    }
  }

  /** A low surrogate alone is a separator, so stepping by one unit over separators is safe. */
  #classAt(at: number): number {
    const unit = this.#text.charCodeAt(at)
    if (unit < 0xd800 || unit > 0xdbff) return classOf(unit)
    return classOf(this.#text.codePointAt(at) ?? unit)
  }

  #step(at: number): number {
    const unit = this.#text.charCodeAt(at)
    return unit >= 0xd800 && unit <= 0xdbff && (this.#text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
  }

  /** Runs that are tied together by hyphens, underscores, points and commas, from a letter on. */
  #compound(from: number): number {
    const text = this.#text
    const firstToken = this.tokens.length
    const firstPosition = this.#position
    const parts: Array<Slice> = []
    let end = this.#word(from)
    parts.push([from, end])
    while (end + 1 < text.length && isJoiner(text.charCodeAt(end)) && this.#classAt(end + 1) === letter) {
      const start = end + 1
      end = this.#word(start)
      if (parts.length <= partsMax) parts.push([start, end])
    }
    if (parts.length > 1) {
      const whole = compoundJoins(text, parts)
      if (whole !== null) {
        const token: IndexToken = {
          term: know(whole).term,
          position: firstPosition,
          start: from,
          end,
          kind: "whole"
        }
        this.tokens.splice(firstToken, 0, token)
      }
    }
    return end
  }

  /** One run of letters, numbers and their marks, with apostrophes between letters. */
  #word(from: number): number {
    const text = this.#text
    let end = from
    let start = from
    while (end < text.length) {
      const unit = text.charCodeAt(end)
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
    this.#emit(start, end)
    return end
  }

  #apostropheInside(at: number): boolean {
    return (
      at > 0 &&
      this.#classAt(at - 1) === letter &&
      at + 1 < this.#text.length &&
      this.#classAt(at + 1) === letter
    )
  }

  /** Where the word starts after an elided French article or pronoun (`l'eau`, `qu'elle`): the elision is a stop word. */
  #elided(start: number, apostrophe: number): number {
    if (apostrophe - start > 7) return start
    const head = this.#text.slice(start, apostrophe)
    if (!elisions.test(head) || !/[aeiouyhàâäéèêëîïôöûüœæ]/iu.test(this.#text.charAt(apostrophe + 1)))
      return start
    this.tokens.push({
      term: head.toLowerCase(),
      position: this.#position,
      start,
      end: apostrophe,
      kind: "stop"
    })
    this.#position += 1
    return apostrophe + 1
  }

  #emit(start: number, end: number): void {
    const raw = this.#text.slice(start, end)
    const { parts, stop, term } = know(raw)
    if (parts !== null) {
      this.tokens.push({ term, position: this.#position, start, end, kind: "whole" })
      for (const [from, to] of parts) this.#push(know(raw.slice(from, to)), start + from, start + to)
    } else this.#push({ term, stop }, start, end)
  }

  #push({ stop, term }: Pick<Known, "stop" | "term">, start: number, end: number): void {
    if (term !== "")
      this.tokens.push({ term, position: this.#position, start, end, kind: stop ? "stop" : "word" })
    this.#position += 1
  }

  /** Pairs of neighbouring characters, each at the position of its first one; a lone character is a word. */
  #unspacedRun(from: number): number {
    const text = this.#text
    let before: IndexToken | null = null
    let at = from
    let pairs = false
    while (at < text.length && this.#classAt(at) === unspaced) {
      const start = at
      at += this.#step(at)
      while (at < text.length && at - start < unitsOfCharacterMax && this.#classAt(at) === mark)
        at += this.#step(at)
      const raw = text.slice(start, at)
      const term = isPlainIdeograph(raw) ? raw : foldRun(raw)
      if (term === "") continue
      const single: IndexToken = { term, position: this.#position, start, end: at, kind: "single" }
      if (before !== null) {
        pairs = true
        const pair = before.term + single.term
        this.tokens.push(
          { term: pair, position: before.position, start: before.start, end: at, kind: "word" },
          before
        )
      }
      before = single
      this.#position += 1
    }
    if (before !== null) this.tokens.push(pairs ? before : { ...before, kind: "word" })
    // A mark without a letter before it, or the marks beyond the longest character, are no words.
    return at
  }
}

/** Han, Hiragana and Katakana in their usual form: folding changes nothing. */
const isPlainIdeograph = (raw: string): boolean => {
  const unit = raw.charCodeAt(0)
  return (
    raw.length === 1 &&
    ((unit >= 0x4e00 && unit <= 0x9fff) ||
      (unit >= 0x3041 && unit <= 0x30fe && unit !== 0x309b && unit !== 0x309c))
  )
}

/** More marks on one character than any language has are noise. */
const unitsOfCharacterMax = 16
const elisions = /^(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu)$/iu

/** Hyphens, underscore, point and comma. */
const isJoiner = (unit: number): boolean =>
  unit === 45 || unit === 46 || unit === 95 || unit === 44 || unit === 0x2010 || unit === 0x2011
