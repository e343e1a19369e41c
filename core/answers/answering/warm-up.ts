/**
 * Compiles what the first question needs. V8 compiles a pattern or a function when it is first used, so that the first
 * question of a process costs a second of CPU time where a later one costs some ten milliseconds.
 */
import * as Effect from "effect/Effect"
import type { Passage } from "../../files/documents/index.js"
import { readQuestion } from "../../language/questions/index.js"
import { TextCache } from "../../language/text-analysis/index.js"
import { analyse, analyseForIndex } from "../../language/tokenization/index.js"
import { ChunkId, DocumentId, nextTurn } from "../../platform/kernel/index.js"
import { findConflicts } from "../conflicts/index.js"
import { makeEvidence } from "../evidence/index.js"
import { extractAnswer } from "../extractive/index.js"
import { checkGrounding } from "../grounding/index.js"
import { choosePassages } from "../selection/index.js"

/** Pages with each form of unit; nothing of them is stored or shown. */
const pages = [
  "The north quay closes when the wind exceeds 20 m/s. It opened on 3 May 2021, and costs 1,250 euros a month.",
  "# Pumps\n\n| Pump | Flow |\n|---|---|\n| P-17 | 30 l/min |\n| P-18 | 45 l/min |\n\nIda Falk leads the workshop.",
  "## How to restart\n\n1. Stop the pump.\n2. Run `pump start`.\n\n```yaml\npump:\n  mode: auto\n```\n\nThe south quay closes at 25 m/s."
]
const questions = [
  "When does the north quay close?",
  "Who leads the workshop?",
  "How do I restart the pump P-17?"
]

const passageOf = (text: string, at: number): Passage => {
  const suffix = String(at + 1).padStart(26, "0")
  return {
    id: ChunkId.parse(`chk_${suffix}`),
    documentId: DocumentId.parse(`doc_${suffix}`),
    label: at + 1,
    ordinal: 0,
    headingPath: ["Quay", "Pumps"],
    text,
    start: 0,
    end: text.length,
    docTitle: "Quay",
    docPath: `quay-${at}.md`,
    docVerification: "unverified",
    docUpdatedAt: "2026-01-01T00:00:00.000Z"
  }
}

/**
 * Answers questions about pages that exist only here, in steps between which other work gets its turn. It reads and writes
 * nothing; interrupting it leaves the rest to the first question. Some 0.6 s of CPU time, once.
 */
export const warmUpAnswers: Effect.Effect<void> = Effect.gen(function* () {
  const texts = new TextCache(analyse, cacheBytes)
  const passages = pages.map(passageOf)
  const step = <A>(make: () => A): Effect.Effect<A> => Effect.zipLeft(Effect.sync(make), nextTurn)
  for (const text of questions) {
    yield* step(() => analyseForIndex(text))
    const question = yield* step(() => readQuestion(text, analyse))
    const base = { question, idf: () => 1, analyse, texts }
    for (const passage of passages)
      yield* step(() => choosePassages(makeEvidence({ ...base, passages: [passage] }), 1))
    const evidence = yield* step(() => makeEvidence({ ...base, passages }))
    const { claims } = yield* step(() => extractAnswer(evidence))
    yield* step(() => checkGrounding(claims, evidence))
    yield* step(() => findConflicts(evidence, claims))
  }
})

const cacheBytes = 256 * 1024
