import { readFileSync } from "node:fs"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { planted, plantedFindings } from "../../../../bench/planted-conflicts.js"
import { findConflicts } from "../../../../core/answers/conflicts/conflicts.js"
import { makeEvidence } from "../../../../core/answers/evidence/evidence.js"
import type { Passage } from "../../../../core/files/documents/index.js"
import { readQuestion } from "../../../../core/language/questions/question.js"
import { analyse } from "../../../../core/language/tokenization/index.js"
import { passageOf } from "../../../support/passages.js"
import { runs } from "../../../support/runs.js"

const Golden = z.object({
  pairs: z.array(z.object({ a: z.string(), b: z.string(), kind: z.string().nullable(), why: z.string() }))
})
const golden = Golden.parse(
  JSON.parse(readFileSync(new URL("../../../fixtures/golden/conflicts.json", import.meta.url), "utf8"))
)

const evidenceOf = (question: string, passages: ReadonlyArray<Passage>) =>
  makeEvidence({ question: readQuestion(question, analyse), passages, idf: () => 1, analyse })

const notes = (...texts: ReadonlyArray<string>) =>
  texts.map((text, at) => passageOf({ title: `Notes ${at}`, path: `notes-${at}.md`, text }))

const between = (a: string, b: string) => findConflicts(evidenceOf(a, notes(a, b)), [])

describe("conflicts of two sentences", () => {
  it.each(golden.pairs)("$a / $b: $kind ($why)", ({ a, b, kind }) => {
    expect(between(a, b).map((conflict) => conflict.kind)).toEqual(kind === null ? [] : [kind])
    expect(between(b, a).map((conflict) => conflict.kind)).toEqual(kind === null ? [] : [kind])
  })
})

describe("conflicts of two pages", () => {
  const page = (title: string, text: string) => passageOf({ title, path: `${title}.md`, text })
  const kinds = (question: string, pages: ReadonlyArray<Passage>) =>
    findConflicts(evidenceOf(question, pages), []).map(({ kind }) => kind)

  it.each([
    ["The pump P-17 is allowed outdoors.", "The pump P-17 is not allowed outdoors.", ["negation"]],
    ["Guest access is allowed.", "Guest access is not allowed.", ["negation"]],
    ["Guest access is allowed.", "Night access is not allowed.", []],
    ["Backups are kept.", "Backups are not tested.", []]
  ])("of few words are found where both sides say the very same ones: %j / %j", (a, b, kinds) => {
    expect(between(a, b).map(({ kind }) => kind)).toEqual(kinds)
  })

  it.each([
    ["P-17 is enabled.", "P-17 is disabled.", ["category"]],
    ["P-17 is enabled.", "P-17 is not enabled.", ["negation"]],
    ["P-17 is enabled.", "P-18 is disabled.", []],
    ["The pump P-17 is switched on.", "The pump P-17 is switched off.", ["category"]],
    ["Telemetry is on the roof.", "Telemetry is off.", []],
    ["Telemetry is active.", "Telemetry is inactive.", ["category"]],
    ["Telemetry is active.", "Telemetry is not inactive.", []],
    ["The tickets are refundable.", "The tickets are non-refundable.", ["category"]],
    ["Invoices are paid.", "Invoices are unpaid.", ["category"]],
    ["Invoices are paid.", "Salaries are unpaid.", []],
    ["The crane is in service.", "The crane is out of service.", ["category"]],
    ["Der Vertrag ist befristet.", "Der Vertrag ist unbefristet.", ["category"]],
    ["The alarm is active in winter.", "The alarm is inactive in summer.", []],
    ["The repository was formerly public.", "The repository is private.", []],
    ["The block is valid.", "This makes the block invalid, whereas before it was valid.", []],
    ["The active node is in Veck.", "The inactive node is in Veck.", []]
  ])("of how one thing is: %j / %j", (a, b, kinds) => {
    expect(between(a, b).map(({ kind }) => kind)).toEqual(kinds)
    expect(between(b, a).map(({ kind }) => kind)).toEqual(kinds)
  })

  it("of how one thing is are found by who asks for it either way", () => {
    const pages = [page("Ours", "P-17 is enabled."), page("Theirs", "P-17 is disabled.")]
    for (const asked of ["Is P-17 enabled?", "Is P-17 disabled?", "What is the state of P-17?"])
      expect(kinds(asked, pages)).toEqual(["category"])
  })

  it("are none where each is about a code of its own", () => {
    const table = (mass: string) => `| Property | Value |\n|---|---|\n| Nacelle mass | ${mass} |`
    const asked = "What is the nacelle mass of the KT-15 and of the KT-22?"
    expect(kinds(asked, [page("KT-15", table("148 t")), page("KT-22", table("196 t"))])).toEqual([])
    expect(
      kinds("What is the nacelle mass?", [page("Ours", table("148 t")), page("Theirs", table("196 t"))])
    ).toEqual(["number"])
  })

  it("are none between rows of one table that are numbered, or told apart by their first cells", () => {
    const row = (cells: string) => page("Plan", `| Risk | Cost | Owner |\n|---|---|---|\n| ${cells} |`)
    const ofOne = (a: string, b: string) => {
      const [one, other] = [row(a), row(b)]
      return kinds("What do the risks cost?", [one, { ...other, documentId: one.documentId }])
    }
    expect(ofOne("1 | 40 kEUR | Ada", "2 | 55 kEUR | Bo")).toEqual([])
    expect(ofOne("#1 | 40 kEUR | Ada", "#2 | 55 kEUR | Bo")).toEqual([])
    expect(ofOne("3 m/s | 40 kEUR | Ada", "5 m/s | 55 kEUR | Bo")).toEqual([])
    expect(ofOne("1 | 40 kEUR | Ada", "1 | 55 kEUR | Bo")).toEqual(["number"])
  })

  it('are none where each page speaks of its own subject as "it"', () => {
    const asked = "What is the budget of Mercury and of Venus?"
    const [ours, theirs] = ["The team's budget is 2.1 million EUR.", "Its budget is 1.3 million EUR."]
    expect(kinds(asked, [page("Mercury", ours), page("Venus", theirs)])).toEqual([])
    const told = page("Money", "The budget of Venus is 2 million EUR.")
    expect(kinds("What is the budget of Venus?", [page("Venus", theirs), told])).toEqual(["number"])
  })

  it("are none between things that are told apart by their numbers", () => {
    const pump = (number: number, bar: number) =>
      page(`Pump ${number}`, `The pump ${number} feeds cooling circuit ${number} at ${bar} bar.`)
    expect(kinds("What does pump 7 feed?", [pump(7, 40), pump(11, 40), pump(12, 30)])).toEqual([])
    expect(kinds("What does pump 7 feed?", [pump(7, 40), pump(7, 30)])).toEqual(["number"])
    const minutes = (number: number, bar: number) =>
      page(`Minutes ${number}`, `The pump feeds the cooling circuit at ${bar} bar.`)
    expect(kinds("What does the pump feed?", [minutes(7, 40), minutes(8, 30)])).toEqual(["number"])
  })

  it("are there where two pages weigh one thing, however they name it", () => {
    const asked = "How much does the Orlin pump weigh?"
    expect(kinds(asked, notes("The Orlin pump weighs 40 kg.", "The Orlin pump weighs 55 kg."))).toEqual([
      "number"
    ])
    expect(
      kinds(asked, [page("Orlin pump", "It weighs 40 kg."), page("Pumps", "The Orlin pump weighs 55 kg.")])
    ).toEqual(["number"])
  })

  it("are none where one tells from what to what it changed", () => {
    const changed = page("Change", "The gas per byte was reduced from 68 to 16.")
    expect(kinds("What is the gas per byte?", [changed, page("Now", "The gas per byte is 16.")])).toEqual([])
  })
})

describe("conflicts of the demonstration vault", () => {
  it.each(planted.decoys)("$sources: none ($why)", (decoy) => {
    expect(plantedFindings(decoy).all).toEqual([])
  })

  it("are found, and nothing else is", () => {
    const found = planted.conflicts.map((one) => ({ one, ...plantedFindings(one) }))
    expect(found.flatMap(({ others }) => others)).toEqual([])
    expect(found.filter(({ isFound }) => !isFound).map(({ one }) => one.question)).toEqual([])
    expect(new Set(found.flatMap(({ all }) => all.map(({ kind }) => kind)))).toEqual(
      new Set(["number", "date", "negation", "category", "superseded"])
    )
  })
})

const pieces = [
  "Orlin keeps backups for 30 days.",
  "Orlin keeps backups for 14 days.",
  "Orlin keeps backups for two weeks in the archive.",
  "Guest access to Orlin is allowed.",
  "Guest access to Orlin is not allowed.",
  "Guest access to Orlin is forbidden.",
  "Orlin was launched in March 2021.",
  "Orlin was launched on 4 May 2021.",
  "Orlin is owned by the platform team.",
  "Orlin is owned by the security team.",
  "Orlin is online.",
  "Orlin is offline.",
  "Orlin supports offline mode.",
  "Orlin does not support offline mode.",
  "In 2023 Orlin had 40 users.",
  "| Service | Backups |\n|---|---|\n| Orlin | 21 days |"
]

describe("conflicts of many sources", () => {
  it("are the same in every order, cite sources that exist, and quote them letter for letter", () => {
    const tier = fc.constantFrom("unverified", "verified", "certified", "deprecated")
    const page = fc.record({
      texts: fc.uniqueArray(fc.constantFrom(...pieces), { minLength: 1, maxLength: 3 }),
      tier
    })
    fc.assert(
      fc.property(
        fc.array(page, { minLength: 2, maxLength: 5 }),
        fc.infiniteStream(fc.nat()),
        (pages, order) => {
          const passages = pages.map(({ texts, tier }, at) =>
            passageOf({
              title: `Page ${at}`,
              path: `page-${at}.md`,
              text: texts.join("\n\n"),
              verification: tier
            })
          )
          const keyed = passages.map((passage) => ({ passage, key: order.next().value }))
          const turned = keyed.sort((a, b) => a.key - b.key).map(({ passage }) => passage)
          const found = [passages, turned].map((list) => {
            const question = "How does Orlin keep backups, and is guest access to Orlin allowed?"
            const evidence = evidenceOf(question, list)
            const pathOf = (id: string | null) =>
              evidence.sources.find((source) => source.id === id)?.passage.docPath ?? null
            return findConflicts(
              evidence,
              pieces.map((text) => ({ text, citations: [] }))
            ).map((conflict) => {
              for (const { quote, sourceId } of conflict.sides)
                expect(evidence.sources.find(({ id }) => id === sourceId)?.text).toContain(quote)
              expect(new Set(conflict.sides.map(({ sourceId }) => sourceId)).size).toBeGreaterThan(1)
              if (conflict.preferred !== null)
                expect(conflict.sides.map(({ sourceId }) => sourceId)).toContain(conflict.preferred)
              const sides = conflict.sides.map(({ quote, sourceId, value }) =>
                [pathOf(sourceId), quote, value].join(" ")
              )
              return { kind: conflict.kind, sides: sides.sort(), preferred: pathOf(conflict.preferred) }
            })
          })
          const [straight, crooked] = found.map((conflicts) =>
            conflicts.map((one) => JSON.stringify(one)).sort()
          )
          expect(crooked).toEqual(straight)
        }
      ),
      { numRuns: runs(60) }
    )
  })
})

type Page = readonly [title: string, text: string]

/** Whether the pages disagree about what was asked, of which the first page gives the answer. */
const disagree = (question: string, ...pages: ReadonlyArray<Page>): boolean => {
  const passages = pages.map(([title, text], at) => passageOf({ title, path: `${at}/${title}.md`, text }))
  const [answer = ["", ""]] = pages
  return findConflicts(evidenceOf(question, passages), [{ text: answer[1], citations: ["S1"] }]).length > 0
}

describe("two pages that answer one question", () => {
  const apart: ReadonlyArray<readonly [string, Page, Page]> = [
    [
      "How much does the Asper crane lift?",
      ["Crane", "The Asper crane lifts 40 tonnes."],
      ["Yard notes", "The maximum load of the Asper crane is 42 tonnes."]
    ],
    [
      "How long may guests stay at the boat house?",
      ["Boat house", "Guests may stay at the boat house for 14 days."],
      ["House rules", "The longest stay in the boat house is 10 days."]
    ],
    [
      "When was the pier built?",
      ["Pier", "The pier was built in 1987."],
      ["History of the harbour", "Construction of the pier finished in 1991."]
    ],
    [
      "Who is the harbour master?",
      ["People", "The harbour master is Olle Brink."],
      ["Contacts", "Agda Rehn is the harbour master."]
    ],
    [
      "What does the mooring cost per night?",
      ["Prices", "A mooring costs 35 euros per night."],
      ["Visitors", "The fee for a mooring is 42 euros a night."]
    ],
    [
      "What is the notice period of the lease?",
      ["Lease", "The notice period is three months."],
      ["Tenants", "The lease can be ended with a notice of two months."]
    ],
    [
      "How many employees does Halvorsen have?",
      ["Halvorsen", "Halvorsen employs 120 people."],
      ["Suppliers", "Halvorsen has 95 employees."]
    ],
    [
      "How deep is the basin?",
      ["Basin", "The basin is 6 m deep."],
      ["Survey", "The depth of the basin is 7.5 m."]
    ],
    [
      "How long does the battery last?",
      ["Battery", "The battery lasts 8 hours."],
      ["Manual", "Battery life: 12 hours."]
    ],
    [
      "When does the office open?",
      ["Office", "The office opens at 9:00."],
      ["Visitors", "The office is open from 8:00."]
    ],
    [
      "How often are backups made?",
      ["Backups", "Backups run every 6 hours."],
      ["Operations", "A backup is made every 12 hours."]
    ],
    [
      "Where is the server located?",
      ["Server", "The server is located in Riga."],
      ["IT", "The server is located in Tallinn."]
    ],
    [
      "Is smoking allowed on the pier?",
      ["Pier rules", "Smoking is forbidden on the pier."],
      ["Visitors", "Smoking is allowed on the pier."]
    ],
    [
      "What is the warranty period for the pump?",
      ["Pump", "The warranty for the pump is two years."],
      ["Sales", "The pump comes with a warranty of 36 months."]
    ],
    [
      "Wie hoch ist die Kaution?",
      ["Mietvertrag", "Die Kaution beträgt zwei Monatsmieten."],
      ["Hausordnung", "Die Kaution beträgt drei Monatsmieten."]
    ],
    [
      "What is the password expiry period?",
      ["Security", "Passwords expire after 90 days."],
      ["IT FAQ", "A password expires every 60 days."]
    ],
    [
      "When is the report due?",
      ["Plan", "The report is due on 12 May 2026."],
      ["Mail", "The deadline for the report is 20 May 2026."]
    ]
  ]
  it.each(apart)("%s: %j against %j", (question, one, other) => {
    expect(disagree(question, one, other)).toBe(true)
  })

  const both: ReadonlyArray<readonly [string, Page, Page]> = [
    [
      "How bitter is the Lantern Ale?",
      ["Lantern Ale", "The beer has 32 IBU."],
      ["Harbour Stout", "The beer has 38 IBU."]
    ],
    [
      "How bitter is the Lantern Ale?",
      ["Lantern Ale", "Bitterness: 32 IBU."],
      ["Harbour Stout", "Bitterness: 38 IBU."]
    ],
    [
      "What is the price of Longjing?",
      ["Longjing", "The price is 42 euros for 100 g."],
      ["Biluochun", "The price is 55 euros for 100 g."]
    ],
    ["How much does the Merrow weigh?", ["Merrow", "It weighs 40 kg."], ["Kestrel", "It weighs 55 kg."]],
    ["What is the alcohol content?", ["Amber Fog", "ABV 4.8 %."], ["Pale Gull", "ABV 5.6 %."]],
    [
      "How long does fermentation take for the Pale Gull?",
      ["Pale Gull", "Fermentation takes 7 days at 18 °C."],
      ["Amber Fog", "Fermentation takes 12 days at 12 °C."]
    ],
    [
      "How long is the lease?",
      ["Lease of the boat house", "The lease runs for 5 years."],
      ["Lease of the crane", "The lease runs for 2 years."]
    ],
    [
      "How many seats does the ferry have?",
      ["Ferry Alda", "The ferry has 120 seats."],
      ["Ferry Brim", "The ferry has 80 seats."]
    ],
    [
      "How much leave do staff have?",
      ["Leave 2024", "Staff have 27 days of leave in 2024."],
      ["Leave 2023", "Staff have 25 days of leave in 2023."]
    ],
    [
      "What does the mooring cost?",
      ["Prices", "A mooring costs 35 euros per night."],
      ["Prices", "A mooring costs 190 euros per week."]
    ],
    ["How deep is the basin?", ["Basin", "The basin is 6 m deep."], ["Basin", "The basin is 120 m long."]],
    [
      "How many people work in the yard?",
      ["Yard", "12 people work in the yard."],
      ["Office", "5 people work in the office."]
    ],
    [
      "When was the pier built?",
      ["Pier", "The pier was built in 1987."],
      ["Pier", "The pier was painted in 1995."]
    ],
    [
      "Who is the mate?",
      ["Crew of the Asper", "The mate is Runa Thorsby."],
      ["Crew of the Brim", "The mate is Ivo Kern."]
    ],
    [
      "How much does the crane lift?",
      ["Crane", "The crane lifts 40 tonnes."],
      ["Crane", "The crane weighs 42 tonnes."]
    ],
    ["How hot is the mash?", ["Mash", "The mash rests at 66 °C."], ["Boil", "The boil is at 100 °C."]],
    [
      "What is the retention period for invoices?",
      ["Records", "Invoices are kept for 10 years."],
      ["Records", "Contracts are kept for 6 years."]
    ],
    [
      "When does the office open?",
      ["Office", "The office opens at 9:00."],
      ["Office", "The office closes at 17:00."]
    ],
    [
      "Where do the teas come from?",
      ["Longjing", "It comes from Hangzhou."],
      ["Biluochun", "It comes from Suzhou."]
    ]
  ]
  it.each(both)("%s: %j beside %j", (question, one, other) => {
    expect(disagree(question, one, other)).toBe(false)
  })
})

describe("statements with a reporting clause or an addition", () => {
  const pages = (a: string, b: string) => [
    passageOf({ title: "Harbour plan", path: "plan.md", text: a }),
    passageOf({ title: "Minutes of May", path: "minutes.md", text: b })
  ]
  const values = (question: string, a: string, b: string) =>
    findConflicts(evidenceOf(question, pages(a, b)), []).map(({ sides }) => sides.map(({ value }) => value))

  it.each([
    ["The budget of Berth 10 is 64 million EUR.", "The budget of Berth 10 is 71 million EUR."],
    [
      "The budget of Berth 10 is 64 million EUR, of which 12 million EUR comes from the region.",
      "The budget of Berth 10 is 71 million EUR."
    ],
    [
      "The budget of Berth 10 is 64 million EUR.",
      "The steering group noted that the budget of Berth 10 is 71 million EUR."
    ],
    [
      "The budget of Berth 10 is 64 million EUR, including 12 million EUR for dredging.",
      "The auditors confirmed that the budget of Berth 10 is 71 million EUR, of which 3 million EUR is spent."
    ]
  ])("disagree about their main clause: %s / %s", (a, b) => {
    expect(values("What is the budget of Berth 10?", a, b)).toEqual([["64 million EUR", "71 million EUR"]])
  })

  it.each([
    ["The steering group noted that the budget of Berth 9 is 71 million EUR."],
    ["The steering group proposed that the budget of Berth 10 is 71 million EUR."],
    ["The budget of Berth 10 is 64 million EUR, of which 71 million EUR was once planned."]
  ])("do not disagree with another thing, a plan or an addition: %s", (b) => {
    const a = "The budget of Berth 10 is 64 million EUR, of which 12 million EUR comes from the region."
    expect(values("What is the budget of Berth 10?", a, b)).toEqual([])
  })
})
