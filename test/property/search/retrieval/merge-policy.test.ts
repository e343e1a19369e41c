import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { largestMerge, mergeSize, nextMerge } from "../../../../core/search/lexical/merge-policy.js"
import type { SegmentInfo } from "../../../../core/search/segments/index.js"
import { runs } from "../../../support/runs.js"

const info = (chunkCount: number, deadCount: number, id: number): SegmentInfo => ({
  id: `${id}`,
  chunkCount,
  deadCount,
  deadId: "",
  liveLength: 0,
  firstLabel: id,
  lastLabel: id,
  sizeBytes: 0
})

/** The segments of an index that grows, with what its merges have written. */
class Index {
  segments: ReadonlyArray<SegmentInfo> = []
  size = 0
  written = 0
  largestInWrite = 0
  #id = 0

  /** Adds a batch as a change does, with the merges that belong into it. */
  add(chunks: number): void {
    this.segments = [...this.segments, info(chunks, 0, this.#id++)]
    this.size += chunks
    const limit = () => (this.segments.length > 64 ? 4802 : 343)
    for (let due = nextMerge(this.segments, limit()); due !== null; due = nextMerge(this.segments, limit())) {
      this.largestInWrite = Math.max(this.largestInWrite, mergeSize(due))
      this.#replace(due)
    }
  }

  /** Merges as the job does; every merge must fit into the largest segment. */
  merge(): void {
    for (let due = nextMerge(this.segments); due !== null; due = nextMerge(this.segments)) {
      expect(mergeSize(due)).toBeLessThanOrEqual(largestMerge(this.segments))
      this.#replace(due)
    }
  }

  #replace(due: ReadonlyArray<SegmentInfo>): void {
    const merged = mergeSize(due)
    this.written += merged
    this.segments = [...this.segments.filter((one) => !due.includes(one)), info(merged, 0, this.#id++)]
  }
}

/** Sizes of batches that repeat until the index is full. */
const batches = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: 500, max: 3000 }) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 400 }) },
    { weight: 1, arbitrary: fc.integer({ min: 3000, max: 60_000 }) }
  ),
  { minLength: 1, maxLength: 12 }
)
/** Keeps the number of batches of a run in the thousands. */
const atLeast = (sizes: ReadonlyArray<number>, mean: number) => {
  const sum = sizes.reduce((total, size) => total + size, 0)
  return sum >= mean * sizes.length ? sizes : [...sizes, mean * sizes.length]
}

describe("the choice of which segments to merge", () => {
  it("keeps at most 64 segments up to ten million passages, and rewrites each passage seldom", () => {
    fc.assert(
      fc.property(batches, fc.integer({ min: 1, max: 12 }), (sizes, changesPerJob) => {
        const [index, pattern] = [new Index(), atLeast(sizes, 1500)]
        for (let turn = 0; index.size < 10_000_000; turn++) {
          index.add(pattern[turn % pattern.length] ?? 1)
          if (turn % changesPerJob > 0) continue
          index.merge()
          expect(index.segments.length).toBeLessThanOrEqual(64)
        }
        expect(index.largestInWrite).toBeLessThanOrEqual(343)
        // Once for each tier of seven, and once for each doubling beyond the tiers.
        const tiers = Math.log(index.size) / Math.log(7)
        expect(index.written / index.size).toBeLessThanOrEqual(1.5 * tiers)
        expect(mergeSize(index.segments)).toBe(index.size)
      }),
      { numRuns: runs(12) }
    )
  })

  it("keeps small changes few without a job, and merges at most 4,802 passages in one", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 }), (size) => {
        const index = new Index()
        while (index.size < 2000 * size && index.size < 400_000) index.add(size)
        expect(index.largestInWrite).toBeLessThanOrEqual(4802)
        expect(index.segments.length).toBeLessThanOrEqual(64 + index.size / 2401)
        expect(index.written / index.size).toBeLessThanOrEqual(5)
      }),
      { numRuns: runs(20) }
    )
  })

  it("rewrites a segment that is mostly removed, whatever its size", () => {
    expect(nextMerge([info(300_000, 100_000, 1)])?.map(({ id }) => id)).toEqual(["1"])
    expect(nextMerge([info(300_000, 100_000, 1)], 4802)).toBeNull()
    expect(nextMerge([info(300_000, 50_000, 1)])).toBeNull()
  })

  it("leaves segments alone that together would exceed the largest one", () => {
    expect(nextMerge(Array.from({ length: 2 }, (_, i) => info(60_000, 0, i)))).toBeNull()
    expect(nextMerge([info(45_000, 0, 1), info(45_000, 0, 2)])).toBeNull()
    expect(nextMerge([45_000, 44_000, 43_000].map((size, i) => info(size, 0, i)))?.length).toBe(2)
  })
})
