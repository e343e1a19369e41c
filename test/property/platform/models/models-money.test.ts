import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  addUsd,
  costOf,
  estimateTokens,
  formatUsd,
  listPriceOf,
  parseUsd,
  pricePerMillion
} from "../../../../core/platform/models/index.js"

describe("money", () => {
  it("reads what it writes, exactly", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }), (money) => {
        const text = formatUsd(money)
        expect(parseUsd(text)).toBe(money)
        expect(text).toMatch(/^-?\d+(\.\d{0,9}[1-9])?$/u)
      })
    )
  })

  it("sums without rounding, in any order", () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: 0n, max: 10n ** 15n })), (amounts) => {
        const texts = amounts.map(formatUsd)
        expect(addUsd(...texts)).toBe(formatUsd(amounts.reduce((sum, one) => sum + one, 0n)))
        expect(addUsd(...texts.toReversed())).toBe(addUsd(...texts))
      })
    )
    expect(addUsd("0.1", "0.2")).toBe("0.3")
    expect(addUsd()).toBe("0")
  })

  it.each(["", "1e3", "1.", ".5", "abc", "NaN", "1,5"])("refuses %j", (text) => {
    expect(() => parseUsd(text)).toThrow(RangeError)
  })
})

describe("prices", () => {
  it("counts cached input at its own price", () => {
    const price = pricePerMillion({ input: 2.5, cachedInput: 1.25, output: 10 })
    expect(costOf(price, { input: 1000, cachedInput: 400, output: 100 })).toBe("0.003")
    expect(costOf(price, { input: 1, cachedInput: 0, output: 0 })).toBe("0.0000025")
  })

  it("never gives a negative cost, and more tokens never cost less", () => {
    const count = fc.oneof(fc.nat(10 ** 7), fc.constantFrom(-1, Number.NaN, Number.POSITIVE_INFINITY, 0.5))
    const price = pricePerMillion({ input: 0.15, cachedInput: 0.075, output: 0.6 })
    fc.assert(
      fc.property(count, count, count, fc.nat(1000), (input, cachedInput, output, more) => {
        const cost = parseUsd(costOf(price, { input, cachedInput, output }))
        expect(cost).toBeGreaterThanOrEqual(0n)
        expect(parseUsd(costOf(price, { input, cachedInput, output: output + more }))).toBeGreaterThanOrEqual(
          cost
        )
      })
    )
  })

  it("knows a listed model by its dated and prefixed names", () => {
    expect(listPriceOf("openai/gpt-4o-2024-08-06")).toEqual(listPriceOf("gpt-4o"))
    expect(listPriceOf("gpt-4o")).toBeDefined()
    expect(listPriceOf("constructor")).toBeUndefined()
    expect(listPriceOf("llama3.2")).toBeUndefined()
  })

  it("estimates a token for four bytes of UTF-8", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(estimateTokens(text)).toBe(Math.ceil(new TextEncoder().encode(text).length / 4))
      })
    )
  })
})
