import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { z } from "zod"
import { makeEvidence } from "../../../../core/answers/evidence/index.js"
import { checkClaim } from "../../../../core/answers/grounding/index.js"
import { readQuestion } from "../../../../core/language/questions/index.js"
import { analyse } from "../../../../core/language/tokenization/index.js"
import { passageOf } from "../../../support/passages.js"

/** Claims about small vaults, true and false by one word or value, that were found in reports on version 5030c148. */
const { cases } = z
  .object({
    cases: z.array(
      z.object({
        kind: z.string(),
        files: z.record(z.string(), z.string()),
        claims: z.array(z.object({ text: z.string(), supported: z.boolean() }))
      })
    )
  })
  .parse(JSON.parse(readFileSync(new URL("../../../fixtures/reported-claims.json", import.meta.url), "utf8")))

it.each(cases)("$kind", ({ claims, files }) => {
  const evidence = makeEvidence({
    question: readQuestion("What is known?", analyse),
    passages: Object.entries(files).map(([path, text]) => passageOf({ title: path, path, text })),
    idf: () => 1,
    analyse
  })
  const citations = evidence.sources.map(({ id }) => id)
  const found = claims.map(({ text }) => ({
    text,
    supported: checkClaim({ text, citations }, evidence).supported
  }))
  expect(found).toEqual(claims)
})
