import { type Evidence as AnswerEvidence, makeEvidence } from "../core/answers/evidence/index.js"
import { checkClaim } from "../core/answers/grounding/index.js"
import type { Passage } from "../core/files/documents/index.js"
import { chunkDocument } from "../core/files/markdown/chunk.js"
import { parseFrontMatter } from "../core/files/markdown/front-matter.js"
import { parseMarkdown } from "../core/files/markdown/parse-markdown.js"
import { readQuestion } from "../core/language/questions/index.js"
import { sentences } from "../core/language/text-analysis/sentences.js"
import { textUnits } from "../core/language/text-analysis/units.js"
import { analyse } from "../core/language/tokenization/index.js"
import { ChunkId, DocumentId } from "../core/platform/kernel/index.js"
import { Settings } from "../core/platform/workspace/index.js"
import { readAnswered, readCorpus } from "./data.js"
import { claimsOf, namesOf, statementOf } from "./grounding-claims.js"
import { planted, plantedFindings } from "./planted-conflicts.js"
import { randomFrom, shuffled } from "./random.js"
import type { BenchContext, RunBench } from "./result.js"

const sentencesBySize = { small: 40, default: 600, full: 3000 } as const

/** Counts for the claims of one kind. */
interface Tally {
  readonly isTrue: boolean
  made: number
  right: number
}

/**
 * Whether the built-in verifier refuses what an edit made wrong and accepts what is true, over sentences of two
 * collections and the passages that they stand in. The rules were tuned on one half of the passages; the other is
 * reported (`KANON_BENCH_HALF=tune` shows the first).
 */
export const grounding: RunBench = async (context) => {
  const half = process.env["KANON_BENCH_HALF"] === "tune" ? 0 : 1
  for (const folder of ["squad2-dev-sample", "eips"]) {
    const passages = passagesOf(folder)
    if (passages === null) context.skip(`The folder ${folder} is not there: see docs/benchmarks.md.`)
    else verify(context, folder, passages, half)
  }
  conflicts(context)
}

/** Whether planted contradictions are found, and how much else is taken for one. */
const conflicts = ({ report, say }: BenchContext): void => {
  const [of, decoys] = [planted.conflicts.map(plantedFindings), planted.decoys.map(plantedFindings)]
  const found = of.filter(({ isFound }) => isFound).length
  for (const [at, { isFound }] of of.entries())
    if (!isFound) say(`missed: ${planted.conflicts[at]?.question}`)
  const wrong = [...of, ...decoys].reduce((sum, { others }) => sum + others.length, 0)
  const share = (metric: string, ours: number, floor: number, peer: string, target?: string) =>
    report({
      metric,
      ours,
      floor,
      n: floor,
      unit: "conflicts",
      peer,
      collection: "demonstration vault",
      ...(target === undefined ? {} : { target })
    })
  share("conflicts found", found, of.length, "planted")
  share("conflicts that are none", wrong, found + wrong, "shown")
  share("conflicts that are some", found, found + wrong, "shown", ">= 0.9")
  share("decoys let be", decoys.filter(({ all }) => all.length === 0).length, decoys.length, "decoys")
}

const passagesOf = (folder: string): ReadonlyArray<Passage> | null => {
  const corpus = readCorpus(folder)
  if (corpus === null) return null
  const { chunking } = Settings.parse({})
  let label = 0
  return corpus.flatMap(({ id, text, title }, at) =>
    chunkDocument(parseMarkdown(text, parseFrontMatter(text).bodyStart), chunking).map(
      (chunk, ordinal): Passage => {
        label += 1
        return {
          id: ChunkId.parse(`chk_${label.toString().padStart(26, "0")}`),
          documentId: DocumentId.parse(`doc_${at.toString().padStart(26, "0")}`),
          label,
          ordinal,
          headingPath: chunk.headingPath,
          text: chunk.text,
          start: chunk.start,
          end: chunk.end,
          docTitle: title,
          docPath: id,
          docVerification: "unverified",
          docUpdatedAt: "2026-01-01T00:00:00.000Z"
        }
      }
    )
  )
}

const verify = (
  { report, say, seed, size }: BenchContext,
  folder: string,
  passages: ReadonlyArray<Passage>,
  half: number
): void => {
  const idf = idfOf(passages)
  const halves = passages.filter(
    ({ docPath }) => [...docPath].reduce((sum, char) => sum + char.charCodeAt(0), 0) % 2 === half
  )
  const names = [...new Set(halves.flatMap(({ text }) => namesOf(text)))]
  const tallies = new Map<string, Tally>()
  const count = (kind: string, text: string, isTrue: boolean, evidence: AnswerEvidence) => {
    const tally = tallies.get(kind) ?? { isTrue, made: 0, right: 0 }
    const check = checkClaim({ text, citations: ["S1"] }, evidence)
    const isRight = check.supported === isTrue
    tallies.set(kind, { isTrue, made: tally.made + 1, right: tally.right + (isRight ? 1 : 0) })
    if (!isRight && half === 0)
      say(
        `${kind} | ${check.veto ?? check.support.toFixed(2)} | ${text}\n    ${evidence.sources[0]?.text.replace(/\s+/gu, " ")}`
      )
  }
  const evidenceOf = (passage: Passage, text: string) =>
    makeEvidence({ question: readQuestion(text, analyse), passages: [passage], idf, analyse })
  const chosen = shuffled(
    halves.flatMap((passage) => sentencesIn(passage).map((sentence) => ({ passage, sentence }))),
    seed
  )
  for (const [at, { passage, sentence }] of chosen.slice(0, sentencesBySize[size]).entries())
    for (const { isTrue, kind, text } of claimsOf(sentence, passage.text, names, seed + at))
      count(kind, text, isTrue, evidenceOf(passage, text))
  const byPath = new Map(halves.map((passage) => [passage.docPath, passage]))
  const answered = readAnswered(folder)
  const random = randomFrom(seed)
  for (const { answer, paragraph, question } of answered) {
    const passage = byPath.get(paragraph)
    const text = statementOf(question, answer)
    if (passage === undefined || text === null) continue
    count("question with its answer", text, true, evidenceOf(passage, text))
    const others = answered.filter((one) => isLike(one.answer, answer) && one.paragraph === paragraph)
    const other = others[Math.floor(random() * others.length)]
    const wrong = other === undefined ? null : statementOf(question, other.answer)
    if (wrong !== null) count("question with the answer of another", wrong, false, evidenceOf(passage, wrong))
  }
  reportTallies(report, folder, tallies)
}

/** Returns whether two texts are of one kind and neither contains the other. */
const isLike = (a: string, b: string): boolean => {
  const kindOf = (text: string) =>
    /^[12]\d{3}$/u.test(text)
      ? "year"
      : /\d/u.test(text)
        ? "number"
        : /^\p{Lu}/u.test(text)
          ? "name"
          : "other"
  const [x, y] = [a.toLowerCase(), b.toLowerCase()]
  return kindOf(a) !== "other" && kindOf(a) === kindOf(b) && !x.includes(y) && !y.includes(x)
}

const sentencesIn = ({ text }: Passage): ReadonlyArray<string> =>
  textUnits(text).flatMap((unit) => {
    const whole = unit.kind === "sentence" && sentences(unit.text).length === 1
    return whole && unit.text.length >= 40 && unit.text.length <= 260 && /^\p{Lu}.*\.$/u.test(unit.text)
      ? [unit.text]
      : []
  })

const idfOf = (passages: ReadonlyArray<Passage>) => {
  const counts = new Map<string, number>()
  for (const { text } of passages)
    for (const term of new Set(analyse(text).map((one) => one.term)))
      counts.set(term, (counts.get(term) ?? 0) + 1)
  return (term: string): number => {
    const found = counts.get(term) ?? 0
    return Math.log(1 + (passages.length - found + 0.5) / (found + 0.5))
  }
}

const reportTallies = (
  report: BenchContext["report"],
  collection: string,
  tallies: ReadonlyMap<string, Tally>
): void => {
  for (const [kind, { isTrue, made, right }] of tallies)
    report({
      metric: `${isTrue ? "accepted" : "refused"}: ${kind}`,
      ours: right,
      floor: made,
      n: made,
      unit: "claims",
      peer: isTrue ? "true claims" : "claims with this edit",
      collection,
      target: isTrue ? ">= 0.9" : ">= 0.95"
    })
}
