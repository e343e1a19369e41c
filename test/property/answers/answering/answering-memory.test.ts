import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { findConflicts } from "../../../../core/answers/conflicts/conflicts.js"
import { makeEvidence } from "../../../../core/answers/evidence/evidence.js"
import { extractAnswer } from "../../../../core/answers/extractive/extractive.js"
import { checkGrounding } from "../../../../core/answers/grounding/grounding.js"
import { selectPassages } from "../../../../core/answers/selection/choose-passages.js"
import { scoredAnswer } from "../../../../core/answers/selection/scored-answer.js"
import type { Passage } from "../../../../core/files/documents/index.js"
import { readQuestion } from "../../../../core/language/questions/question.js"
import { TermSet } from "../../../../core/language/text-analysis/terms.js"
import { TextCache } from "../../../../core/language/text-analysis/text-cache.js"
import { analyse } from "../../../../core/language/tokenization/index.js"
import { passageOf } from "../../../support/passages.js"
import { runs } from "../../../support/runs.js"

const names = ["Orlin", "Merrow", "KT-1500", "EIP 1559", "Königsberg", "東京"]
const values = ["3 years", "12 kg", "4 March 2021", "about 500", "€160", "zwei Tage"]
const sentence = fc
  .tuple(
    fc.constantFrom(...names),
    fc.constantFrom("keeps invoices for", "must not weigh more than", "was opened on", "ist zuständig für"),
    fc.constantFrom(...values),
    fc.constantFrom(
      ".",
      ", but not in winter.",
      "; the maintainer is Anna Weber.",
      " because it is responsible."
    )
  )
  .map(([name, verb, value, end]) => `${name} ${verb} ${value}${end}`)
const block = fc.oneof(
  fc.array(sentence, { minLength: 1, maxLength: 3 }).map((all) => all.join(" ")),
  fc.array(sentence, { minLength: 1, maxLength: 3 }).map((all) => `It holds:\n\n- ${all.join("\n- ")}`),
  fc
    .tuple(fc.constantFrom(...names), fc.constantFrom(...values))
    .map(([name, value]) => `| Name | Limit |\n| --- | --- |\n| ${name} | ${value} |`),
  fc.constantFrom("## Limits", "# Orlin", "```\nlet orlin = 3\n```", "status: Final")
)
const passages = fc
  .array(
    fc.tuple(fc.constantFrom(...names, "Handbook 2021"), fc.array(block, { minLength: 1, maxLength: 4 })),
    {
      minLength: 1,
      maxLength: 6
    }
  )
  .map((pages) =>
    pages.map(([title, blocks], at) => passageOf({ title, path: `${at % 3}.md`, text: blocks.join("\n\n") }))
  )
const question = fc
  .tuple(
    fc.constantFrom(
      "What is",
      "How long does",
      "When was",
      "Who is responsible for",
      "Wie viele Tage hat",
      "Why is"
    ),
    fc.constantFrom(...names),
    fc.constantFrom("", " and Merrow", " in 2021", " keep invoices", " opened")
  )
  .map((parts) => `${parts[0]} ${parts[1]}${parts[2]}?`)

/** All that is made of passages for a question. */
const answered = (text: string, pool: ReadonlyArray<Passage>, texts: TextCache) => {
  const base = {
    question: readQuestion(text, analyse),
    idf: (term: string) => 1 + (term.length % 3),
    analyse,
    texts
  }
  const chosen = makeEvidence({
    ...base,
    passages: selectPassages(makeEvidence({ ...base, passages: pool }), 4)
  })
  const answer = extractAnswer(chosen)
  const turned = answer.claims.map((claim) => ({ ...claim, text: claim.text.replace(/3|not /u, "7") }))
  return {
    chosen: chosen.sources.map(({ id, passage }) => [id, passage.label, passage.docPath, passage.text]),
    answer,
    checks: checkGrounding([...answer.claims, ...turned], chosen),
    conflicts: findConflicts(chosen, answer.claims),
    values: scoredAnswer(chosen).features
  }
}

describe("texts that are remembered", () => {
  it("give what they give when they are read anew, whatever was asked before", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(question, passages), { minLength: 2, maxLength: 3 }),
        fc.constantFrom(0, 3000, 1_000_000),
        (asked, limitBytes) => {
          const memory = new TextCache(analyse, limitBytes)
          for (const [text, pool] of [...asked, ...asked]) {
            const anew = answered(text, pool, new TextCache(analyse, 0))
            expect(answered(text, pool, memory)).toEqual(anew)
            expect(memory.sizeBytes).toBeLessThanOrEqual(limitBytes)
          }
        }
      ),
      { numRuns: runs(14) }
    )
  })

  it("are the same object as long as they are remembered, and forgotten in the order of use", () => {
    const memory = new TextCache(analyse, 100_000)
    const first = memory.passage("Orlin keeps invoices.")
    expect(memory.passage("Orlin keeps invoices.")).toBe(first)
    for (let at = 0; at < 1000; at += 1) memory.passage(`Orlin keeps invoices for ${at} years.`)
    expect(memory.passage("Orlin keeps invoices.")).not.toBe(first)
    expect(memory.sizeBytes).toBeGreaterThan(50_000)
  })

  it("are read anew where they are long: they may be the beginning of what is longer still", () => {
    const memory = new TextCache(analyse, 10_000_000)
    const text = "Orlin keeps invoices. ".repeat(500)
    expect(memory.passage(text)).not.toBe(memory.passage(text))
    expect(memory.sizeBytes).toBe(0)
  })
})

describe("sets of terms as one", () => {
  it("match as the set of all their terms does", () => {
    const term = fc.constantFrom(
      "invoice",
      "invoic",
      "director",
      "directorate",
      "frist",
      "kündigungsfrist",
      "x1"
    )
    fc.assert(
      fc.property(
        fc.array(fc.array(term), { maxLength: 3 }),
        term,
        fc.constantFrom("en", "de"),
        (lists, sought, of) => {
          const sets = lists.map((terms) => new TermSet(terms))
          const whole = new TermSet(lists.flat())
          expect(TermSet.matchIn(sets, sought, of)).toBe(whole.match(sought, of))
          expect(TermSet.union(sets).match(sought, of)).toBe(whole.match(sought, of))
        }
      )
    )
  })
})
