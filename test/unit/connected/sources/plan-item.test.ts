import * as Either from "effect/Either"
import { describe, expect, it } from "vitest"
import { nextDue } from "../../../../core/connected/sources/configuration.js"
import { planItem } from "../../../../core/connected/sources/index.js"

const item = { path: "a.md", contentHash: "old", isRemoved: false }
const live = { path: "a.md", contentHash: "old", deletedAt: null }
const trashed = { ...live, deletedAt: "2026-01-01T00:00:00.000Z" }
const incoming = (contentHash: string, path = "a.md", isDescribedAnew = false) => ({
  path,
  contentHash,
  isDescribedAnew
})

describe("the plan for an item", () => {
  it("creates, replaces, moves and restores documents as the source has them", () => {
    expect(planItem(null, null, incoming("new"), null)).toEqual({ op: "create" })
    expect(planItem(item, null, incoming("old"), null)).toEqual({ op: "create" })
    expect(planItem(item, live, incoming("old"), null)).toEqual({ op: "settle" })
    expect(planItem(item, live, incoming("new"), null)).toEqual({
      op: "update",
      moves: false,
      replaces: true
    })
    expect(planItem(item, live, incoming("old", "b.md"), null)).toEqual({
      op: "update",
      moves: true,
      replaces: false
    })
    expect(planItem(item, live, incoming("old", "a.md", true), null)).toEqual({
      op: "update",
      moves: false,
      replaces: true
    })
    expect(planItem({ ...item, isRemoved: true }, trashed, incoming("old"), null)).toEqual({ op: "restore" })
  })

  it("leaves alone what was deleted or moved here", () => {
    expect(planItem(item, trashed, incoming("old"), null)).toEqual({ op: "settle" })
    expect(planItem(item, trashed, incoming("new"), null)).toEqual({ op: "restore" })
    expect(planItem(item, { ...live, path: "mine.md" }, incoming("old", "b.md"), null)).toEqual({
      op: "settle"
    })
  })

  it("calls it a conflict when a text was edited on both sides in different ways", () => {
    const edited = { ...live, contentHash: "mine" }
    expect(planItem(item, edited, incoming("old"), null)).toEqual({ op: "settle" })
    expect(planItem(item, edited, incoming("old"), "source")).toEqual({ op: "settle" })
    // Another text that only the reader makes is no change of the source.
    const readAgain = { ...incoming("new"), isReadAgain: true }
    expect(planItem(item, edited, readAgain, null)).toEqual({ op: "settle" })
    expect(planItem(item, trashed, readAgain, null)).toEqual({ op: "settle" })
    expect(planItem(item, live, readAgain, null)).toEqual({ op: "update", moves: false, replaces: true })
    expect(planItem(item, edited, incoming("mine"), null)).toEqual({ op: "settle" })
    expect(planItem(item, edited, incoming("new"), null)).toEqual({ op: "conflict" })
    expect(planItem(item, edited, incoming("new"), "keep")).toEqual({ op: "settle" })
    expect(planItem(item, edited, incoming("new"), "source")).toEqual({
      op: "update",
      moves: false,
      replaces: true
    })
  })
})

describe("a schedule", () => {
  const due = (expression: string) => Either.getOrNull(nextDue(expression, "2026-11-26T22:10:30.000Z"))
  it("is due at the next minute that its five fields name, in UTC", () => {
    expect(due("0 3 * * *")).toBe("2026-11-27T03:00:00.000Z")
    expect(due("*/15 * * * *")).toBe("2026-11-26T22:15:00.000Z")
    expect(due("0 9 * * mon-fri")).toBe("2026-11-27T09:00:00.000Z")
    expect(due("0 0 29 2 *")).toBe("2028-02-29T00:00:00.000Z")
  })
  it("is refused with other fields, and when it is never due", () => {
    expect([due("0 0 3 * * *"), due("* * *"), due("61 * * * *"), due("0 0 30 2 *")]).toEqual([
      null,
      null,
      null,
      null
    ])
  })
})
