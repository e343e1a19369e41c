import { expect } from "vitest"
import { makeEvidence } from "../../core/answers/evidence/evidence.js"
import type { Evidence } from "../../core/answers/evidence/index.js"
import { extractAnswer } from "../../core/answers/extractive/extractive.js"
import { checkGrounding } from "../../core/answers/grounding/grounding.js"
import type { Passage } from "../../core/files/documents/index.js"
import { readQuestion } from "../../core/language/questions/question.js"
import { analyse } from "../../core/language/tokenization/index.js"
import { passageOf } from "./passages.js"

/** A page that is one passage, named by its title. */
export const pageOf = (title: string, text: string): Passage =>
  passageOf({ title, path: `${title}.md`, text })

/** A question with its passages, all terms as rare as each other. */
export const evidenceOf = (question: string, passages: ReadonlyArray<Passage>): Evidence =>
  makeEvidence({ question: readQuestion(question, analyse), passages, idf: () => 1.8, analyse })

/** Returns the built-in model's claims, and expects each to pass the grounding check. */
const claimsOf = (evidence: Evidence): ReadonlyArray<string> => {
  const { claims } = extractAnswer(evidence)
  expect(checkGrounding(claims, evidence).verified).toBe(claims.length)
  return claims.map(({ text }) => text)
}

/** Returns the built-in model's answer from these passages. */
export const answerTo = (question: string, passages: ReadonlyArray<Passage>): ReadonlyArray<string> =>
  claimsOf(evidenceOf(question, passages))
