import { describe, expect, it } from "vitest"
import { findValues, numberWords } from "../../../core/language/values/index.js"

describe("values of a text without digits", () => {
  it("are read from every word for a number, in any case", () => {
    const unread = numberWords().filter(([word, number]) =>
      [word, word.toUpperCase(), `_${word}`].some(
        (written) =>
          !findValues(`Wir sahen ${written} Pferde.`).some((value) => "low" in value && value.low === number)
      )
    )
    expect(unread).toEqual([])
  })

  it.each([
    ["We counted a hundred guests.", "count", 100],
    ["Es kamen dreitausendvierhundert Gäste.", "count", 3400],
    ["Keep at least one copy.", "count", 1],
    ["Pay within a month.", "months", 1],
    ["The report is due monthly.", "recurrence", 1],
    ["Two thirds of the members agreed.", "percent", 200 / 3],
    ["The gate opens at noon.", "clock", 720]
  ])("%s", (text, dimension, low) => {
    expect(findValues(text)).toContainEqual(expect.objectContaining({ dimension, low }))
  })

  it("are none in a sentence without words for them", () => {
    expect(findValues("The pump of the laundry is painted green.")).toEqual([])
  })
})
