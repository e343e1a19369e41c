/** Slots with scores, the least score on top. Its room is used again by the next search. */
export class SlotHeap {
  readonly #scores: Array<number> = []
  readonly #slots: Array<number> = []
  #size = 0

  get size(): number {
    return this.#size
  }

  get leastScore(): number {
    return this.#scores[0] ?? 0
  }

  get leastSlot(): number {
    return this.#slots[0] ?? 0
  }

  clear(): void {
    this.#size = 0
  }

  add(slot: number, score: number): void {
    const [scores, slots] = [this.#scores, this.#slots]
    let place = this.#size
    this.#size += 1
    while (place > 0) {
      const parent = (place - 1) >> 1
      const above = scores[parent] ?? 0
      if (above <= score) break
      scores[place] = above
      slots[place] = slots[parent] ?? 0
      place = parent
    }
    scores[place] = score
    slots[place] = slot
  }

  removeLeast(): void {
    this.#size -= 1
    this.replaceLeast(this.#slots[this.#size] ?? 0, this.#scores[this.#size] ?? 0)
  }

  /** As `removeLeast` and `add`, in one way down. */
  replaceLeast(slot: number, score: number): void {
    const [scores, slots, size] = [this.#scores, this.#slots, this.#size]
    let place = 0
    while (true) {
      let child = 2 * place + 1
      if (child >= size) break
      if (child + 1 < size && (scores[child + 1] ?? 0) < (scores[child] ?? 0)) child += 1
      const below = scores[child] ?? 0
      if (score <= below) break
      scores[place] = below
      slots[place] = slots[child] ?? 0
      place = child
    }
    scores[place] = score
    slots[place] = slot
  }
}
