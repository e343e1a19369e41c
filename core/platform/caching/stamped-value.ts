import * as Effect from "effect/Effect"
import { cacheKeyOf, type WorkspaceScope } from "../kernel/index.js"
import { ByteCache } from "./byte-cache.js"

/** Number of workspaces whose values are cached; the least recently set is evicted. */
const workspacesMax = 64

/** Caches one value per workspace, valid for one stamp. */
export class StampedValue<Value> {
  readonly #values = new Map<string, { readonly stamp: string; readonly value: Value }>()

  /** Returns the value if the stamp is unchanged; undefined without a stamp. */
  get(workspace: string, stamp: string | null): Value | undefined {
    const cached = this.#values.get(workspace)
    return stamp !== null && cached?.stamp === stamp ? cached.value : undefined
  }

  set(workspace: string, stamp: string | null, value: Value): void {
    this.#values.delete(workspace)
    if (stamp === null) return
    this.#values.set(workspace, { stamp, value })
    if (this.#values.size <= workspacesMax) return
    for (const oldest of this.#values.keys()) {
      this.#values.delete(oldest)
      return
    }
  }
}

/**
 * A cache of rows that are read often, such as documents. Entries are valid for the database stamp under which they
 * were read (see `PostingStore`); without a stamp every row is read. Bounded in bytes, least recently used rows
 * evicted first.
 */
export class StampedRows<Key extends string, Value> {
  readonly #rows: ByteCache<{ readonly stamp: string; readonly value: Value }>

  /** @param sizeOf Returns the approximate size of a value in bytes, rounded up. */
  constructor(
    limitBytes: number,
    private readonly sizeOf: (value: Value) => number
  ) {
    this.#rows = new ByteCache(limitBytes)
  }

  /** Returns the values of these keys and reads those that are not cached. */
  of<E, R>(
    workspace: WorkspaceScope,
    stamp: string | null,
    keys: ReadonlyArray<Key>,
    read: (missing: ReadonlyArray<Key>) => Effect.Effect<ReadonlyMap<Key, Value>, E, R>
  ): Effect.Effect<ReadonlyMap<Key, Value>, E, R> {
    return Effect.flatMap(cacheKeyOf(workspace), (scope) => this.#within(scope, stamp, keys, read))
  }

  #within<E, R>(
    workspace: string,
    stamp: string | null,
    keys: ReadonlyArray<Key>,
    read: (missing: ReadonlyArray<Key>) => Effect.Effect<ReadonlyMap<Key, Value>, E, R>
  ): Effect.Effect<ReadonlyMap<Key, Value>, E, R> {
    const found = new Map<Key, Value>()
    const missing = keys.filter((key) => {
      const cached = stamp === null ? undefined : this.#rows.get(`${workspace}/${key}`)
      if (cached === undefined || cached.stamp !== stamp) return true
      found.set(key, cached.value)
      return false
    })
    if (missing.length === 0) return Effect.succeed(found)
    return Effect.map(read(missing), (rows) => {
      for (const [key, value] of rows) {
        found.set(key, value)
        if (stamp !== null)
          this.#rows.set(`${workspace}/${key}`, { stamp, value }, rowBytes + this.sizeOf(value))
      }
      return found
    })
  }
}

/** Overhead of a key and the objects around a value. */
const rowBytes = 300
