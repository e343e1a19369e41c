import { foldCase } from "../kernel/index.js"

/**
 * A text as names are compared: folded words with their place in the original. `joined` marks a word that
 * follows the one before without anything between them ("erc" and "20" in `ERC20`), so that a match can be
 * kept from ending inside a run of letters and digits.
 */
export interface Tokens {
  readonly words: ReadonlyArray<string>
  /** UTF-16 offsets in the original text. */
  readonly starts: ReadonlyArray<number>
  readonly ends: ReadonlyArray<number>
  readonly joined: ReadonlyArray<boolean>
}

/** The same without the words themselves, for who needs few of them: word n is `folded` from `from[n]` to `to[n]`. */
export interface Cut extends Omit<Tokens, "words"> {
  readonly folded: string
  readonly from: ReadonlyArray<number>
  readonly to: ReadonlyArray<number>
}

/** The word that stands for a break between blocks: no name reaches over it. */
export const blockBreak = "\n"

type Kind = number
const Soft = 0
const Letter = 1
const Digit = 2
/** A script without blanks between words: each character is a word, and any place a boundary. */
const Solid = 3
/** Parts names: a word of its own, so that `Salt, Pepper` is not `Salt Pepper`. */
const Mark = 4
/** Parts names unless it stands between letters or digits (`Node.js`, `1,000`). */
const Inner = 5
const NewLine = 6

/**
 * Cuts a text into words. Text is compared in NFKC and folded; hyphens, quotes, apostrophes and emphasis are
 * as soft as a blank, so `EIP-145`, `EIP 145` and `EIP145` give equal words. Linear in the length.
 */
export const tokenize = (text: string): Tokens => {
  const words: Array<string> = []
  const { ends, joined, starts } = cut(text, words)
  return { words, starts, ends, joined }
}

/** As `tokenize`, without a string for each word, save that they are added to `words` where that is given. */
export const cut = (text: string, words: Array<string> | null = null): Cut => {
  const { folded, offsets } = fold(text)
  const { from, joined, to } = new Reader(folded, words).read()
  if (offsets === null) return { folded, from, to, joined, starts: from, ends: to }
  return {
    folded,
    from,
    to,
    joined,
    starts: from.map((start) => offsets.start[start] ?? text.length),
    ends: to.map((end) => (end === 0 ? 0 : (offsets.end[end - 1] ?? text.length)))
  }
}

/**
 * The words of a name, joined by blanks: equal keys are one surface. Marks at either end are left out, save
 * those that tell names apart (`C++`, `C#`). Empty when the name has no words.
 */
export const surfaceKey = (name: string): string => {
  const words = tokenize(name).words.filter((word) => word !== blockBreak)
  let [from, to] = [0, words.length]
  while (from < to && edge.test(words[from] ?? "")) from++
  while (to > from && edge.test(words[to - 1] ?? "")) to--
  return words.slice(from, to).join(" ")
}

const edge = /^[,;:!?.()[\]{}|/\\<>=§…·•。、，；：！？]$/u

class Reader {
  readonly from: Array<number> = []
  readonly to: Array<number> = []
  readonly joined: Array<boolean> = []
  private breakAt = -1

  constructor(
    private readonly text: string,
    private readonly words: Array<string> | null
  ) {}

  read(): this {
    const { text } = this
    let at = 0
    while (at < text.length) {
      const kind = kindAt(text, at)
      if (kind === Letter || kind === Digit) at = this.run(at, kind)
      else if (kind === Solid) at = this.solid(at)
      else if (kind === NewLine) at = this.lineEnd(at)
      else {
        const size = sizeAt(text, at)
        if (kind === Mark || (kind === Inner && !this.isInside(at))) this.push(at, at + size, false)
        at += size
      }
    }
    return this
  }

  /** Letters or digits of one kind; marks belong to what they follow. */
  private run(from: number, kind: Kind): number {
    let at = from
    while (at < this.text.length && (kindAt(this.text, at) === kind || isCombining(this.text, at)))
      at += sizeAt(this.text, at)
    this.push(from, at, from > 0 && isWord(kindBefore(this.text, from)))
    return at
  }

  private solid(from: number): number {
    let at = from + sizeAt(this.text, from)
    while (at < this.text.length && isCombining(this.text, at)) at += sizeAt(this.text, at)
    this.push(from, at, false)
    return at
  }

  /** An empty line or the start of an item, quote, heading or row breaks; a mere line end is a blank. */
  private lineEnd(from: number): number {
    let at = from + 1
    while (isBlank(this.text.charCodeAt(at))) at++
    const next = this.text[at] ?? "\n"
    if ("\n\r-*+>#|=".includes(next) || /^\d{1,9}[.)]\s/u.test(this.text.slice(at, at + 11))) {
      if (this.breakAt !== this.from.length - 1 || this.breakAt < 0) {
        this.breakAt = this.from.length
        this.push(from, from + 1, false)
      }
    }
    return at
  }

  private isInside(at: number): boolean {
    if (at === 0) return false
    const next = at + 1 < this.text.length ? kindAt(this.text, at + 1) : Soft
    return isWord(next) && isWord(kindBefore(this.text, at))
  }

  private push(start: number, end: number, joined: boolean): void {
    if (this.words !== null) this.words.push(this.text.slice(start, end))
    this.from.push(start)
    this.to.push(end)
    this.joined.push(joined)
  }
}

const isWord = (kind: Kind): boolean => kind === Letter || kind === Digit

const isBlank = (code: number): boolean => code === 32 || code === 9 || code === 13

const sizeAt = (text: string, at: number): number => ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1)

const ascii: ReadonlyArray<Kind> = Array.from({ length: 128 }, (_, code) => {
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

/** Kinds of characters beyond ASCII, as they are met; at most one entry for each character there is. */
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

const kindAt = (text: string, at: number): Kind => kindOf(text.codePointAt(at) ?? 0)

const kindBefore = (text: string, at: number): Kind => {
  const code = text.charCodeAt(at - 1)
  const low = code >= 0xdc00 && code <= 0xdfff && at > 1
  return kindOf(low ? (text.codePointAt(at - 2) ?? code) : code)
}

const isCombining = (text: string, at: number): boolean => {
  const code = text.codePointAt(at) ?? 0
  return code > 127 && kindOf(code) === Letter && combining.test(String.fromCodePoint(code))
}

interface Folded {
  readonly folded: string
  /** For each unit of `folded` where the cluster that it came from starts and ends; null when nothing moved. */
  readonly offsets: { readonly start: Int32Array; readonly end: Int32Array } | null
}

/** A base character with what NFKC may compose with it: marks, conjoining jamo, half-width voicing. */
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
      // A cluster that kept its length maps unit by unit: surrogate pairs must not be torn.
      start[at] = kept === size ? from + unit : from
      end[at] = kept === size ? from + unit + 1 : from + size
      at++
    }
  }
  return { folded, offsets: { start, end } }
}

const foldCluster = (from: string): string => foldCase(from.normalize("NFKC")).normalize("NFKC")

const isAscii = (text: string): boolean => /^[\x00-\x7f]*$/.test(text)
