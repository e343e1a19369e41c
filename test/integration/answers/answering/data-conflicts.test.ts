import { describe, expect, it } from "vitest"
import { findConflicts } from "../../../../core/answers/conflicts/conflicts.js"
import { makeEvidence } from "../../../../core/answers/evidence/evidence.js"
import { readQuestion } from "../../../../core/language/questions/question.js"
import { analyse } from "../../../../core/language/tokenization/index.js"
import { passageOf } from "../../../support/passages.js"

describe("a row of live data and a passage", () => {
  const sides = (
    columns: ReadonlyArray<string>,
    cells: ReadonlyArray<unknown>,
    { question = "How much does the Asper crane lift?", text = "The Asper crane lifts 40 tonnes." } = {}
  ) => {
    const evidence = makeEvidence({
      question: readQuestion(question, analyse),
      passages: [passageOf({ title: "Cranes", path: "cranes.md", text })],
      data: [
        {
          id: "D1",
          queryTitle: "Crane record",
          about: "Asper crane",
          columns,
          rows: [Object.fromEntries(columns.map((column, at) => [column, cells[at]]))],
          rowCount: 1,
          truncated: false
        }
      ],
      idf: () => 1,
      analyse
    })
    const [conflict] = findConflicts(evidence, [{ text, citations: ["S1"] }])
    return conflict?.sides.map(({ sourceId, value }) => `${sourceId} ${value}`) ?? []
  }

  it.each([
    [["name", "capacity"], ["Asper crane", 42], "42"],
    [["name", "capacity_tonnes"], ["Asper crane", 42], "42"],
    [["name", "load_t"], ["Asper crane", "42.0"], "42.0"],
    [["capacity"], [42], "42"],
    [["name", "capacity_kg"], ["Asper crane", 42_000], "42000"],
    [["id", "name", "capacity", "built"], [7, "Asper crane", 42, 1987], "42"]
  ])("disagree about %j of %j", (columns, cells, value) => {
    expect(sides(columns, cells)).toEqual(["S1 40 tonnes", `D1 ${value}`])
  })

  it.each([
    [
      ["name", "capacity"],
      ["Asper crane", 40]
    ],
    [
      ["name", "capacity_kg"],
      ["Asper crane", 40_000]
    ],
    [
      ["name", "built"],
      ["Asper crane", 1987]
    ],
    [
      ["name", "weight"],
      ["Asper crane", 65]
    ]
  ])("agree, or speak of two things, with %j of %j", (columns, cells) => {
    expect(sides(columns, cells)).toEqual([])
  })

  const crane = {
    columns: ["name", "lifts_tonnes", "built", "operator", "reach_m", "price_eur", "inspections"],
    row: ["Asper crane", 42, 1999, "Tom Rook", 31.5, 900_000, 4]
  }
  it.each([
    ["How many tonnes does the Asper crane lift?", ["S1 40 tonnes", "D1 42"]],
    ["When was the Asper crane built?", ["S1 1998", "D1 1999"]],
    ["Who is the operator of the Asper crane?", ["S1 Ann Vale", "D1 Tom Rook"]],
    ["What is the reach of the Asper crane?", []]
  ])("disagree about what was asked alone: %s", (question, expected) => {
    const evidence = makeEvidence({
      question: readQuestion(question, analyse),
      passages: [
        passageOf({
          title: "Asper crane",
          path: "asper.md",
          text: "The Asper crane lifts 40 tonnes. It was built in 1998. Its operator is Ann Vale. It has 2 cabins."
        })
      ],
      data: [
        {
          id: "D1",
          queryTitle: "Plant data",
          about: "Asper crane",
          columns: crane.columns,
          rows: [Object.fromEntries(crane.columns.map((column, at) => [column, crane.row[at]]))],
          rowCount: 1,
          truncated: false
        }
      ],
      idf: () => 1,
      analyse
    })
    const conflicts = findConflicts(evidence, [])
    expect(
      conflicts.flatMap(({ sides }) => sides.map(({ sourceId, value }) => `${sourceId} ${value}`))
    ).toEqual(expected)
  })

  it("are compared with the row that the passage names, of several rows of one thing", () => {
    const stops = [
      ["Principal", 8, 56],
      ["Octave", 4, 57],
      ["Bourdon", 16, 58],
      ["Trumpet", 8, 59]
    ] as const
    const conflictsWith = (text: string) =>
      findConflicts(
        makeEvidence({
          question: readQuestion("How many pipes do the stops of the Sund organ have?", analyse),
          passages: [passageOf({ title: "Sund organ", path: "organ.md", text })],
          data: [
            {
              id: "D1",
              queryTitle: "Stops of an organ",
              about: "Sund organ",
              columns: ["organ", "stop", "feet", "pipes"],
              rows: stops.map(([stop, feet, pipes]) => ({ organ: "Sund organ", stop, feet, pipes })),
              rowCount: stops.length,
              truncated: false
            }
          ],
          idf: () => 1,
          analyse
        }),
        []
      ).map(({ sides }) => sides.map(({ value }) => value))
    expect(conflictsWith("The Sund organ has stops with 60 pipes each.")).toEqual([])
    expect(conflictsWith("The Octave stop of the Sund organ has 57 pipes.")).toEqual([])
    expect(conflictsWith("The Octave stop of the Sund organ has 61 pipes.")).toEqual([["61", "57"]])
  })

  it("disagree with the best-fitting column of a row only", () => {
    const beds = ["ward", "beds", "beds_occupied"]
    const asked = { question: "How many beds does the Elm ward have?", text: "The Elm ward has 12 beds." }
    expect(sides(beds, ["Elm ward", 12, 9], asked)).toEqual([])
    expect(sides(beds, ["Elm ward", 14, 12], asked)).toEqual(["S1 12", "D1 14"])
  })

  it("are preferred by the standing of the system of record and the date of the call", () => {
    const preferredWith = (standing: "asserted" | "certified", docVerification: "verified" | "unverified") =>
      findConflicts(
        makeEvidence({
          question: readQuestion("How much does the Asper crane lift?", analyse),
          passages: [
            {
              ...passageOf({ title: "Cranes", path: "cranes.md", text: "The Asper crane lifts 40 tonnes." }),
              docVerification
            }
          ],
          data: [
            {
              id: "D1",
              queryTitle: "Crane record",
              about: "Asper crane",
              columns: ["name", "capacity"],
              rows: [{ name: "Asper crane", capacity: 42 }],
              rowCount: 1,
              truncated: false,
              standing
            }
          ],
          idf: () => 1,
          analyse
        }),
        []
      ).map(({ preferred }) => preferred)
    expect(preferredWith("asserted", "unverified")).toEqual(["D1"])
    expect(preferredWith("asserted", "verified")).toEqual(["S1"])
    expect(preferredWith("certified", "verified")).toEqual(["D1"])
  })

  it("speak of two things where the passage is about another one", () => {
    expect(
      sides(["name", "capacity"], ["Asper crane", 42], { text: "The Brim crane lifts 30 tonnes." })
    ).toEqual([])
  })
})
