// Sentences of an answer on a terminal while it is written.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import type { AskPart } from "../../../core/engine/engine/index.js"
import { liveSentences } from "../../../server/cli/live-sentences.js"

const sentence = (index: number, text: string): AskPart => ({
  type: "claim",
  index,
  claim: { text, citations: ["S1"], status: "supported" }
})

let written: Array<string> = []
const { columns, rows } = process.stderr
beforeEach(() => {
  written = []
  vi.spyOn(process.stderr, "write").mockImplementation((text) => written.push(String(text)) > 0)
})
afterEach(() => {
  vi.restoreAllMocks()
  Object.assign(process.stderr, { columns, rows })
})

/** Sentences on a terminal of so many rows. */
const live = (height = 24) => {
  Object.assign(process.stderr, { columns: 60, rows: height })
  return liveSentences(false, true)
}
const escape = "\u001b["

describe("live sentences", () => {
  it("are printed on the standard error with their sources, and taken away before the answer", () => {
    const shown = live()
    shown?.onPart({ type: "stage", name: "generate" })
    expect(written).toEqual([])
    shown?.onPart(sentence(0, "The crane lifts 40 tonnes."))
    shown?.onPart(
      sentence(1, `It stands on the quay, ${"where it has stood for many years, ".repeat(3)}and turns.`)
    )
    expect(written[0]).toContain("The crane lifts 40 tonnes. [S1]")
    const lines = written.join("").split("\n").length - 1
    expect(lines).toBeGreaterThan(2)
    shown?.clear()
    expect(written.at(-1)).toBe(`${escape}${lines}A${escape}0J`)
    const count = written.length
    shown?.clear()
    expect(written).toHaveLength(count)
  })

  it("leave what has scrolled off the screen", () => {
    const shown = live(3)
    for (const index of [0, 1, 2, 3, 4]) shown?.onPart(sentence(index, "One."))
    shown?.clear()
    expect(written.at(-1)).toBe(`${escape}2A${escape}0J`)
  })

  it("never bring control characters of a document to the terminal", () => {
    const shown = live()
    shown?.onPart(sentence(0, `Red ${escape}31m and gone${escape}2J.`))
    expect(written.join("")).not.toMatch(/\u001b\[(?:31m|2J)/u)
  })

  it("are for people who watch: not for JSON, and not for a pipe", () => {
    expect([liveSentences(true, true), liveSentences(false, false)]).toEqual([null, null])
  })
})
