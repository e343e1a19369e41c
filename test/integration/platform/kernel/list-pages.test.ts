import * as Effect from "effect/Effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { pageOf } from "../../../../adapters/sql/rows.js"

/** A list that others change between the reading of a page and the counting. */
const readings = fc.record({
  limit: fc.integer({ min: 1, max: 6 }),
  offset: fc.nat({ max: 8 }),
  atPage: fc.nat({ max: 12 }),
  atCount: fc.nat({ max: 12 })
})

const read = ({
  atCount,
  atPage,
  limit,
  offset
}: typeof readings extends fc.Arbitrary<infer Read> ? Read : never) => {
  const items = Array.from({ length: atPage }, (_, place) => place).slice(offset, offset + limit)
  return Effect.runSync(pageOf({ limit, offset }, Effect.succeed(items), Effect.succeed(atCount)))
}

describe("a page of a list that changes while it is read", () => {
  it("never contradicts its total", () => {
    fc.assert(
      fc.property(readings, (reading) => {
        const { items, total } = read(reading)
        const places = Math.max(0, Math.min(total - reading.offset, reading.limit))
        expect(items).toHaveLength(places)
      })
    )
  })

  it("has the total that there is where nothing changes", () => {
    fc.assert(
      fc.property(readings, (reading) => {
        expect(read({ ...reading, atCount: reading.atPage }).total).toBe(reading.atPage)
      })
    )
  })
})
