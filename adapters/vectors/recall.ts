import type { SearchGraph } from "./graph.js"
import { TopK } from "./top-k.js"

/** How well a graph finds the nearest vectors. */
export interface MeasuredRecall {
  /** Share of the nearest passages that a search finds, averaged over the queries. */
  readonly recall: number
  readonly queries: number
}

/** Queries of a measurement, and the nearest passages that each wants, as a search of a workspace does. */
const queriesMax = 20
const nearestMax = 100

/** Slots compared before timers and sockets have their turn. */
const slotsPerSlice = 100

/** Equal passages are as good as each other, and the library adds up in another order. */
const tie = 1e-5

/** Compares searches for vectors of the graph itself, taken evenly from all of it, with exact searches. */
export const measureRecall = async (graph: SearchGraph): Promise<MeasuredRecall | null> => {
  const queries = graph.sample(queriesMax)
  if (queries.length === 0) return null
  const tops = queries.map(() => new TopK(nearestMax))
  let left = slotsPerSlice
  for (const { labels, point } of graph.points()) {
    for (const [place, query] of queries.entries()) {
      const score = query.reduce((sum, value, at) => sum + value * (point[at] ?? 0), 0)
      // No search wants more than that many labels of a slot.
      for (const label of labels.subarray(0, nearestMax)) tops[place]?.add(label, score)
    }
    left -= 1
    if (left > 0) continue
    await new Promise((resolve) => setImmediate(resolve))
    left = slotsPerSlice
  }
  const shares = queries.map((query, place) => {
    const nearest = tops[place]?.sorted() ?? []
    const bar = (nearest.at(-1)?.score ?? 1) - tie
    const found = graph.search(query, nearestMax).filter(({ score }) => score >= bar)
    return Math.min(1, found.length / Math.max(1, nearest.length))
  })
  return { recall: shares.reduce((sum, share) => sum + share, 0) / shares.length, queries: shares.length }
}
