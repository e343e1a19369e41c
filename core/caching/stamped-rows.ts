import * as Effect from "effect/Effect"
import type { WorkspaceScope } from "../kernel/index.js"
import { ByteCache } from "./byte-cache.js"

/**
 * What is read again and again of single things of workspaces, such as documents: of use only as of the stamp of the
 * database that it was read under (see `PostingStore`), and without a stamp read each time. Bounded in bytes; forgets
 * what was used longest ago.
 */
export class StampedRows<Key extends string, Value> {
  readonly #rows: ByteCache<{ readonly stamp: string; readonly value: Value }>

  /** @param sizeOf What a value weighs in bytes, or a little more. */
  constructor(
    limitBytes: number,
    private readonly sizeOf: (value: Value) => number
  ) {
    this.#rows = new ByteCache(limitBytes)
  }

  /** What there is of these; what is not known is read at once. */
  of<E, R>(
    workspace: WorkspaceScope,
    stamp: string | null,
    keys: ReadonlyArray<Key>,
    read: (missing: ReadonlyArray<Key>) => Effect.Effect<ReadonlyMap<Key, Value>, E, R>
  ): Effect.Effect<ReadonlyMap<Key, Value>, E, R> {
    const found = new Map<Key, Value>()
    const missing = keys.filter((key) => {
      const held = stamp === null ? undefined : this.#rows.get(`${workspace}/${key}`)
      if (held === undefined || held.stamp !== stamp) return true
      found.set(key, held.value)
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

/** What a key and the objects around a value take. */
const rowBytes = 300
