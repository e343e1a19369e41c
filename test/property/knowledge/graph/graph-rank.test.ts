import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { pageRank } from "../../../../core/knowledge/graph/index.js"
import golden from "../../../fixtures/golden/pagerank.json" with { type: "json" }

describe("PageRank", () => {
  for (const { damping, edges, expected, name, nodes, seeds } of golden.pagerank) {
    it(`gives the computed values: ${name}`, () => {
      const numbers = new Map(nodes.map((node, place) => [node, place]))
      const number = (node: unknown) => numbers.get(String(node)) ?? -1
      const ranks = pageRank(
        nodes.length,
        edges.map(([src, dst, weight]) => ({ src: number(src), dst: number(dst), weight: Number(weight) })),
        {
          damping,
          ...(seeds === null
            ? {}
            : {
                seeds: new Map(Object.entries(seeds).map(([node, weight]) => [number(node), Number(weight)]))
              })
        }
      )
      for (const [node, value] of Object.entries(expected)) {
        expect(Math.abs((ranks[number(node)] ?? Number.NaN) - Number(value))).toBeLessThan(golden.tolerance)
      }
    })
  }

  const graph = fc.integer({ min: 1, max: 12 }).chain((count) =>
    fc.record({
      count: fc.constant(count),
      edges: fc.array(
        fc.record({
          src: fc.nat({ max: count - 1 }),
          dst: fc.nat({ max: count - 1 }),
          weight: fc.integer({ min: 1, max: 9 })
        }),
        { maxLength: 40 }
      )
    })
  )

  it("sums to one and satisfies its own equation", () => {
    fc.assert(
      fc.property(graph, ({ count, edges }) => {
        const ranks = pageRank(count, edges, { damping: 0.85 })
        const out = Array.from({ length: count }, (_, node) =>
          edges.filter(({ src }) => src === node).reduce((sum, { weight }) => sum + weight, 0)
        )
        const idle = ranks.reduce((sum, rank, node) => sum + (out[node] === 0 ? rank : 0), 0)
        expect(ranks.reduce((sum, rank) => sum + rank, 0)).toBeCloseTo(1, 9)
        for (let node = 0; node < count; node++) {
          const received = edges
            .filter(({ dst }) => dst === node)
            .reduce((sum, { src, weight }) => sum + ((ranks[src] ?? 0) * weight) / (out[src] ?? 1), 0)
          expect(ranks[node]).toBeCloseTo((1 - 0.85 + 0.85 * idle) / count + 0.85 * received, 9)
        }
      })
    )
  })

  it("has nothing to rank in an empty graph", () => {
    expect(pageRank(0, [], { damping: 0.85 })).toHaveLength(0)
  })
})
