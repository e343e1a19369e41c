import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { z } from "zod"
import { makeEvidence } from "../../core/answering/evidence.js"
import { checkClaim, verifierId } from "../../core/answering/index.js"
import { readQuestion } from "../../core/answering/question.js"
import { analyse } from "../../core/retrieval/index.js"
import { passageOf } from "../support/passages.js"

const Golden = z.object({ verifier: z.array(z.object({ claim: z.string(), evidence: z.string() })) })
const { verifier } = Golden.parse(
  JSON.parse(readFileSync(new URL("../fixtures/golden/verifier.json", import.meta.url), "utf8"))
)

/** What the verifier said of the golden claims, each against its own evidence and its neighbours', under each name. */
const known: Readonly<Record<string, string>> = { "builtin/lexical-1": "8a2bb0ea1db3b2a8" }

it("a verifier that decides otherwise has another name", () => {
  const verdicts = verifier.flatMap(({ claim }, at) =>
    [0, 1, 2, 3].map((further) => {
      const { evidence: text } = verifier[(at + further) % verifier.length] ?? { evidence: "" }
      const evidence = makeEvidence({
        question: readQuestion("What is known?", analyse),
        passages: [passageOf({ title: "Notes", path: "notes.md", text })],
        idf: () => 1,
        analyse
      })
      const { status, veto } = checkClaim({ text: claim, citations: ["S1"] }, evidence)
      return [status, veto ?? null]
    })
  )
  const digest = createHash("sha256").update(JSON.stringify(verdicts)).digest("hex").slice(0, 16)
  expect(
    known[verifierId],
    "Calibrations and cached answers hang on what the verifier says: raise `verifierId`, note the new digest under it, and fit the shipped calibration anew."
  ).toBe(digest)
})
