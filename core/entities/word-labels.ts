/** The label of a word that stands in no name. */
export const unknown = -1

/**
 * Numbers the words of names, in the order in which they come. Words are found by the units of the text that they
 * stand in, without a string for each: an open hash table in one array, so that a look touches little memory.
 */
export class WordLabels {
  /** For each slot the hash, the label plus 1 (0: free), the start among the units, and the length. */
  #slots = new Int32Array(slotSize << 10)
  #units = new Uint16Array(1 << 12)
  #unitsUsed = 0
  #count = 0

  get size(): number {
    return this.#count
  }

  /** The label of the word at [from, to) of the text, whose hash is known. */
  find(text: string, from: number, to: number, hash: number): number {
    const slots = this.#slots
    const mask = slots.length / slotSize - 1
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const at = slot * slotSize
      const label = (slots[at + 1] ?? 0) - 1
      if (label === unknown) return unknown
      if (slots[at] === hash && slots[at + 3] === to - from && this.#isAt(slots[at + 2] ?? 0, text, from, to))
        return label
    }
  }

  /** The label of a word, a new one if it has none. */
  label(word: string): number {
    const hash = hashOf(word, 0, word.length)
    const known = this.find(word, 0, word.length, hash)
    if (known !== unknown) return known
    if ((this.#count + 1) * slotSize * 2 > this.#slots.length) this.#grow()
    while (this.#unitsUsed + word.length > this.#units.length) {
      const units = new Uint16Array(this.#units.length * 2)
      units.set(this.#units)
      this.#units = units
    }
    for (let i = 0; i < word.length; i++) this.#units[this.#unitsUsed + i] = word.charCodeAt(i)
    const label = this.#count++
    this.#place(this.#slots, [hash, label + 1, this.#unitsUsed, word.length])
    this.#unitsUsed += word.length
    return label
  }

  /** Gives back the room that was kept for more words. */
  trim(): void {
    this.#units = this.#units.slice(0, this.#unitsUsed)
  }

  #isAt(start: number, text: string, from: number, to: number): boolean {
    for (let i = 0; i < to - from; i++) if (this.#units[start + i] !== text.charCodeAt(from + i)) return false
    return true
  }

  #grow(): void {
    const slots = new Int32Array(this.#slots.length * 2)
    for (let at = 0; at < this.#slots.length; at += slotSize)
      if (this.#slots[at + 1] !== 0) this.#place(slots, this.#slots.subarray(at, at + slotSize))
    this.#slots = slots
  }

  #place(slots: Int32Array, entry: ArrayLike<number>): void {
    const mask = slots.length / slotSize - 1
    let slot = (entry[0] ?? 0) & mask
    while (slots[slot * slotSize + 1] !== 0) slot = (slot + 1) & mask
    slots.set(entry, slot * slotSize)
  }
}

const slotSize = 4

const seed = 0x811c9dc5
const prime = 0x01000193

/** The hash of the word at [from, to) of a text. */
export const hashOf = (text: string, from: number, to: number): number => {
  let hash = seed
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ text.charCodeAt(at), prime)
  return hash ^ (hash >>> 15)
}
