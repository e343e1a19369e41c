import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { z } from "zod"
import { makeEvidence } from "../../../../core/answers/evidence/evidence.js"
import { type ClaimCheck, checkClaim, verifierId } from "../../../../core/answers/grounding/index.js"
import { readQuestion } from "../../../../core/language/questions/question.js"
import { analyse } from "../../../../core/language/tokenization/index.js"
import { passageOf } from "../../../support/passages.js"

const Golden = z.object({ verifier: z.array(z.object({ claim: z.string(), evidence: z.string() })) })
const { verifier } = Golden.parse(
  JSON.parse(readFileSync(new URL("../../../fixtures/golden/verifier.json", import.meta.url), "utf8"))
)

/** The claim itself, and what an edit makes of it. */
const edited = (claim: string, next: string): ReadonlyArray<string> => {
  const longest = (text: string) =>
    [...(text.match(/(?<!^)\b\p{Ll}{4,}\b/gu) ?? [])].sort((a, b) => b.length - a.length)[0] ?? "thing"
  return [
    claim,
    claim.replace(/\d+/u, (number) => String(Number(number) + 1)),
    claim.replace(/\b(?:is|are|was|were|has|must|can)\b/u, "$& not"),
    claim.replace(/(?<=\s)\p{Lu}\p{L}+/u, "Zorvan"),
    claim.replace(longest(claim), longest(next)),
    claim.split(" ").slice(0, -2).join(" ")
  ]
}

/**
 * Claims that version 4 decides differently from version 3: one word, value or order exchanged, and true rewordings; the
 * last three are those of version 5.
 */
const exchanged: ReadonlyArray<readonly [claim: string, evidence: string, status: ClaimCheck["status"]]> = [
  ["The pumps of Orlin are painted red.", "The pumps of Orlin are painted green.", "partly"],
  ["Guests can delete the projects of Merrow.", "Admins can delete the projects of Merrow.", "unsupported"],
  ["The lamp lights the hall of Orlin.", "The hall lights the lamp of Orlin.", "partly"],
  ["The report is sent after the audit.", "The report is sent within the audit.", "partly"],
  ["The store is kept at 18 °C.", "The store is kept at −18 °C.", "contradicted"],
  ["The rent is 900 euros per week.", "The rent is 900 euros per month.", "contradicted"],
  ["Merrow requires Python 3.1.", "Merrow requires Python 3.10.", "contradicted"],
  ["The gate closes at 10 am.", "The gate closes at 10 pm.", "contradicted"],
  ["The invoices are stored for ten years.", "The invoices are kept for ten years.", "supported"],
  ["The gate closes at 22:00.", "The gate closes at 10 pm.", "supported"],
  ["The turbine delivers 1,500 kW.", "The turbine delivers 1.5 MW.", "supported"],
  ["The boiler is inspected by Ada Holm.", "Ada Holm inspects the boiler.", "supported"],
  [
    "The clinic pays twelve days of leave for visitors.",
    "The clinic pays twelve days of leave for nurses, and three days of leave for visitors.",
    "contradicted"
  ],
  ["Orlin contributes to the fund.", "Orlin doesn't manage or contribute to the fund.", "contradicted"],
  ["Visits end when you check out at the gate.", "Visits end when you check in at the gate.", "partly"]
]

/**
 * Hash of the verdicts of each verifier version on the golden claims and on edited ones: each against its own evidence,
 * its neighbours' evidence, and its own with another sentence behind it. The cases of exchanged words joined with
 * version 4.
 */
const known: Readonly<Record<string, string>> = {
  "builtin/lexical-1": "a8ca57822d3fc430",
  "builtin/lexical-2": "a8ca57822d3fc430",
  "builtin/lexical-3": "e1ec1591c3493c18",
  "builtin/lexical-4": "06b36e8854633216",
  "builtin/lexical-5": "2a8fd83a5f71d407"
}

const evidenceOf = (text: string) =>
  makeEvidence({
    question: readQuestion("What is known?", analyse),
    passages: [passageOf({ title: "Notes", path: "notes.md", text })],
    idf: () => 1,
    analyse
  })

it.each(exchanged)("%s / %s: %s", (claim, text, status) => {
  expect(checkClaim({ text: claim, citations: ["S1"] }, evidenceOf(text)).status).toBe(status)
})

it("a verifier that decides otherwise has another name", () => {
  const at = (place: number) => verifier[place % verifier.length] ?? { claim: "", evidence: "" }
  const verdicts = verifier.flatMap(({ claim, evidence: own }, place) =>
    [own, `${own} ${at(place + 1).evidence}`, at(place + 1).evidence, at(place + 2).evidence].flatMap(
      (text) => {
        const evidence = evidenceOf(text)
        return edited(claim, at(place + 1).claim).map((said) => {
          const { status, veto } = checkClaim({ text: said, citations: ["S1"] }, evidence)
          return [status, veto ?? null]
        })
      }
    )
  )
  const ofExchanged = exchanged.map(([claim, text]) => {
    const { status, veto } = checkClaim({ text: claim, citations: ["S1"] }, evidenceOf(text))
    return [status, veto ?? null]
  })
  const digest = createHash("sha256")
    .update(JSON.stringify([...verdicts, ...ofExchanged]))
    .digest("hex")
    .slice(0, 16)
  expect(
    known[verifierId],
    "Calibrations and cached answers hang on what the verifier says: raise `verifierId`, note the new digest under it, and fit the shipped calibration anew."
  ).toBe(digest)
})
