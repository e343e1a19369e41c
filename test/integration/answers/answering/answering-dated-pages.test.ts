import { expect, it } from "vitest"
import { answersIn } from "../../../support/asked-vaults.js"

const topics = ["the roof", "the oven", "the new fryer", "the tram stop", "the lease", "the parking"]
const dayOf = (at: number): string => new Date(Date.UTC(2026, 0, 1 + at)).toISOString().slice(0, 10)

/** Ninety daily notes of two meetings each week and the other days, more than a search gives. */
const files: Record<string, string> = Object.fromEntries(
  Array.from({ length: 90 }, (_, at) => [
    `journal/${dayOf(at)}.md`,
    `# Standup ${dayOf(at)}\n\n- Ines worked on ${topics[at % 6]} number ${at}.\n- We ordered ${at + 3} sacks of flour.\n`
  ])
)
files["board/2026-03-05.md"] =
  "# Board meeting\n\nThe board accepted the budget. It closed the shop in Lund.\n"
files["board/2026-01-08.md"] = "# Board meeting\n\nThe board elected Ines Falk.\n"
files["party.md"] = "# Summer party\n\nWe talked about the band for the summer party in the meeting.\n"

it("the page of a date or the last of its kind tells what was said there", async () => {
  const questions = [
    "What was discussed on 2026-02-14?",
    "What happened on 14 February 2026?",
    "What was discussed on February 3?",
    "What was our last standup about?",
    "What was decided at the last board meeting?",
    "What did we decide about the dog on 2026-02-14?",
    "What was discussed on 2027-02-14?"
  ]
  const said = await answersIn({
    neighbours: false,
    files,
    checks: questions.map((ask) => ({ ask, want: "" }))
  })
  expect(said[0]).toMatch(/the new fryer number 44.*47 sacks/u)
  expect(said[1]).toBe(said[0])
  expect(said[2]).toMatch(/the tram stop number 33.*36 sacks/u)
  expect(said[3]).toMatch(/the parking number 89.*92 sacks/u)
  expect(said[4]).toMatch(/accepted the budget.*Lund/u)
  expect(said[5]).toBe("NONE")
  expect(said[6]).toBe("NONE")
})
