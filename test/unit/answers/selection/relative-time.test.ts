import { describe, expect, it } from "vitest"
import {
  asksFormer,
  nameAskedBefore,
  relativeTime,
  versionAsked,
  withoutRelativeTime
} from "../../../../core/answers/selection/relative-time.js"

describe("a time that a question names by how long ago it was", () => {
  it.each([
    ["What did the ferry cost last spring?", "2026-11-30", "2026-03-01", "2026-05-31"],
    ["What did the ferry cost last spring?", "2026-04-10", "2025-03-01", "2025-05-31"],
    ["Was kostete die Fähre letzten Winter?", "2026-02-10", "2024-12-01", "2025-02-28"],
    ["Who led the office last winter?", "2026-03-01", "2025-12-01", "2026-02-28"],
    ["Wer leitete das Büro im letzten Jahr?", "2026-01-05", "2025-01-01", "2025-12-31"],
    ["¿Cuánto costaba el verano pasado?", "2026-11-30", "2026-06-01", "2026-08-31"],
    ["Qui dirigeait le bureau l’année dernière ?", "2026-11-30", "2025-01-01", "2025-12-31"],
    ["What was the rate last month?", "2026-01-05", "2025-12-01", "2025-12-31"],
    ["What was the rate last quarter?", "2026-11-30", "2026-07-01", "2026-09-30"]
  ])("is the last one that is over: %s on %s", (text, today, from, to) => {
    expect(relativeTime(text, today)).toEqual({ from, to })
  })

  it.each(["Who was last?", "Which spring is the hardest?", "How long does a lasting fall last?"])(
    "is not in: %s",
    (text) => {
      expect(relativeTime(text, "2026-11-30")).toBeNull()
    }
  )

  it("can be left out of the question, as a version can", () => {
    expect(withoutRelativeTime("What did the ferry cost last spring?")).toBe("What did the ferry cost?")
    expect(withoutRelativeTime("As of version 2, what did the ferry cost?")).toBe("what did the ferry cost?")
    expect(versionAsked("What did the ferry cost as of version 2?")).toBe(2)
    expect(versionAsked("What is new in version 2 of the protocol?")).toBeNull()
  })

  it.each([
    ["What did the ferry cost before?", "What did the ferry cost?"],
    ["What was the previous price of the ferry?", "What was the price of the ferry?"],
    ["Was kostete die Fähre vorher?", "Was kostete die Fähre?"],
    ["Who led the office before Tore Lind?", "Who led the office?"]
  ])("is what held before a change: %s", (text, bare) => {
    expect(asksFormer(text) || nameAskedBefore(text) === "Tore Lind").toBe(true)
    expect(withoutRelativeTime(text)).toBe(bare)
  })

  it.each(["What has to be done before the start?", "Who signs before it is sent?"])(
    "is no change that a question goes before: %s",
    (text) => {
      expect([asksFormer(text), nameAskedBefore(text)]).toEqual([false, null])
    }
  )
})
