/** A set of labels, stored as one bit each so that it stays small for large corpora. */
export class LabelSet {
  #bits = new Uint8Array(1 << 12)

  has(label: number): boolean {
    return ((this.#bits[label >>> 3] ?? 0) & (1 << (label & 7))) !== 0
  }

  /** Returns whether the label was already in the set. */
  add(label: number): boolean {
    const place = label >>> 3
    if (place >= this.#bits.length) {
      const larger = new Uint8Array(Math.max(this.#bits.length * 2, place + 1))
      larger.set(this.#bits)
      this.#bits = larger
    }
    const before = this.has(label)
    this.#bits[place] = (this.#bits[place] ?? 0) | (1 << (label & 7))
    return before
  }
}
