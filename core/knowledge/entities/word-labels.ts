/** Label of a word that occurs in no name. */
export const unknown = -1

/**
 * Numbers the words of names in order of appearance. An open hash table in one array finds words directly in the
 * units of a text, without allocating a string per word.
 */
export class WordLabels {
  /** For each slot: hash, label plus 1 (0 is free), start among the units, and length. */
  #slots = new Int32Array(slotSize << 10)
  #units = new Uint16Array(1 << 12)
  #unitsUsed = 0
  #count = 0

  get size(): number {
    return this.#count
  }

  /** Returns the label of the word at [from, to) of the given text units, whose hash is known. */
  find(units: Uint16Array, from: number, to: number, hash: number): number {
    const slots = this.#slots
    const mask = slots.length / slotSize - 1
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const at = slot * slotSize
      const label = (slots[at + 1] ?? 0) - 1
      if (label === unknown) return unknown
      if (
        slots[at] === hash &&
        slots[at + 3] === to - from &&
        this.#isAt(slots[at + 2] ?? 0, units, from, to)
      )
        return label
    }
  }
  labelOf(word: string): number {
    const units = unitsOf(word)
    return this.find(units, 0, units.length, hashOf(units, 0, units.length))
  }

  /** Returns the label of a word, and adds one if it is new. */
  label(word: string): number {
    const units = unitsOf(word)
    const hash = hashOf(units, 0, word.length)
    const known = this.find(units, 0, word.length, hash)
    if (known !== unknown) return known
    if ((this.#count + 1) * slotSize * 2 > this.#slots.length) this.#grow()
    while (this.#unitsUsed + word.length > this.#units.length) {
      const longer = new Uint16Array(this.#units.length * 2)
      longer.set(this.#units)
      this.#units = longer
    }
    this.#units.set(units, this.#unitsUsed)
    const label = this.#count++
    this.#place(this.#slots, [hash, label + 1, this.#unitsUsed, word.length])
    this.#unitsUsed += word.length
    return label
  }

  /** Releases unused capacity. */
  trim(): void {
    this.#units = this.#units.slice(0, this.#unitsUsed)
  }

  #isAt(start: number, units: Uint16Array, from: number, to: number): boolean {
    for (let i = from, at = start; i < to; i++, at++) if (this.#units[at] !== units[i]) return false
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

const unitsOf = (word: string): Uint16Array => {
  const units = new Uint16Array(word.length)
  for (let i = 0; i < word.length; i++) units[i] = word.charCodeAt(i)
  return units
}

/** FNV-1a seed. `hashWith` adds units, `readyHash` finishes the hash. */
export const seed = 0x811c9dc5 | 0
export const hashWith = (hash: number, unit: number): number => Math.imul(hash ^ unit, 0x01000193)
export const readyHash = (hash: number): number => hash ^ (hash >>> 15)

/** Returns the hash of the word at [from, to) of the given text units. */
export const hashOf = (units: Uint16Array, from: number, to: number): number => {
  let hash = seed
  for (let at = from; at < to; at++) hash = hashWith(hash, units[at] ?? 0)
  return readyHash(hash)
}
