import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { makeEvidence } from "../../../../core/answers/evidence/evidence.js"
import { checkClaim, checkGrounding } from "../../../../core/answers/grounding/grounding.js"
import { readQuestion } from "../../../../core/language/questions/question.js"
import { analyse } from "../../../../core/language/tokenization/index.js"
import { passageOf } from "../../../support/passages.js"

const Golden = z.object({
  verifier: z.array(
    z.object({ claim: z.string(), evidence: z.string(), supported: z.boolean(), why: z.string() })
  )
})
const golden = Golden.parse(
  JSON.parse(readFileSync(new URL("../../../fixtures/golden/verifier.json", import.meta.url), "utf8"))
)

const evidenceOf = (...texts: ReadonlyArray<string>) =>
  makeEvidence({
    question: readQuestion("What is known?", analyse),
    passages: texts.map((text, at) => passageOf({ title: `Notes ${at}`, path: `notes-${at}.md`, text })),
    idf: () => 1,
    analyse
  })

const check = (claim: string, ...texts: ReadonlyArray<string>) =>
  checkClaim({ text: claim, citations: texts.map((_, at) => `S${at + 1}`) }, evidenceOf(...texts))

describe("the built-in verifier", () => {
  it.each(golden.verifier)("$claim / $evidence: $supported ($why)", ({ claim, evidence, supported }) => {
    expect(check(claim, evidence).supported).toBe(supported)
  })

  it.each([
    ["The limit is at least 5 GB.", "The limit is at most 5 GB.", "opposite"],
    ["Guest access is allowed.", "Guest access is forbidden.", "opposite"],
    ["Guest access is not allowed.", "Guest access is allowed.", "negation"],
    ["The vault opens before the audit.", "The vault opens after the audit.", "opposite"],
    ["Orlin uses port 8443.", "Orlin uses port 8080.", "value"],
    [
      "The old vault of Veck Sound was opened by the night team.",
      "The old vault was opened by the night team.",
      "name"
    ],
    ["The fee rose last year.", "The fee is due last year.", "opposite"],
    ["Der Zugang ist nicht erlaubt.", "Der Zugang ist erlaubt.", "negation"],
    ["Merrow archives the old invoices daily.", "Orlin archives the old invoices daily.", "name"],
    ["Orlin uses port 8443.", "Orlin uses port 8080. Merrow uses port 8443.", "value"],
    ["Orlin has 40 servers.", "Orlin has 65 servers and 40 users.", "value"],
    [
      "The audit of Veck Sound was led by Ada Holm.",
      "Ben Orr led the audit of Veck Sound. Ada Holm led the survey of Ramsholm.",
      "name"
    ],
    ["The service Orlin depends on Merrow.", "The service Merrow depends on Orlin.", "order"],
    [
      "His stay in Veck (until 2016) was followed by that of Emma, who stayed in Ramsholm after the audit.",
      "Veck was sold to Ada Holm. His stay in Ramsholm (until 2016) was followed by that of Emma, who stayed in Ramsholm after the audit.",
      "name"
    ],
    [
      "It was an attempt to establish a northern depot in Veck Sound.",
      "A group of sailors from the northern depot arrived to found Veck Sound, an attempt to establish trade. It was an attempt to establish a northern depot in Ramsholm.",
      "name"
    ],
    [
      "This makes it the smallest depot of the country, and one of the largest of the world.",
      "This makes it the largest depot of the country, and one of the largest of the world.",
      "opposite"
    ],
    [
      "All keys other than the first one are mandatory.",
      "All keys other than the first one are optional. All keys other than the first one are suggestions.",
      "opposite"
    ],
    [
      "No less than 400 exits are made in two weeks.",
      "No more than 400 exits are made in two weeks.",
      "opposite"
    ],
    ["All invoices are checked by two people.", "Most invoices are checked by two people.", "quantifier"],
    ["A client must send the header.", "A client may send the header.", "quantifier"],
    ["Only the owner can delete a page.", "The owner can delete a page.", "quantifier"],
    ["The client must reject a valid id.", "The client must reject an id that is not valid.", "negation"],
    [
      "The upper limit is the largest of the three.",
      "The upper limit is the smallest of the three.",
      "opposite"
    ],
    ["Die Frist beträgt 4 Wochen.", "Die Frist beträgt sechs Wochen.", "value"],
    ["Gäste dürfen das Lager nicht betreten.", "Gäste dürfen das Lager betreten.", "negation"],
    ["Alle Rechnungen werden geprüft.", "Die meisten Rechnungen werden geprüft.", "quantifier"],
    ["Le délai est de 1 500 euros.", "Le délai est de 1.600 euros.", "value"],
    ["Les visiteurs ne sont pas admis dans la halle.", "Les visiteurs sont admis dans la halle.", "negation"]
  ])("refuses %j by %j", (claim, evidence, veto) => {
    expect(check(claim, evidence)).toMatchObject({ supported: false, support: 0, veto })
  })

  it.each([
    ["Invoices are retained for 10 years.", ["Invoices are kept for 10 years."]],
    ["Orlin was launched in 2021.", ["Orlin was launched on 4 March 2021, after long work."]],
    ["The fee rose by 5 %.", ["Last year the fee increased by 5 percent."]],
    [
      "The platform team owns Orlin and the security team audits it.",
      ["Orlin is owned by the platform team.", "The security team audits it."]
    ],
    ["The fort was destroyed in 1560.", ["Fort Coligny was built in 1555. The fort was destroyed in 1560."]],
    [
      "Fort Coligny was destroyed in 1560.",
      ["Fort Coligny was built in 1555. The fort was destroyed in 1560."]
    ],
    ["The Duchy of Normandy was founded in 911.", ["In 911 the Duchy of Normandy was founded by treaty."]],
    ["Merrow is used by Orlin.", ["Orlin uses Merrow."]],
    ["Temur Khan ruled from 1294.", ["It was Temür Khan who ruled from 1294 on."]],
    [
      "Orlin was kept under the command of Merrow, Robert's son.",
      ["In 1107 Orlin was kept under the command of Merrow, Robert's son, and besieged, but to no avail."]
    ],
    ["Advanced Steam is the name of the movement for steam.", ["The movement for steam is Advanced Steam."]],
    ["Some invoices are checked.", ["All invoices are checked."]],
    ["No more than 5 admins are allowed.", ["At most 5 admins are allowed."]],
    [
      "The embargo began on March 14, 1958.",
      ["The embargo began on March 14 , 1958 , and lasted for years."]
    ],
    ["Die Frist beträgt 6 Wochen.", ["Die Frist beträgt sechs Wochen."]],
    ["Der Preis beträgt 1.500 Euro.", ["Der Preis beträgt jetzt 1500 €."]],
    ["Le prix est de 2,5 millions d'euros.", ["Le prix est de 2 500 000 euros."]]
  ])("accepts %j", (claim, texts) => {
    expect(check(claim, ...texts).supported).toBe(true)
  })

  it("does not take a part of a sentence for the whole", () => {
    expect(check("Guest access is allowed.", "It is not true that guest access is allowed.").supported).toBe(
      false
    )
  })

  it("counts a claim without a known citation as unverified", () => {
    const claims = [
      { text: "Invoices are kept.", citations: [] },
      { text: "Invoices are kept.", citations: ["S9"] },
      { text: "Invoices are kept.", citations: ["S1"] }
    ]
    expect(checkGrounding(claims, evidenceOf("Invoices are kept."))).toMatchObject({ verified: 1, total: 3 })
  })

  it("compares data claims with the cells, and lets a truncated call carry no total", () => {
    const evidence = {
      ...evidenceOf(),
      data: [
        {
          id: "D1",
          queryTitle: "Invoices by country",
          columns: ["country", "amount"],
          rows: [{ country: "Britain", amount: 145 }],
          rowCount: 1,
          truncated: true
        }
      ]
    }
    const of = (text: string) => checkClaim({ text, citations: ["D1"] }, evidence)
    expect(of("Invoices by country: country Britain, amount 145").supported).toBe(true)
    expect(of("Invoices by country: country Britain, amount 146").veto).toBe("value")
    expect(of("The total of invoices by country in Britain is 145.").supported).toBe(false)
  })
})
