import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  type GuardName,
  guardNames,
  parseWording,
  questionKey,
  refusedBy
} from "../../../../core/answers/answer-cache/index.js"
import type { EntityId } from "../../../../core/platform/kernel/index.js"
import golden from "../../../fixtures/golden/cache.json" with { type: "json" }
import { runs } from "../../../support/runs.js"

/** Names of known entities; `Orl` is another name of the first. */
const known: ReadonlyArray<readonly [string, EntityId]> = [
  ["Orlin", "ent_orlin" as EntityId],
  ["Orl", "ent_orlin" as EntityId],
  ["Merrow", "ent_merrow" as EntityId]
]

const mentionsIn = (text: string) =>
  [...text.matchAll(/(?<!\p{L})(?:Orlin|Orl|Merrow)(?!\p{L})/gu)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    entityIds: known.flatMap(([name, id]) => (name === match[0] ? [id] : []))
  }))

/** Returns the guard that keeps two questions apart; expects the same in both directions. */
const apart = (one: string, other: string, withEntities = true): GuardName | null => {
  const [a, b] = [one, other].map((text) => parseWording(text, withEntities ? mentionsIn(text) : []))
  if (a === undefined || b === undefined) throw new Error("There are two questions.")
  const refused = refusedBy(a, b)
  expect(refusedBy(b, a)).toBe(refused)
  return refused
}

describe("the guards of the answer cache", () => {
  it("tell every golden pair rightly, whether its names are known or not", () => {
    for (const { asked, cached, mayHit, why } of golden.pairs)
      for (const withEntities of [true, false])
        expect([why, apart(cached, asked, withEntities) === null], `${cached} / ${asked}`).toEqual([
          why,
          mayHit
        ])
    for (const { asked, cached, mayHit } of golden.pairs)
      if (mayHit) expect(questionKey(asked)).toBe(questionKey(cached))
  })

  /** For each guard, a pair that it keeps apart, and an equally similar pair that asks for the same. */
  const cases: ReadonlyArray<readonly [GuardName, readonly [string, string], readonly [string, string]]> = [
    ["language", ["東京の人口は", "東京の面積は"], ["東京の人口は", "東京の人口は？"]],
    ["entities", ["Who owns Orlin?", "Who owns Merrow?"], ["Who owns Orlin?", "Who owns Orl?"]],
    [
      "anchors",
      ['Where is "night mode" set?', 'Where is "light mode" set?'],
      ['Where is "night mode" set?', "Where is the “night mode” set?"]
    ],
    [
      "values",
      ["What is stored above 10 GB?", "What is stored above 10 MB?"],
      ["What is stored above 1,000 GB?", "What is stored above 1 TB?"]
    ],
    [
      "negation",
      ["Which contracts are renewable?", "Which contracts are not renewable?"],
      ["Which contracts can't be renewed?", "Which contracts cannot be renewed?"]
    ],
    [
      "opposite",
      ["How do I enable audit export?", "How do I disable audit export?"],
      ["How do I enable audit export?", "How do I enable the audit exports?"]
    ],
    [
      "question",
      ["When was Orlin launched?", "Where was Orlin launched?"],
      ["When was Orlin launched?", "When was the Orl launched?"]
    ],
    [
      "time",
      ["Which fee applies currently?", "Which fee applies previously?"],
      ["Which fee is currently due for a licence?", "Which fee is currently due for licences?"]
    ],
    [
      "direction",
      ["How are transfers to the bank paid?", "How are transfers from the bank paid?"],
      ["How are transfers to the bank paid?", "How are the transfers to a bank paid?"]
    ],
    [
      "words",
      ["What is the notice period for interns?", "What is the notice period for drivers?"],
      ["What is the price of a licence?", "What is the cost of a licence?"]
    ],
    [
      "order",
      ["Does Orlin depend on Merrow?", "Does Merrow depend on Orlin?"],
      ["Does Orlin depend on Merrow?", "Does Orl depend on Merrow?"]
    ]
  ]

  it("have each a pair that it keeps apart, and a near one that it lets pass", () => {
    expect(cases.map(([name]) => name)).toEqual([...guardNames])
    for (const [name, [one, other], [same, again]] of cases) {
      expect(apart(one, other), `${one} / ${other}`).toBe(name)
      expect(apart(same, again), `${same} / ${again}`).toBe(null)
    }
  })

  it("keep apart what only looks alike", () => {
    const pairs: ReadonlyArray<readonly [string, string]> = [
      ["Is IT paid on Monday?", "Is it paid on Monday?"],
      ["What is the important rule?", "What is the import rule?"],
      ["Who is the employer?", "Who is the employee?"],
      ["Can I delete a ticket?", "Must I delete a ticket?"],
      ["Can I see my salary?", "Can you see my salary?"],
      ["Do users own groups?", "Do groups own users?"],
      ["Is the first release signed?", "Is the last release signed?"],
      ["Which contracts are not renewable and not final?", "Which contracts are renewable and final?"],
      ["What does version 1.2.3 change?", "What does version 1.2.4 change?"],
      ["What does EIP-1559 change?", "What does EIP-1558 change?"],
      ["How many seats from 3 to 5?", "How many seats from 5 to 3?"],
      ["Who was hired in May 2024?", "Who was hired in March 2024?"],
      ["Who leads the internal audit?", "Who leads the external audit?"],
      ["Wer ist der Leiter?", "Wer ist die Leiterin?"],
      ["Darf ich kündigen?", "Muss ich kündigen?"],
      ["Quel est le délai avant la vente ?", "Quel est le délai après la vente ?"],
      ["谁负责东京办公室？", "谁负责大阪办公室？"],
      ["How do I log in?", "How do I log out?"],
      ["What is x > 5?", "What is x < 5?"],
      ["Who is the head of sales?", "Who was the head of sales?"],
      ["Is C supported?", "Is C++ supported?"]
    ]
    for (const [one, other] of pairs) expect(apart(one, other), `${one} / ${other}`).not.toBe(null)
  })

  const part = fc.constantFrom(
    "Orlin",
    "Merrow",
    "the invoice",
    "a server",
    "10 GB",
    "10 MB",
    "2023",
    "2024",
    "not",
    "never",
    "before",
    "after",
    "maximum",
    "minimum",
    "enable",
    "disable",
    "from",
    "to",
    "who",
    "when",
    "is",
    "was",
    "KX-2041",
    "KX-2042",
    "open",
    "closed",
    "and"
  )

  it("let no word be put for another, left out or moved", () => {
    fc.assert(
      fc.property(
        fc.array(part, { minLength: 2, maxLength: 8 }),
        part,
        fc.nat(),
        fc.constantFrom("replace", "remove", "swap"),
        (parts, other, at, how) => {
          const place = at % parts.length
          const changed =
            how === "swap"
              ? parts.map((one, index) => parts[index === place ? 0 : index === 0 ? place : index] ?? one)
              : parts.flatMap((one, index) => (index === place ? (how === "remove" ? [] : [other]) : [one]))
          fc.pre(changed.join(" ") !== parts.join(" "))
          const bare = (words: ReadonlyArray<string>) => words.join(" ").replace(/\b(?:the|a) /gu, "")
          fc.pre(bare(changed) !== bare(parts))
          expect(apart(parts.join(" "), changed.join(" "))).not.toBe(null)
        }
      ),
      { numRuns: runs(300) }
    )
  })

  it("let every question pass for itself, in other letters and marks", () => {
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 8 }), (parts) => {
        const text = `${parts.join(" ")}?`
        expect(apart(text, `${parts.join(" ")} ?!`)).toBe(null)
        expect(questionKey(text)).toBe(questionKey(`${parts.join("  ").toUpperCase()}…`))
      }),
      { numRuns: runs(100), examples: [[["who", "is"]], [["who", "was", "Orlin"]]] }
    )
  })

  it("read any text in any order of characters", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        expect(refusedBy(parseWording(text, []), parseWording(text, []))).toBe(null)
      }),
      { numRuns: runs(100) }
    )
  })
})
