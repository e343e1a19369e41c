import type { FlatVectors } from "./flat-vectors.js"

/** Numbers of all copies of one index: 16 MB. */
const cellsMax = 4_000_000

/** Vectors of one set at most; comparing them takes about a millisecond. */
const copiedMax = 4000

/**
 * Copies of the vectors of small sets of labels that are searched again and again, such as those that a group of readers
 * may read. A search of few among many visits most of a graph; comparing a copy one by one costs less.
 */
export class NarrowCopies {
  readonly #seen = new WeakSet<ReadonlySet<number>>()
  /** The least recently used one first. */
  readonly #copies = new Map<ReadonlySet<number>, FlatVectors>()

  /** Whether a copy is worth its making: the set is small and was searched before. Sets never change. */
  isWorth(labels: ReadonlySet<number>): boolean {
    if (labels.size > copiedMax) return false
    if (this.#seen.has(labels)) return true
    this.#seen.add(labels)
    return false
  }

  get(labels: ReadonlySet<number>): FlatVectors | undefined {
    const found = this.#copies.get(labels)
    if (found === undefined) return undefined
    this.#copies.delete(labels)
    this.#copies.set(labels, found)
    return found
  }

  set(labels: ReadonlySet<number>, copy: FlatVectors): void {
    this.#copies.delete(labels)
    this.#copies.set(labels, copy)
    let cells = 0
    for (const { count, dimensions } of this.#copies.values()) cells += count * dimensions
    for (const [oldest, { count, dimensions }] of this.#copies) {
      if (cells <= cellsMax) break
      this.#copies.delete(oldest)
      cells -= count * dimensions
    }
  }

  delete(labels: ReadonlySet<number>): void {
    this.#copies.delete(labels)
  }

  clear(): void {
    this.#copies.clear()
  }
}
