import * as Effect from "effect/Effect"
import { scopeOf, WorkspaceId } from "../../core/platform/kernel/index.js"
import {
  type VectorChange,
  type VectorFeedReader,
  VectorIndex,
  type VectorIndexKey
} from "../../core/search/vectors/index.js"

export const dimensions = 16

/** A key of a workspace that the letter names. */
export const keyOf = (letter: string, model = "m"): VectorIndexKey => ({
  workspace: scopeOf(WorkspaceId.parse(`ws_01${letter.repeat(24)}`)),
  model,
  dimensions
})

/** A unit vector that belongs to a number; numbers of one family (by hundreds) lie near each other. */
export const vectorOf = (number: number, size = dimensions): Float32Array => {
  const family = Math.floor(number / 100)
  const raw = Float64Array.from({ length: size }, (_, i) => noise(family, i) + 0.5 * noise(number + 7919, i))
  const length = Math.sqrt(raw.reduce((sum, value) => sum + value * value, 0))
  return Float32Array.from(raw, (value) => value / length)
}

/** A unit vector that belongs to a number and lies about so far from another as the weight says. */
export const vectorNear = (vector: Float32Array, number: number, weight = 0.8): Float32Array => {
  const raw = Float64Array.from(vector, (value, i) => value + weight * noise(number + 99_991, i))
  const length = Math.sqrt(raw.reduce((sum, value) => sum + value * value, 0))
  return Float32Array.from(raw, (value) => value / length)
}

const noise = (seed: number, place: number): number => {
  let state = Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(place + 1, 0x85ebca6b)
  state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d)
  state = Math.imul(state ^ (state >>> 12), 0x297a2d39)
  return ((state ^ (state >>> 15)) >>> 0) / 2 ** 31 - 1
}

/** A feed as a store keeps it, one row a label, and an index that is fed from it. */
export const feedOf = (key: VectorIndexKey) => {
  const rows = new Map<number, VectorChange>()
  let head = 0
  let floor = 0
  const reader = (): VectorFeedReader => {
    const after = (seq: number) =>
      [...rows.values()]
        .filter((row) => row.seq > seq && (seq > 0 || row.vector !== null))
        .sort((a, b) => a.seq - b.seq)
    return {
      floor,
      head,
      now: Effect.sync(() => ({ floor, head })),
      count: (seq) => Effect.sync(() => after(seq).length),
      page: (seq) =>
        Effect.sync(() => {
          const changes = after(seq).slice(0, 100)
          return {
            after: seq,
            changes,
            position: changes.length < 100 ? head : (changes.at(-1)?.seq ?? head)
          }
        })
    }
  }
  /** Adds changes to the feed, and to the index too where it follows. */
  const add = (changes: ReadonlyArray<VectorChange>, follows = true) =>
    Effect.gen(function* () {
      const after = head
      const told = changes.map((change, place) => ({ ...change, seq: after + place + 1 }))
      for (const change of told) rows.set(change.label, change)
      head += told.length
      if (follows) yield* (yield* VectorIndex).apply(key, { after, changes: told, position: head })
    })
  /** Removals are no longer told. */
  const cut = () => {
    floor = head
    for (const [label, { vector }] of rows) if (vector === null) rows.delete(label)
  }
  const build = Effect.flatMap(VectorIndex, (index) =>
    Effect.zipRight(index.build(key, reader()), index.position(key, reader()))
  )
  /** Brings the index to the end of the feed; gives where it stood before. */
  const catchUp = Effect.gen(function* () {
    const index = yield* VectorIndex
    const start = yield* index.position(key, reader())
    let at = start
    while (at < head) {
      yield* index.apply(key, yield* reader().page(at))
      const now = yield* index.position(key, reader())
      if (now === at) break
      at = now
    }
    return start
  })
  return { add, cut, build, catchUp, reader }
}
