import { stopWords } from "./stop-words.js"
import { blockBreak, surfaceKey, type Tokens, tokenize } from "./tokens.js"

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
 * A trie over the words of names, its edges in one open hash table of typed arrays. Built once, then read only.
 * Looking up costs at most the words of the longest name for each word of the text.
 */
export class NameTrie {
  private readonly wordIds = new Map<string, number>()
  private parents: Int32Array = new Int32Array(1024).fill(-1)
  private labels: Int32Array = new Int32Array(1024)
  private children: Int32Array = new Int32Array(1024)
  private edgeCount = 0
  private nodeCount = 1
  /** The first and last entry of each node that ends a surface, plus 1; 0 for none. */
  private firsts: Int32Array = new Int32Array(1024)
  private lasts: Int32Array = new Int32Array(1024)
  /** Entries: a name, and the next entry of the same node plus 1. */
  private entryNames: Int32Array = new Int32Array(1024)
  private entryNexts: Int32Array = new Int32Array(1024)
  private entryCount = 0

  /** @param surfaces Pairs of a surface (any spelling) and the number of its name; those of one name in a row. */
  constructor(surfaces: Iterable<readonly [surface: string, name: number]>) {
    for (const [surface, name] of surfaces) {
      const key = surfaceKey(surface)
      if (isDetectable(key)) this.add(key, name)
    }
  }

  /** Finds names from left to right, the longest at each place, none overlapping another. */
  find(text: string): ReadonlyArray<NameMatch> {
    return this.findIn(tokenize(text))
  }

  /** As `find`, in a text that is cut into words already. */
  findIn(tokens: Tokens): ReadonlyArray<NameMatch> {
    const found: Array<NameMatch> = []
    const labels = tokens.words.map((word) => this.wordIds.get(word) ?? unknown)
    let at = 0
    while (at < labels.length) {
      const hit = tokens.joined[at] === true ? null : this.longestAt(tokens, labels, at)
      if (hit === null) at++
      else {
        const words = tokens.words.slice(at, hit.lastWord + 1)
        if (hit.plural) words.push((words.pop() ?? "").slice(0, -1))
        found.push({
          start: tokens.starts[at] ?? 0,
          end: tokens.ends[hit.last] ?? 0,
          key: words.join(" "),
          names: this.namesAt(hit.node)
        })
        at = hit.last + 1
      }
    }
    return found
  }

  private longestAt({ joined, words }: Tokens, labels: ReadonlyArray<number>, from: number): Hit | null {
    let best: Hit | null = null
    let node = 0
    for (let at = from; at < labels.length; at++) {
      const word = words[at] ?? ""
      if (word === blockBreak) break
      const closed = joined[at + 1] !== true
      // A plural "s" may follow the last word of a name.
      const singular =
        closed && word.length > 3 && word.endsWith("s") ? this.wordIds.get(word.slice(0, -1)) : undefined
      const plural = singular === undefined ? 0 : this.child(node, singular)
      node = this.child(node, labels[at] ?? unknown)
      const glued = !closed && words[at + 1] === "s" && joined[at + 2] !== true
      if (this.firsts[node] !== 0 && (closed || glued)) {
        best = { node, lastWord: at, last: closed ? at : at + 1, plural: false }
      } else if (this.firsts[plural] !== 0) best = { node: plural, lastWord: at, last: at, plural: true }
      if (node === 0) break
    }
    return best
  }

  private namesAt(node: number): ReadonlyArray<number> {
    const names: Array<number> = []
    for (let entry = this.firsts[node] ?? 0; entry !== 0; entry = this.entryNexts[entry - 1] ?? 0) {
      names.push(this.entryNames[entry - 1] ?? 0)
    }
    return names
  }

  private add(key: string, name: number): void {
    let node = 0
    for (const word of key.split(" ")) {
      let label = this.wordIds.get(word)
      if (label === undefined) {
        label = this.wordIds.size
        this.wordIds.set(word, label)
      }
      const known = this.child(node, label)
      node = known === 0 ? this.link(node, label) : known
    }
    const last = this.lasts[node] ?? 0
    if (last !== 0 && this.entryNames[last - 1] === name) return
    if (this.entryCount === this.entryNames.length) {
      this.entryNames = longer(this.entryNames)
      this.entryNexts = longer(this.entryNexts)
    }
    this.entryNames[this.entryCount++] = name
    if (last === 0) this.firsts[node] = this.entryCount
    else this.entryNexts[last - 1] = this.entryCount
    this.lasts[node] = this.entryCount
  }

  /** The node below, or 0: no edge leads to the root. */
  private child(node: number, label: number): number {
    if (label === unknown) return 0
    const mask = this.parents.length - 1
    for (let slot = slotOf(node, label) & mask; ; slot = (slot + 1) & mask) {
      if (this.parents[slot] === -1) return 0
      if (this.parents[slot] === node && this.labels[slot] === label) return this.children[slot] ?? 0
    }
  }

  private link(node: number, label: number): number {
    if (this.edgeCount * 2 >= this.parents.length) this.grow()
    this.place(node, label, this.nodeCount)
    this.edgeCount++
    if (this.nodeCount === this.firsts.length) {
      this.firsts = longer(this.firsts)
      this.lasts = longer(this.lasts)
    }
    return this.nodeCount++
  }

  private place(node: number, label: number, child: number): void {
    const mask = this.parents.length - 1
    let slot = slotOf(node, label) & mask
    while (this.parents[slot] !== -1) slot = (slot + 1) & mask
    this.parents[slot] = node
    this.labels[slot] = label
    this.children[slot] = child
  }

  private grow(): void {
    const { children, labels, parents } = this
    this.parents = new Int32Array(parents.length * 2).fill(-1)
    this.labels = new Int32Array(parents.length * 2)
    this.children = new Int32Array(parents.length * 2)
    for (let slot = 0; slot < parents.length; slot++) {
      if (parents[slot] !== -1) this.place(parents[slot] ?? 0, labels[slot] ?? 0, children[slot] ?? 0)
    }
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

/** The label of a word that stands in no name. */
const unknown = -1

const longer = (array: Int32Array): Int32Array => {
  const grown = new Int32Array(array.length * 2)
  grown.set(array)
  return grown
}

const slotOf = (node: number, label: number): number =>
  (Math.imul(node, 0x9e3779b1) ^ Math.imul(label + 1, 0x85ebca6b)) >>> 3
