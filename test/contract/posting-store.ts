import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { describe, expect } from "vitest"
import { type Atomic, atomically, type Ids, scopeOf, WorkspaceId } from "../../core/platform/kernel/index.js"
import type { WorkspaceStore } from "../../core/platform/workspace/index.js"
import { type NewSegment, PostingStore } from "../../core/search/lexical/index.js"
import { contractTestsFor, type Steps } from "./contract-tests.js"
import { postingInspectionLaws } from "./index-inspections.js"

const workspaceOf = (letter: string) => scopeOf(WorkspaceId.parse(`ws_01${letter.repeat(24)}`))
const [home, away] = [workspaceOf("a"), workspaceOf("b")]

const bytes = (...values: ReadonlyArray<number>) => Uint8Array.from(values)

/** A segment of two chunks; its bytes tell which it is. */
const segment = (name: number, firstLabel = name * 10): NewSegment => ({
  id: `1-${name}`,
  chunkCount: 2,
  liveLength: 30,
  firstLabel,
  lastLabel: firstLabel + 1,
  sizeBytes: 6,
  directory: bytes(name, 0, 255),
  blocks: [bytes(name), bytes(name, 1), bytes()]
})

const listed = (name: number) => ({
  id: `1-${name}`,
  chunkCount: 2,
  deadCount: 0,
  deadId: "",
  liveLength: 30,
  firstLabel: name * 10,
  lastLabel: name * 10 + 1,
  sizeBytes: 6
})

const oneDead = { deadId: "first", deadCount: 1, liveLength: 10, dead: bytes(0) }

/** The laws of PostingStore; `layer` gives an empty store for each. */
export const postingStoreContract = <E>(
  name: string,
  layer: () => Layer.Layer<PostingStore | WorkspaceStore | Atomic | Ids, E>
): void => {
  postingInspectionLaws(name, layer)
  describe(`PostingStore: ${name}`, () => {
    const law = contractTestsFor(layer)
    const lawOfStore = (sentence: string, proof: (store: PostingStore["Type"]) => Steps<void, Atomic>) =>
      law(
        sentence,
        Effect.flatMap(PostingStore, (store) => Effect.gen(() => proof(store)))
      )

    lawOfStore("gives back what was added, segments by first label", function* (store) {
      yield* store.add(home, segment(2))
      yield* store.add(home, segment(1))
      expect(yield* store.segments(home)).toEqual([listed(1), listed(2)])
      expect(yield* store.directory(home, "1-2")).toEqual(bytes(2, 0, 255))
      expect(yield* store.dead(home, "1-2")).toEqual({ deadId: "", dead: bytes() })
    })

    lawOfStore("keeps what is known of the largest segments that can be", function* (store) {
      const large = { ...segment(1), liveLength: 2 ** 33, sizeBytes: 2 ** 34 }
      const info = { ...listed(1), liveLength: 2 ** 33, sizeBytes: 2 ** 34 }
      yield* store.add(home, large)
      expect(yield* store.segments(home)).toEqual([info])
      const after = { ...oneDead, liveLength: 2 ** 32 }
      expect(yield* store.remove(home, "1-1", { deadId: "" }, after)).toBe(true)
      const { dead: _, ...changed } = after
      expect(yield* store.segments(home)).toEqual([{ ...info, ...changed }])
    })

    lawOfStore("gives blocks in the order asked for", function* (store) {
      yield* store.add(home, segment(1))
      expect(yield* store.blocks(home, "1-1", [2, 0])).toEqual([bytes(), bytes(1)])
      expect(yield* store.blocks(home, "1-1", [1])).toEqual([bytes(1, 1)])
      expect(yield* store.blocks(home, "1-1", [])).toEqual([])
    })

    lawOfStore("keeps workspaces apart, also under one id", function* (store) {
      yield* store.add(home, segment(1))
      yield* store.add(away, { ...segment(1), directory: bytes(9) })
      expect(yield* store.directory(home, "1-1")).toEqual(bytes(1, 0, 255))
      expect(yield* store.remove(away, "1-1", { deadId: "" }, oneDead)).toBe(true)
      expect(yield* store.segments(home)).toEqual([listed(1)])
      expect((yield* store.dead(home, "1-1")).dead).toEqual(bytes())
      yield* store.clear(away)
      expect(yield* store.segments(away)).toEqual([])
      expect(yield* store.segments(home)).toEqual([listed(1)])
      expect(yield* store.blocks(home, "1-1", [0])).toEqual([bytes(1)])
    })

    lawOfStore("says that a segment is gone", function* (store) {
      for (const read of [
        Effect.asVoid(store.directory(home, "1-9")),
        Effect.asVoid(store.blocks(home, "1-9", [0])),
        Effect.asVoid(store.dead(home, "1-9"))
      ])
        expect((yield* Effect.flip(read))._tag).toBe("SegmentGone")
    })

    lawOfStore(
      "replaces the set of removed chunks only where it is the one that was read",
      function* (store) {
        yield* store.add(home, segment(1))
        expect(yield* store.remove(home, "1-1", { deadId: "" }, oneDead)).toBe(true)
        expect(yield* store.remove(home, "1-1", { deadId: "" }, { ...oneDead, deadId: "late" })).toBe(false)
        expect(yield* store.remove(home, "1-9", { deadId: "" }, oneDead)).toBe(false)
        expect(yield* store.dead(home, "1-1")).toEqual({ deadId: "first", dead: bytes(0) })
        const { dead: _, ...counts } = oneDead
        expect(yield* store.segments(home)).toEqual([{ ...listed(1), ...counts }])
      }
    )

    lawOfStore("drops a segment with its last chunk", function* (store) {
      yield* store.add(home, segment(1))
      yield* store.remove(home, "1-1", { deadId: "" }, oneDead)
      const all = { deadId: "all", deadCount: 2, liveLength: 0, dead: bytes(0, 1) }
      expect(yield* store.remove(home, "1-1", { deadId: "first" }, all)).toBe(true)
      expect(yield* store.segments(home)).toEqual([])
      yield* store.add(home, segment(1))
      expect(yield* store.segments(home)).toEqual([listed(1)])
      expect(yield* store.dead(home, "1-1")).toEqual({ deadId: "", dead: bytes() })
    })

    lawOfStore("puts a merged segment in the place of others, as a whole", function* (store) {
      for (const each of [1, 2, 3]) yield* store.add(home, segment(each))
      yield* store.remove(home, "1-2", { deadId: "" }, oneDead)
      const [first, second] = yield* store.segments(home)
      if (first === undefined || second === undefined) throw new Error("They were there.")
      expect(yield* store.replace(home, [first, second], segment(4))).toBe(true)
      expect((yield* store.segments(home)).map(({ id }) => id)).toEqual(["1-3", "1-4"])
      expect(yield* store.blocks(home, "1-4", [1])).toEqual([bytes(4, 1)])
      expect(yield* store.replace(home, yield* store.segments(home), null)).toBe(true)
      expect(yield* store.segments(home)).toEqual([])
    })

    lawOfStore("changes nothing when one of the merged has changed or is gone", function* (store) {
      for (const each of [1, 2]) yield* store.add(home, segment(each))
      const before = yield* store.segments(home)
      yield* store.remove(home, "1-2", { deadId: "" }, oneDead)
      const after = yield* store.segments(home)
      expect(yield* store.replace(home, before, segment(4))).toBe(false)
      expect(yield* store.replace(home, [...after, listed(7)], segment(4))).toBe(false)
      expect(yield* store.segments(home)).toEqual(after)
      expect(yield* store.directory(home, "1-1")).toEqual(bytes(1, 0, 255))
      expect(yield* store.blocks(home, "1-2", [0])).toEqual([bytes(2)])
    })

    lawOfStore("lets one of many mergers win", function* (store) {
      for (const each of [1, 2]) yield* store.add(home, segment(each))
      const before = yield* store.segments(home)
      const tries = [4, 5, 6, 7].map((each) => store.replace(home, before, segment(each)))
      const won = yield* Effect.all(tries, { concurrency: 4 })
      expect(won.filter(Boolean)).toHaveLength(1)
      expect(yield* store.segments(home)).toHaveLength(1)
    })

    lawOfStore("takes part in the caller's unit of work", function* (store) {
      yield* store.add(home, segment(1))
      const work = Effect.gen(function* () {
        yield* store.add(home, segment(2))
        yield* store.remove(home, "1-1", { deadId: "" }, oneDead)
        expect(yield* store.segments(home)).toHaveLength(2)
        expect(yield* store.replace(home, [listed(2)], segment(3))).toBe(true)
        return yield* Effect.fail("undone")
      })
      yield* Effect.flip(atomically(work))
      expect(yield* store.segments(home)).toEqual([listed(1)])
      expect(yield* store.dead(home, "1-1")).toEqual({ deadId: "", dead: bytes() })
    })

    lawOfStore("gives another stamp after every change, and none inside a unit of work", function* (store) {
      yield* store.add(home, segment(1))
      const added = yield* store.stamp(home)
      yield* store.segments(home)
      expect(yield* store.stamp(home)).toBe(added)
      // A store that cannot tell says so each time.
      if (added === null) return
      const work = Effect.gen(function* () {
        yield* store.add(home, segment(2))
        expect(yield* store.stamp(home)).toBeNull()
        return yield* Effect.fail("undone")
      })
      yield* Effect.flip(atomically(work))
      const stamps = new Set([added])
      const changed = Effect.map(store.stamp(home), (stamp) => {
        expect(stamps).not.toContain(stamp)
        stamps.add(stamp ?? "none")
      })
      yield* store.add(home, segment(2))
      yield* changed
      yield* store.remove(home, "1-1", { deadId: "" }, oneDead)
      yield* changed
      yield* store.replace(home, [listed(2)], segment(3))
      yield* changed
      yield* store.clear(home)
      yield* changed
    })
  })
}
