import { EdgeTable } from "./edge-table.js"
import { stopWords } from "./stop-words.js"
import { splitWords, surfaceKey } from "./tokens.js"
import { TrieBuilder } from "./trie-builder.js"
import { hashOf, unknown, WordLabels } from "./word-labels.js"
import type { WordReader } from "./word-reader.js"

/** A name found in a text. */
export interface NameMatch {
  /** UTF-16 offsets in the searched text. */
  readonly start: number
  readonly end: number
  /** The surface key that matched. */
  readonly key: string
  /** Numbers of all names with this surface, ascending. */
  readonly names: ReadonlyArray<number>
}

/** A single letter, or digits alone, cannot be detected as a name. */
const tooShort = /^(?:.|\p{N}+)$/su
const solidWord = /^[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]$/u

/** Returns whether a surface can be detected: it has words and is no single stop word, letter or number. */
export const isDetectable = (key: string): boolean =>
  key !== "" && !stopWords.has(key) && (solidWord.test(key) || !tooShort.test(key))

/**
 * A read-only trie over the words of names, in columns. For each word of a text, a lookup visits at most as many
 * nodes as the longest name has words.
 */
export class NameTrie {
  readonly #words = new WordLabels()
  readonly #edges: EdgeTable
  readonly #names: Int32Array
  /**
   * For each label the child of the root (0 for none) and the label without a plural "s". Both are adjacent because
   * both are read for each word.
   */
  readonly #byLabel: Int32Array
  /** Labels of the words of the current text and of their singulars; the buffer is reused. */
  #found = new Int32Array(1 << 8)
  #foundSingular = new Int32Array(1 << 8)

  /** @param surfaces Pairs of a surface (any spelling) and the number of its name, grouped by name. */
  constructor(surfaces: Iterable<readonly [surface: string, name: number]>) {
    const builder = new TrieBuilder()
    const singulars: Array<readonly [plural: number, word: string]> = []
    for (const [surface, name] of surfaces) {
      const key = surfaceKey(surface)
      if (!isDetectable(key)) continue
      const path = key.split(" ").map((word) => {
        const label = this.#words.label(word)
        if (word.length > 3 && word.endsWith("s")) singulars.push([label, word])
        return label
      })
      builder.add(path, name)
    }
    this.#words.trim()
    const trie = builder.freeze()
    this.#names = trie.names
    this.#edges = new EdgeTable(trie)
    this.#byLabel = new Int32Array(this.#words.size * 2)
    for (let label = 0; label < this.#words.size; label++) this.#byLabel[label * 2 + 1] = unknown
    for (let edge = 0; edge < (trie.starts[1] ?? 0); edge++)
      this.#byLabel[(trie.labels[edge] ?? 0) * 2] = edge + 1
    for (const [plural, word] of singulars)
      this.#byLabel[plural * 2 + 1] = this.#words.labelOf(word.slice(0, -1))
  }

  /** Finds names from left to right, the longest at each position, without overlaps. */
  find(text: string): ReadonlyArray<NameMatch> {
    const { endOf, startOf, words } = splitWords(text)
    this.#look(words)
    const found: Array<NameMatch> = []
    for (let at = 0; at < words.count; ) {
      const hit = words.joined[at] !== 1 && this.#mayStart(at) ? this.#longestAt(words, at) : null
      if (hit === null) at++
      else {
        found.push({
          start: startOf(at),
          end: endOf(hit.last),
          key: keyOf(text, words, at, hit),
          names: this.#namesAt(hit.node)
        })
        at = hit.last + 1
      }
    }
    return found
  }

  /** Looks up the labels of all words of a text. */
  #look({ count, from, hashes, to, units }: WordReader): void {
    if (count > this.#found.length) {
      this.#found = new Int32Array(count * 2)
      this.#foundSingular = new Int32Array(count * 2)
    }
    const [found, foundSingular] = [this.#found, this.#foundSingular]
    for (let at = 0; at < count; at++) {
      const [start, end] = [from[at] ?? 0, to[at] ?? 0]
      const label = this.#words.find(units, start, end, hashes[at] ?? 0)
      found[at] = label
      foundSingular[at] =
        label !== unknown
          ? (this.#byLabel[label * 2 + 1] ?? unknown)
          : isPlural(units, start, end)
            ? this.#words.find(units, start, end - 1, hashOf(units, start, end - 1))
            : unknown
    }
  }

  /** Returns whether a name starts with this word or its singular; most words end the search here. */
  #mayStart(at: number): boolean {
    return this.#below(0, this.#found[at] ?? unknown) + this.#below(0, this.#foundSingular[at] ?? unknown) > 0
  }

  #longestAt(words: WordReader, first: number): Hit | null {
    const { count, from, joined, units } = words
    let best: Hit | null = null
    let node = 0
    for (let at = first; at < count; at++) {
      if (units[from[at] ?? 0] === lineFeed) break
      const closed = at + 1 >= count || joined[at + 1] !== 1
      // A plural "s" may follow the last word of a name.
      const plural = closed ? this.#below(node, this.#foundSingular[at] ?? unknown) : 0
      node = this.#below(node, this.#found[at] ?? unknown)
      if (this.#edges.isEnd(node) && (closed || isGluedPlural(words, at + 1)))
        best = { node, lastWord: at, last: closed ? at : at + 1, plural: false }
      else if (this.#edges.isEnd(plural)) best = { node: plural, lastWord: at, last: at, plural: true }
      if (node === 0) break
    }
    return best
  }

  #namesAt(node: number): ReadonlyArray<number> {
    const names: Array<number> = []
    const end = this.#edges.namesEnd(node)
    for (let at = this.#edges.namesStart(node); at < end; at++) names.push(this.#names[at] ?? 0)
    return names
  }

  /** Returns the child of a node, or 0. */
  #below(node: number, label: number): number {
    if (label === unknown) return 0
    return node === 0 ? (this.#byLabel[label * 2] ?? 0) : this.#edges.below(node, label)
  }
}

/** Position of a match. */
interface Hit {
  readonly node: number
  /** The last word of the name, and that of the match, which may include a separate plural "s". */
  readonly lastWord: number
  readonly last: number
  readonly plural: boolean
}

/** Returns whether a word is a plural "s" joined to the word before. */
const isGluedPlural = ({ count, from, joined, to, units }: WordReader, word: number): boolean => {
  const start = from[word] ?? 0
  return units[start] === 115 && to[word] === start + 1 && (word + 1 >= count || joined[word + 1] !== 1)
}

/** Returns the words of a match, joined by single blanks. */
const keyOf = (text: string, words: WordReader, first: number, { lastWord, plural }: Hit): string => {
  const { from, to, units } = words
  const [start, end] = [from[first] ?? 0, (to[lastWord] ?? 0) - (plural ? 1 : 0)]
  let at = first
  while (at < lastWord && units[to[at] ?? 0] === 32 && (to[at] ?? 0) + 1 === from[at + 1]) at++
  // Fast path: the text equals the key in nearly all cases.
  if (at === lastWord) return words.isAscii ? text.slice(start, end).toLowerCase() : words.textOf(start, end)
  let key = ""
  for (let word = first; word < lastWord; word++) key += `${words.textOf(from[word] ?? 0, to[word] ?? 0)} `
  return key + words.textOf(from[lastWord] ?? 0, end)
}

/** A break between blocks; no name spans it. */
const lineFeed = 10

/** Returns whether a word may be the plural of another one. */
const isPlural = (units: Uint16Array, from: number, to: number): boolean =>
  to - from > 3 && units[to - 1] === 115
