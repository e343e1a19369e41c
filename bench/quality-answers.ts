import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { z } from "zod"
import type { StructuredAnswer } from "../core/answers/answering/index.js"
import { readCorpus } from "./data.js"
import { engineAt } from "./database.js"
import type { RunBench } from "./result.js"
import { withFolder } from "./workspace.js"

/** A question whose answer was looked up before it was asked. */
const AnswerQuestion = z.object({
  question: z.string(),
  /** A right answer says one of these; nothing to expect means that the vault does not say. */
  expect: z.array(z.string()),
  /** The file that carries the answer; null where several do. */
  source: z.string().nullable()
})
type AnswerQuestion = z.infer<typeof AnswerQuestion>

const readQuestions = () =>
  z
    .array(AnswerQuestion)
    .parse(JSON.parse(readFileSync(new URL("eips-questions.json", import.meta.url), "utf8")))

/** Whether a claim says what was expected, and cites the file that carries it. */
const judge = ({ claims, sources }: StructuredAnswer, { expect, source }: AnswerQuestion) => {
  if (expect.length === 0) return { isRight: claims.length === 0, isCited: claims.length === 0 }
  const plain = (text: string) => text.toLowerCase().replace(/\s+/gu, " ")
  const right = claims.filter(({ text }) => expect.some((wanted) => plain(text).includes(plain(wanted))))
  const cited = new Set(right.flatMap(({ citations }) => citations))
  const isCited = sources.some(({ docPath, id }) => cited.has(id) && (source === null || docPath === source))
  return { isRight: right.length > 0, isCited: right.length > 0 && isCited }
}

/** Asks the built-in model questions over the vault of real proposals, answerable and not. */
export const qualityAnswers: RunBench = async ({ report, say, size, skip }) => {
  const corpus = readCorpus("eips")
  if (corpus === null) return skip("The folder eips is not there: see docs/benchmarks.md.")
  const all = readQuestions()
  const ofKind = (isAnswerable: boolean) => all.filter(({ expect }) => expect.length > 0 === isAnswerable)
  const questions = size === "small" ? [...ofKind(true).slice(0, 2), ...ofKind(false).slice(0, 1)] : all
  await withFolder(async (vault) => {
    for (const { id, text } of corpus) {
      mkdirSync(dirname(join(vault, id)), { recursive: true })
      writeFileSync(join(vault, id), text)
    }
    const engine = await engineAt({ vault })
    try {
      await engine.ingest()
      const counts = { answerable: 0, right: 0, cited: 0, unanswerable: 0, abstained: 0 }
      for (const one of questions) {
        const answer = await engine.ask(one.question)
        const { isCited, isRight } = judge(answer, one)
        if (one.expect.length === 0) {
          counts.unanswerable += 1
          counts.abstained += isRight ? 1 : 0
        } else {
          counts.answerable += 1
          counts.right += isRight ? 1 : 0
          counts.cited += isCited ? 1 : 0
        }
        say(`${isCited ? "right" : isRight ? "said, other source" : "WRONG"}  ${one.question}`)
        if (!isCited) say(`       said: ${answer.answer.slice(0, 300)}`)
      }
      const share = (metric: string, ours: number, of: number, peer: string) =>
        report({
          metric,
          ours,
          floor: of,
          n: of,
          unit: "questions",
          peer
        })
      share("right", counts.right, counts.answerable, "answerable questions")
      share("right and rightly cited", counts.cited, counts.answerable, "answerable questions")
      share("not answered", counts.abstained, counts.unanswerable, "questions that the vault does not answer")
    } finally {
      await engine.close()
    }
  })
}
