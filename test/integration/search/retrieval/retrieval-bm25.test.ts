import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { idf, liveFrequencies, rankBm25 } from "../../../../core/search/lexical/bm25.js"
import { noneDead } from "../../../../core/search/segments/dead-set.js"
import { openList } from "../../../../core/search/segments/positions.js"
import { encodeSegment } from "../../../../core/search/segments/segment.js"
import { blockOf, decodeDirectory, findPostings } from "../../../../core/search/segments/segment-read.js"

interface GoldenCase {
  readonly name: string
  readonly k1: number
  readonly b: number
  readonly documents: Readonly<Record<string, ReadonlyArray<string>>>
  readonly averageLength: number
  readonly queries: ReadonlyArray<{
    readonly terms: ReadonlyArray<string>
    readonly expected: ReadonlyArray<{ readonly id: string; readonly score: number }>
  }>
}

const golden: { readonly tolerance: number; readonly bm25: ReadonlyArray<GoldenCase> } = JSON.parse(
  readFileSync(new URL("../../../fixtures/golden/retrieval.json", import.meta.url), "utf8")
)

describe("BM25", () => {
  it.each(golden.bm25)("gives the computed scores: $name", ({ averageLength, b, documents, k1, queries }) => {
    const ids = Object.keys(documents)
    const chunks = Object.values(documents).map((terms, i) => ({
      label: i + 1,
      length: terms.length,
      tieKey: 0,
      terms,
      positions: terms.map((_, place) => place)
    }))
    const { blocks, directory } = encodeSegment(chunks)
    const decoded = decodeDirectory(directory)
    for (const { expected, terms } of queries) {
      const asked = [...new Set(terms)].map((term) => ({
        term,
        count: terms.filter((other) => other === term).length
      }))
      const lists = asked.map(({ term }) => {
        const block = blocks[blockOf(decoded, term)]
        const list = block === undefined ? null : findPostings(block, term)
        return list === null ? null : openList(list)
      })
      const views = [{ directory: decoded, dead: noneDead, lists }]
      const weights = liveFrequencies(views, asked.length).map((holding) => idf(ids.length, holding))
      const ranked = rankBm25(
        views,
        asked,
        weights,
        { chunkCount: ids.length, averageLength },
        { limit: 10, parameters: { k1, b } }
      )
      expect(ranked.map(({ label }) => ids[label - 1])).toEqual(expected.map(({ id }) => id))
      ranked.forEach(({ score }, i) => {
        expect(Math.abs(score - (expected[i]?.score ?? -1))).toBeLessThan(golden.tolerance)
      })
    }
  })
})
