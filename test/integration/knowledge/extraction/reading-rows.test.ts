import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  factsFromBytes,
  factsToBytes,
  isFacts,
  smallFromBytes,
  smallToBytes,
  wordsFromBytes,
  wordsToBytes
} from "../../../../adapters/sql/knowledge/extraction/extraction-record-rows.js"
import { hashesOf } from "../../../../core/knowledge/document-facts/word-hash.js"

const hash = fc.oneof(fc.nat({ max: 20 }), fc.integer({ min: 0, max: 2 ** 32 - 1 }))
const hashes = fc.array(hash, { maxLength: 40 })
const ascending = (numbers: ReadonlyArray<number>) => Uint32Array.from(new Set(numbers)).sort()

const reference = fc.record({
  type: fc.constantFrom("links_to", "author"),
  to: fc.oneof(
    fc.record({
      link: fc.record({ kind: fc.constantFrom("wiki" as const, "markdown" as const), target: fc.string() })
    }),
    fc.record({ value: fc.string() })
  ),
  start: fc.option(fc.nat(), { nil: null }),
  quote: fc.string({ unit: "binary" })
})

describe("rows of readings", () => {
  it("give back facts as they were", () => {
    const facts = fc.record({
      references: fc.array(reference),
      tags: fc.array(fc.string()),
      hidden: fc.array(fc.nat())
    })
    const name = fc.record({ name: fc.string(), type: fc.string(), quote: fc.string() })
    const named = fc.record({ contentHash: fc.string(), modelId: fc.string(), names: fc.array(name) })
    fc.assert(
      fc.property(facts, fc.option(named, { nil: undefined }), (read, asked) => {
        const told = { ...read, ...(asked === undefined ? {} : { named: asked }) }
        const bytes = factsToBytes(told)
        expect(isFacts(bytes)).toBe(true)
        expect(factsFromBytes(bytes)).toEqual(told)
        expect(isFacts(bytes.subarray(1))).toBe(false)
      })
    )
  })

  it("give back the words in small letters as they were, and in any order that a forged export has", () => {
    fc.assert(
      fc.property(hashes, hashes, fc.boolean(), (own, others, sorted) => {
        const order = sorted ? ascending : (numbers: ReadonlyArray<number>) => Uint32Array.from(numbers)
        const [words, small] = [order(own), order([...own.filter((_, at) => at % 3 > 0), ...others])]
        const bytes = smallToBytes(words, small)
        expect(smallFromBytes(wordsFromBytes(wordsToBytes(words)), bytes)).toEqual(small)
      })
    )
  })

  it("keep a bit for each word, and four bytes for one in small letters that is not among them", () => {
    const words = hashesOf(Array.from({ length: 80 }, (_, n) => `word${n}`))
    expect(smallToBytes(words, words)).toHaveLength(10)
    expect(smallToBytes(words, ascending([...words, 7]))).toHaveLength(14)
  })
})
