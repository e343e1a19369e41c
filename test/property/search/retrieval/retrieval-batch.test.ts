import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { indexBatch } from "../../../../core/search/segments/index-batch.js"
import { indexChunk } from "../../../../core/search/segments/index-chunk.js"
import { encodeSegment } from "../../../../core/search/segments/segment.js"
import { runs } from "../../../support/runs.js"

/** Words of every kind that the analysis tells apart, and noise between them. */
const piece = fc.oneof(
  fc.constantFrom(
    "The",
    "words",
    "word",
    "KX-2041",
    "foo_bar",
    "camelCase",
    "EIPs",
    "l'eau",
    "it's",
    "1.2.3"
  ),
  fc.constantFrom(
    "1,000",
    "東京都",
    "ひらがな",
    "한국어",
    "ไทย",
    "é",
    "e\u0301",
    "\u0640_x",
    "x_\u0640",
    "a".repeat(70)
  ),
  fc.constantFrom(
    "0x00a329c0648769a73afac7f9381e08fb43dbea72",
    "ABCdef12",
    ".",
    "-",
    "'",
    "\u2019s",
    "\n",
    "😀"
  ),
  fc.string({ unit: "binary", maxLength: 6 })
)
const text = fc
  .array(fc.tuple(piece, fc.constantFrom(" ", "", "\n")), { maxLength: 40 })
  .map((parts) => parts.flat().join(""))
const chunks = fc.uniqueArray(
  fc.record({
    label: fc.nat(100_000),
    title: text,
    headingPath: fc.array(text, { maxLength: 3 }),
    text
  }),
  { selector: ({ label }) => label, maxLength: 12 }
)

describe("a batch of chunks", () => {
  it("is indexed into the very bytes that its chunks one by one are encoded to", () => {
    fc.assert(
      fc.property(chunks, (list) => {
        const indexed = list.map(indexChunk)
        const { chunks, encoded } = indexBatch(list)
        expect(encoded).toEqual(encodeSegment(indexed))
        expect(chunks).toEqual(
          indexed
            .map(({ label, length, tieKey }) => ({ label, length, tieKey }))
            .sort((a, b) => a.label - b.label)
        )
      }),
      { numRuns: runs(300) }
    )
  })

  it("is the same after more words than are remembered", () => {
    const many = Array.from({ length: 70_000 }, (_, i) => `w${i.toString(36)}q`).join(" ")
    const list = [
      { label: 1, title: "known words", headingPath: [], text: "one known word" },
      { label: 2, title: "many", headingPath: [], text: `${many} known word` }
    ]
    expect(indexBatch(list).encoded).toEqual(encodeSegment(list.map(indexChunk)))
  })
})
