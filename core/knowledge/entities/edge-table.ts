import { type FrozenTrie, slotOf } from "./trie-builder.js"

/** Nodes with more edges than this use the hash table instead of a scan. */
const searchedMax = 8

/**
 * Stores the nodes and edges of a trie. Edge and name offsets of a node are adjacent in memory; nodes with many edges
 * (except the root) are found by hash.
 */
export class EdgeTable {
  /** For each node the offset of its first edge and of its first name, plus one sentinel node. */
  readonly #nodes: Int32Array
  readonly #labels: Int32Array
  /** Child nodes by hash of parent and label; 0 marks a free slot. */
  readonly #table: Int32Array

  constructor({ labels, nameStarts, starts }: FrozenTrie) {
    this.#labels = labels
    this.#nodes = new Int32Array(starts.length * 2)
    let hashed = 0
    for (let node = 0; node < starts.length; node++) {
      this.#nodes[node * 2] = starts[node] ?? 0
      this.#nodes[node * 2 + 1] = nameStarts[node] ?? 0
      if (node > 0 && this.#isLarge(starts, node)) hashed += (starts[node + 1] ?? 0) - (starts[node] ?? 0)
    }
    let size = 1
    while (size < hashed * 1.5) size *= 2
    this.#table = new Int32Array(size)
    for (let node = 1; node < starts.length - 1; node++) {
      if (!this.#isLarge(starts, node)) continue
      for (let edge = starts[node] ?? 0; edge < (starts[node + 1] ?? 0); edge++) {
        let slot = slotOf(node, labels[edge] ?? 0) & (size - 1)
        while (this.#table[slot] !== 0) slot = (slot + 1) & (size - 1)
        this.#table[slot] = edge + 1
      }
    }
  }

  /** Returns the child of a node other than the root, or 0. */
  below(node: number, label: number): number {
    const [from, to] = [this.#nodes[node * 2] ?? 0, this.#nodes[node * 2 + 2] ?? 0]
    if (to - from > searchedMax) {
      const mask = this.#table.length - 1
      for (let slot = slotOf(node, label) & mask; ; slot = (slot + 1) & mask) {
        const edge = (this.#table[slot] ?? 0) - 1
        if (edge < 0) return 0
        if (this.#labels[edge] === label && edge >= from && edge < to) return edge + 1
      }
    }
    for (let edge = from; edge < to; edge++) if (this.#labels[edge] === label) return edge + 1
    return 0
  }

  /** Returns whether a name ends at this node; none ends at the root. */
  isEnd(node: number): boolean {
    return node !== 0 && this.#nodes[node * 2 + 1] !== this.#nodes[node * 2 + 3]
  }

  /** Returns the offset of the first name of a node; the next node's offset ends the range. */
  namesStart(node: number): number {
    return this.#nodes[node * 2 + 1] ?? 0
  }

  namesEnd(node: number): number {
    return this.#nodes[node * 2 + 3] ?? 0
  }

  #isLarge(starts: Int32Array, node: number): boolean {
    return (starts[node + 1] ?? 0) - (starts[node] ?? 0) > searchedMax
  }
}
