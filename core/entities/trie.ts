import { stopWords } from "./stop-words.js"
import { type Cut, cut, surfaceKey } from "./tokens.js"
import { TrieBuilder } from "./trie-builder.js"
import { hashOf, unknown, WordLabels } from "./word-labels.js"

/** A name found in a text. */
export interface NameMatch {
  /** UTF-16 offsets in the text that was searched. */
  readonly start: number
  readonly end: number
  /** The surface that matched, as `surfaceKey` gives it. */
  readonly key: string
  /** Numbers of all names with this surface, ascending. */
  readonly names: ReadonlyArray<number>
}

/** A name as short as this says too little to be found by itself: one letter, or digits alone. */
const tooShort = /^(?:.|\p{N}+)$/su
const solidWord = /^[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]$/u

/** Whether a surface can be found at all: it has words, and is no lone stop word, letter or number. */
export const isDetectable = (key: string): boolean =>
  key !== "" && !stopWords.has(key) && (solidWord.test(key) || !tooShort.test(key))

/**
 * A trie over the words of names, in columns. Built once, then read only. Looking up costs at most the words of the
 * longest name for each word of the text.
 */
export class NameTrie {
  readonly #words = new WordLabels()
  readonly #starts: Int32Array
  readonly #labels: Int32Array
  readonly #nameStarts: Int32Array
  readonly #names: Int32Array
  /** By the label of a first word: the node below the root; 0 for none. */
  readonly #roots: Int32Array
  /** By the label of a word: that of the word without a plural "s". */
  readonly #singulars: Int32Array
  /** Labels of the words of the text at hand, and those of their singulars; kept, for most texts are short. */
  #found = new Int32Array(1 << 8)
  #foundSingular = new Int32Array(1 << 8)

  /** @param surfaces Pairs of a surface (any spelling) and the number of its name; those of one name in a row. */
  constructor(surfaces: Iterable<readonly [surface: string, name: number]>) {
    const builder = new TrieBuilder()
    const singulars: Array<readonly [plural: number, word: string]> = []
    for (const [surface, name] of surfaces) {
      const key = surfaceKey(surface)
      if (!isDetectable(key)) continue
      const path = key.split(" ").map((word) => {
        const label = this.#words.label(word)
        if (isPlural(word, 0, word.length)) singulars.push([label, word])
        return label
      })
      builder.add(path, name)
    }
    this.#words.trim()
    const { labels, nameStarts, names, starts } = builder.freeze()
    this.#starts = starts
    this.#labels = labels
    this.#nameStarts = nameStarts
    this.#names = names
    this.#roots = new Int32Array(this.#words.size)
    for (let edge = 0; edge < (starts[1] ?? 0); edge++) this.#roots[labels[edge] ?? 0] = edge + 1
    this.#singulars = new Int32Array(this.#words.size).fill(unknown)
    for (const [plural, word] of singulars) this.#singulars[plural] = this.#labelAt(word, 0, word.length - 1)
  }

  /** Finds names from left to right, the longest at each place, none overlapping another. */
  find(text: string): ReadonlyArray<NameMatch> {
    const parts = cut(text)
    const { ends, from, joined, starts } = parts
    this.#look(parts)
    const found: Array<NameMatch> = []
    for (let at = 0; at < from.length; ) {
      const hit = joined[at] !== true && this.#mayStart(at) ? this.#longestAt(parts, at) : null
      if (hit === null) at++
      else {
        found.push({
          start: starts[at] ?? 0,
          end: ends[hit.last] ?? 0,
          key: keyOf(parts, at, hit),
          names: this.#namesAt(hit.node)
        })
        at = hit.last + 1
      }
    }
    return found
  }

  /** Finds the labels of all words of a text. */
  #look({ folded, from, to }: Cut): void {
    if (from.length > this.#found.length) {
      this.#found = new Int32Array(from.length * 2)
      this.#foundSingular = new Int32Array(from.length * 2)
    }
    for (let at = 0; at < from.length; at++) {
      const [start, end] = [from[at] ?? 0, to[at] ?? 0]
      const label = this.#labelAt(folded, start, end)
      this.#found[at] = label
      this.#foundSingular[at] =
        label !== unknown
          ? (this.#singulars[label] ?? unknown)
          : isPlural(folded, start, end)
            ? this.#labelAt(folded, start, end - 1)
            : unknown
    }
  }

  #labelAt(text: string, from: number, to: number): number {
    return this.#words.find(text, from, to, hashOf(text, from, to))
  }

  /** Whether a name begins with this word, or is its singular: most words of a text end here. */
  #mayStart(at: number): boolean {
    const [label, singular] = [this.#found[at] ?? unknown, this.#foundSingular[at] ?? unknown]
    return (
      (label !== unknown && this.#roots[label] !== 0) || (singular !== unknown && this.#roots[singular] !== 0)
    )
  }

  #longestAt({ folded, from, joined, to }: Cut, first: number): Hit | null {
    let best: Hit | null = null
    let node = 0
    for (let at = first; at < from.length; at++) {
      if (folded.charCodeAt(from[at] ?? 0) === lineFeed) break
      const closed = joined[at + 1] !== true
      // A plural "s" may follow the last word of a name.
      const plural = closed ? this.#child(node, this.#foundSingular[at] ?? unknown) : 0
      node = this.#child(node, this.#found[at] ?? unknown)
      const next = from[at + 1] ?? 0
      const glued =
        !closed && folded.charCodeAt(next) === 115 && to[at + 1] === next + 1 && joined[at + 2] !== true
      if (this.#isEnd(node) && (closed || glued)) {
        best = { node, lastWord: at, last: closed ? at : at + 1, plural: false }
      } else if (this.#isEnd(plural)) best = { node: plural, lastWord: at, last: at, plural: true }
      if (node === 0) break
    }
    return best
  }

  #namesAt(node: number): ReadonlyArray<number> {
    const names: Array<number> = []
    const end = this.#nameStarts[node + 1] ?? 0
    for (let at = this.#nameStarts[node] ?? 0; at < end; at++) names.push(this.#names[at] ?? 0)
    return names
  }

  #isEnd(node: number): boolean {
    return node !== 0 && this.#nameStarts[node] !== this.#nameStarts[node + 1]
  }

  /** The node below, or 0: no edge leads to the root. */
  #child(node: number, label: number): number {
    if (label === unknown) return 0
    if (node === 0) return this.#roots[label] ?? 0
    let [low, high] = [this.#starts[node] ?? 0, this.#starts[node + 1] ?? 0]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#labels[middle] ?? 0) < label) low = middle + 1
      else high = middle
    }
    return low < (this.#starts[node + 1] ?? 0) && this.#labels[low] === label ? low + 1 : 0
  }
}

/** Where a name was found. */
interface Hit {
  readonly node: number
  /** The last word of the name itself, and of the match: a plural "s" may be a word of its own. */
  readonly lastWord: number
  readonly last: number
  readonly plural: boolean
}

/** The words of a match with one blank between them. */
const keyOf = ({ folded, from, to }: Cut, first: number, { lastWord, plural }: Hit): string => {
  const end = (to[lastWord] ?? 0) - (plural ? 1 : 0)
  let at = first
  while (at < lastWord && folded.charCodeAt(to[at] ?? 0) === 32 && (to[at] ?? 0) + 1 === from[at + 1]) at++
  // As it stands in the text, nearly always.
  if (at === lastWord) return folded.slice(from[first], end)
  let key = ""
  for (let word = first; word < lastWord; word++) key += `${folded.slice(from[word], to[word])} `
  return key + folded.slice(from[lastWord], end)
}

/** A break between blocks: no name reaches over it. */
const lineFeed = 10

/** Whether a word may be the plural of another one. */
const isPlural = (text: string, from: number, to: number): boolean =>
  to - from > 3 && text.charCodeAt(to - 1) === 115
