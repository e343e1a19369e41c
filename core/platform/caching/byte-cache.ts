import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** An entry of the doubly linked list of use. */
interface Entry<Key, Value> {
  readonly key: Key
  readonly value: Value
  readonly sizeBytes: number
  readonly group: string | undefined
  older: Entry<Key, Value> | null
  newer: Entry<Key, Value> | null
}

/** A cache that evicts the least recently used values when their total size exceeds a limit. */
export class ByteCache<Value, Key extends string | number = string> {
  readonly #entries = new Map<Key, Entry<Key, Value>>()
  readonly #groups = new Map<string, Set<Entry<Key, Value>>>()
  #oldest: Entry<Key, Value> | null = null
  #newest: Entry<Key, Value> | null = null
  #sizeBytes = 0

  constructor(readonly limitBytes: number) {}

  /** Sum of the sizes given to `set`. */
  get sizeBytes(): number {
    return this.#sizeBytes
  }

  /** Returns the value and marks it as most recently used. */
  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    if (entry !== this.#newest) {
      this.#unlink(entry)
      this.#link(entry)
    }
    return entry.value
  }

  /**
   * Stores a value; one larger than the limit is not stored.
   *
   * @param group Name of a group that can be dropped as a whole.
   */
  set(key: Key, value: Value, sizeBytes: number, group?: string): void {
    const before = this.#entries.get(key)
    if (before !== undefined) this.#drop(before)
    if (sizeBytes > this.limitBytes) return
    const entry: Entry<Key, Value> = { key, value, sizeBytes, group, older: null, newer: null }
    this.#entries.set(key, entry)
    if (group !== undefined) this.#join(group, entry)
    this.#link(entry)
    this.#sizeBytes += sizeBytes
    while (this.#sizeBytes > this.limitBytes && this.#oldest !== null) this.#drop(this.#oldest)
  }

  /** Drops all values of a group. */
  dropGroup(group: string): void {
    for (const entry of this.#groups.get(group) ?? []) this.#drop(entry)
  }

  #join(group: string, entry: Entry<Key, Value>): void {
    const joined = this.#groups.get(group)
    if (joined === undefined) this.#groups.set(group, new Set([entry]))
    else joined.add(entry)
  }

  #leave(group: string, entry: Entry<Key, Value>): void {
    const joined = this.#groups.get(group)
    joined?.delete(entry)
    if (joined?.size === 0) this.#groups.delete(group)
  }

  #drop(entry: Entry<Key, Value>): void {
    this.#entries.delete(entry.key)
    this.#unlink(entry)
    if (entry.group !== undefined) this.#leave(entry.group, entry)
    this.#sizeBytes -= entry.sizeBytes
  }

  #unlink(entry: Entry<Key, Value>): void {
    if (entry.older === null) this.#oldest = entry.newer
    else entry.older.newer = entry.newer
    if (entry.newer === null) this.#newest = entry.older
    else entry.newer.older = entry.older
    entry.older = null
    entry.newer = null
  }

  #link(entry: Entry<Key, Value>): void {
    entry.older = this.#newest
    if (this.#newest === null) this.#oldest = entry
    else this.#newest.newer = entry
    this.#newest = entry
  }
}

const mebibyte = 1024 * 1024

/** Default size of each cache, in MiB. */
const shares = { lexical: 48, search: 24, answers: 64 } as const
const whole = Object.values(shares).reduce((sum, share) => sum + share, 0)

/** Total size limit of an engine's read caches, in bytes. */
export class CacheBytes extends Context.Reference<CacheBytes>()("kanon/CacheBytes", {
  defaultValue: (): number => whole * mebibyte
}) {}

/** Returns the size limit of one cache, in bytes. */
export const bytesFor = (cache: keyof typeof shares): Effect.Effect<number> =>
  Effect.map(CacheBytes, (bytes) => (bytes * shares[cache]) / whole)
