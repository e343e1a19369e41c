import { hashWith, readyHash, seed } from "./word-labels.js"

type Kind = number
const Soft = 0
const Letter = 1
const Digit = 2
/** A script without blanks between words: each character is a word. */
const Solid = 3
/** A separator that is a word of its own, so that `Salt, Pepper` differs from `Salt Pepper`. */
const Mark = 4
/** A separator except between letters or digits (`Node.js`, `1,000`). */
const Inner = 5
const NewLine = 6

/**
 * Splits a folded text, given as UTF-16 units, into words in columns, without allocating per word. The result is
 * valid until the next text.
 */
export class WordReader {
  /** The folded text. */
  units = new Uint16Array(1 << 12)
  length = 0
  /** Whether the original text was ASCII, so that offsets did not change. */
  isAscii = false
  /** The number of words, and for each its range of units, whether it is joined to the one before, and its hash. */
  count = 0
  from = new Int32Array(1 << 10)
  to = new Int32Array(1 << 10)
  joined = new Uint8Array(1 << 10)
  hashes = new Int32Array(1 << 10)
  #breakAt = -1

  /** Reserves buffer space for a text of this length. */
  open(length: number): Uint16Array {
    // Two extra units serve as sentinels, so that no read needs a bounds check.
    if (length + 2 > this.units.length) this.units = new Uint16Array((length + 2) * 2)
    this.length = length
    this.isAscii = false
    return this.units
  }

  /** Reads the units of the opened text. */
  read(): void {
    const { length, units } = this
    units.fill(0, length, length + 2)
    this.count = 0
    this.#breakAt = -1
    for (let at = 0; at < length; ) {
      const unit = units[at] ?? 0
      const kind = unit < 128 ? (ascii[unit] ?? Soft) : kindOf(this.#codeAt(at))
      if (kind === Letter || kind === Digit) at = this.#run(at, kind)
      else if (kind === Soft && unit < 128) at += 1
      else at = this.#other(at, kind)
    }
  }

  /** Returns the text of a range of units. */
  textOf(from: number, to: number): string {
    return Reflect.apply(String.fromCharCode, null, this.units.subarray(from, to))
  }

  /** Reads letters or digits of one kind; marks belong to the character before. */
  #run(from: number, kind: Kind): number {
    const { length, units } = this
    let hash = seed
    let at = from
    for (; at < length; at++) {
      const unit = units[at] ?? 0
      if (unit >= 128 || ascii[unit] !== kind) break
      hash = hashWith(hash, unit)
    }
    while (at < length && (units[at] ?? 0) >= 128) {
      const start = at
      while (at < length && this.#belongs(at, kind)) at += this.#sizeAt(at)
      if (at === start) break
      for (let i = start; i < at; i++) hash = hashWith(hash, units[i] ?? 0)
    }
    this.#push(from, at, from > 0 && isWord(this.#kindBefore(from)), readyHash(hash))
    return at
  }

  #belongs(at: number, kind: Kind): boolean {
    return kindOf(this.#codeAt(at)) === kind || this.#isCombining(at)
  }

  #other(at: number, kind: Kind): number {
    if (kind === NewLine) return this.#lineEnd(at)
    const size = this.#sizeAt(at)
    let end = at + size
    if (kind === Solid) while (end < this.length && this.#isCombining(end)) end += this.#sizeAt(end)
    if (kind === Solid || kind === Mark || (kind === Inner && !this.#isInside(at)))
      this.#push(at, end, false, this.#hashOf(at, end))
    return end
  }

  /**
   * Reads a line end: an empty line or the start of an item, quote, heading or table row is a block break, any other
   * line end a blank.
   */
  #lineEnd(from: number): number {
    let at = from + 1
    while (isBlank(this.units[at] ?? 0)) at++
    const breaks = at >= this.length || breaking.has(this.units[at] ?? 0) || this.#isNumbered(at)
    if (breaks && (this.#breakAt !== this.count - 1 || this.#breakAt < 0)) {
      this.#breakAt = this.count
      this.#push(from, from + 1, false, this.#hashOf(from, from + 1))
    }
    return at
  }

  /** Returns whether a numbered list item begins here. */
  #isNumbered(from: number): boolean {
    let at = from
    while (at - from < 9 && ascii[this.units[at] ?? 0] === Digit) at++
    const sign = this.units[at] ?? 0
    if (at === from || (sign !== 46 && sign !== 41) || at + 1 >= this.length) return false
    return /\s/u.test(String.fromCharCode(this.units[at + 1] ?? 0))
  }

  #isInside(at: number): boolean {
    if (at === 0) return false
    const next = at + 1 < this.length ? kindOf(this.#codeAt(at + 1)) : Soft
    return isWord(next) && isWord(this.#kindBefore(at))
  }

  #kindBefore(at: number): Kind {
    const unit = this.units[at - 1] ?? 0
    const low = unit >= 0xdc00 && unit <= 0xdfff && at > 1
    return kindOf(low ? this.#codeAt(at - 2) : unit)
  }

  #isCombining(at: number): boolean {
    const code = this.#codeAt(at)
    return code > 127 && kindOf(code) === Letter && combining.test(String.fromCodePoint(code))
  }

  #codeAt(at: number): number {
    const unit = this.units[at] ?? 0
    if (unit < 0xd800 || unit > 0xdbff) return unit
    const next = this.units[at + 1] ?? 0
    return next >= 0xdc00 && next <= 0xdfff ? (unit - 0xd800) * 0x400 + next - 0xdc00 + 0x10000 : unit
  }

  #sizeAt(at: number): number {
    return this.#codeAt(at) > 0xffff ? 2 : 1
  }

  #hashOf(from: number, to: number): number {
    let hash = seed
    for (let i = from; i < to; i++) hash = hashWith(hash, this.units[i] ?? 0)
    return readyHash(hash)
  }

  #push(from: number, to: number, joined: boolean, hash: number): void {
    if (this.count === this.from.length) this.#grow()
    const at = this.count
    this.from[at] = from
    this.to[at] = to
    this.joined[at] = joined ? 1 : 0
    this.hashes[at] = hash
    this.count = at + 1
  }

  #grow(): void {
    this.from = doubled(this.from)
    this.to = doubled(this.to)
    this.hashes = doubled(this.hashes)
    const joined = new Uint8Array(this.joined.length * 2)
    joined.set(this.joined)
    this.joined = joined
  }
}

const doubled = (column: Int32Array): Int32Array<ArrayBuffer> => {
  const longer = new Int32Array(column.length * 2)
  longer.set(column)
  return longer
}

const isWord = (kind: Kind): boolean => kind === Letter || kind === Digit

const isBlank = (unit: number): boolean => unit === 32 || unit === 9 || unit === 13

/** Characters that start another block at the beginning of a line. */
const breaking: ReadonlySet<number> = new Set(Array.from("\n\r-*+>#|=", (char) => char.charCodeAt(0)))

const ascii = Uint8Array.from({ length: 128 }, (_, code): Kind => {
  const char = String.fromCharCode(code)
  if (/[a-z]/iu.test(char)) return Letter
  if (/\d/u.test(char)) return Digit
  if (char === "\n") return NewLine
  if (".,:".includes(char)) return Inner
  return ";!?()[]{}|/\\+#&@%$<>=".includes(char) ? Mark : Soft
})

const letter = /[\p{L}\p{M}]/u
const digit = /\p{N}/u
const combining = /\p{M}/u
const solid =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}\p{scx=Tibetan}]/u
const soft = /[\p{Pd}\p{Pi}\p{Pf}\p{Pc}\p{Z}\p{C}\p{Sk}]/u

/** Cache of the kinds of characters beyond ASCII; at most one entry per character. */
const known = new Map<number, Kind>()

const kindOf = (code: number): Kind => {
  if (code < 128) return ascii[code] ?? Soft
  const seen = known.get(code)
  if (seen !== undefined) return seen
  const char = String.fromCodePoint(code)
  let kind = Mark
  if (letter.test(char)) kind = solid.test(char) && !combining.test(char) ? Solid : Letter
  else if (digit.test(char)) kind = Digit
  else if (soft.test(char)) kind = Soft
  known.set(code, kind)
  return kind
}
