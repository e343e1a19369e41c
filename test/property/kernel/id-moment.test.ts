import * as Effect from "effect/Effect"
import fc from "fast-check"
import { fromUUID } from "typeid-js"
import { describe, expect, it } from "vitest"
import { hostIds } from "../../../adapters/host/ids.js"
import { Ids, momentOfId, RelationId, UserId } from "../../../core/kernel/index.js"

/** A UUIDv7 of a moment, as RFC 9562 lays it out. */
const relationOf = (millis: number, version = "7") => {
  const hex = millis.toString(16).padStart(12, "0")
  return RelationId.parse(
    fromUUID(`${hex.slice(0, 8)}-${hex.slice(8)}-${version}abc-9abc-0123456789ab`, "rel").toString()
  )
}

describe("the moment of an id", () => {
  it("is the one that it was made of", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 253_402_300_799_999 }), (millis) => {
        expect(momentOfId(relationOf(millis))).toBe(new Date(millis).toISOString())
      })
    )
  })

  it("is about now for one that is made now", async () => {
    const ids = await Effect.runPromise(Effect.provide(Ids, hostIds))
    const lateMs = Date.now() - new Date(momentOfId(ids.make("user")) ?? "").getTime()
    expect(Math.abs(lateMs)).toBeLessThan(60_000)
  })

  it("is none of one that was made of no moment, or of one that no timestamp tells", () => {
    expect(momentOfId(relationOf(0, "4"))).toBeNull()
    expect(momentOfId(relationOf(253_402_300_800_000))).toBeNull()
    expect(momentOfId(UserId.parse("usr_00000000000000000000000000"))).toBeNull()
  })
})
