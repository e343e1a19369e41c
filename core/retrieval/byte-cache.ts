/** A map that forgets what was used longest ago once its values weigh more than a limit. */
export class ByteCache<Value> {
  readonly #entries = new Map<string, { readonly value: Value; readonly sizeBytes: number }>()
  #sizeBytes = 0

  constructor(readonly limitBytes: number) {}

  /** What all values weigh, as they said when they came. */
  get sizeBytes(): number {
    return this.#sizeBytes
  }

  /** The value, which then counts as used last. */
  get(key: string): Value | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.value
  }

  /** Keeps a value; one that is heavier than the whole limit is not kept. */
  set(key: string, value: Value, sizeBytes: number): void {
    this.#drop(key)
    if (sizeBytes > this.limitBytes) return
    this.#entries.set(key, { value, sizeBytes })
    this.#sizeBytes += sizeBytes
    for (const oldest of this.#entries.keys()) {
      if (this.#sizeBytes <= this.limitBytes) break
      this.#drop(oldest)
    }
  }

  #drop(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#sizeBytes -= entry.sizeBytes
  }
}
