import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import { z } from "zod"
import { askTraced, type Query, type TracedAnswer } from "../core/answers/answering/index.js"
import { type CalibrationItem, splitQuestions } from "../core/answers/calibration/index.js"
import { answerF1, type Judgments } from "../core/answers/measures/index.js"
import { DocumentStore, documentOperations, type Verification } from "../core/files/documents/index.js"
import { Caller, runOperation } from "../core/platform/kernel/index.js"
import { isRightAnswer, itemOf } from "../core/work/evaluation/index.js"
import { dataFolder, readCorpus, readJudged } from "./data.js"
import { addAsVault, learnVectors, withFolder } from "./workspace.js"

/** Both halves of each: one is fitted on, the other measured on. */
export const answerFolders = ["squad2-dev-sample", "mtragun-dev", "clapnq-dev"] as const

/** The demonstration vault with questions that were written for it. */
const vaultSet = "vault"

/** Decides which question is in which half. */
const answerSeed = "1"

const AskedQuestion = z.object({
  id: z.string().default(""),
  text: z.string(),
  answerable: z.boolean().optional(),
  answers: z.array(z.string()).optional(),
  /** Sentences of the document that carry a long answer; a right answer quotes one. */
  evidence: z.array(z.string()).optional(),
  /** Label of the turn by the makers of a conversation set. */
  answerability: z.string().optional()
})
type AskedQuestion = z.infer<typeof AskedQuestion>

/** A question of a collection with what came of it. */
export interface AskedItem extends CalibrationItem {
  readonly folder: string
  readonly golds: ReadonlyArray<string>
  readonly traced: TracedAnswer
  /** For each citation of a claim, whether the document that it names was judged to carry an answer. */
  readonly citedRelevant: ReadonlyArray<boolean>
  readonly hasRelevant: boolean
  /** Score of the first passage by words; 0 when none was found. */
  readonly topScore: number
}

/**
 * Asks every question of a collection, at most `max`, in shadow, of a vault that holds its documents; `withhold` asks
 * those that have an answer once more, without the documents that carry it.
 */
export const askCollection = async (
  folder: string,
  max: number,
  { withhold = false }: { readonly withhold?: boolean } = {}
): Promise<ReadonlyArray<AskedItem> | null> => {
  const set = folder === vaultSet ? readVaultSet() : readSet(folder)
  if (set === null) return null
  const { corpus, judged } = set
  const questions = set.questions.slice(0, max)
  return withFolder(async (vault) => {
    const { idOf, workspace } = await addAsVault(corpus, vault)
    await learnVectors(workspace)
    const items: Array<AskedItem> = []
    try {
      for (const one of questions) {
        const query = { question: one.text, includeData: false, maxSources: 8, policyMode: "shadow" } as const
        const traced = await workspace.run(askTraced(query))
        const judgments = judged.get(one.id) ?? new Map<string, number>()
        const item = judge(folder, one, traced, idOf, judgments)
        items.push(item)
        const carriers = [...idOf].flatMap(([path, id]) => ((judgments.get(id) ?? 0) > 0 ? [path] : []))
        if (!withhold || !item.answerable || carriers.length === 0) continue
        const again = await workspace.run(askWithout(query, carriers))
        items.push({
          ...judge(folder, { ...one, answerable: false }, again, idOf, new Map()),
          withheld: true
        })
      }
    } finally {
      await workspace.close()
    }
    return items
  })
}

const readSet = (folder: string) => {
  const corpus = readCorpus(folder)
  if (corpus === null) return null
  const queries = readFileSync(join(dataFolder, folder, "queries.jsonl"), "utf8")
  return {
    corpus,
    judged: new Map(readJudged(folder, Infinity).collections[0]?.queries.map((one) => [one.id, one.judged])),
    questions: queries
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => AskedQuestion.parse(JSON.parse(line)))
  }
}

const readVaultSet = () => {
  const vault = fileURLToPath(new URL("../demo/vault", import.meta.url))
  const paths = readdirSync(vault, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".md")
  )
  const questions = readFileSync(new URL("vault-questions.json", import.meta.url), "utf8")
  return {
    corpus: paths.sort().map((id) => ({ id, title: "", text: readFileSync(join(vault, id), "utf8") })),
    judged: new Map<string, Judgments>(),
    questions: z.array(AskedQuestion).parse(JSON.parse(questions))
  }
}

/** Asks without the documents at these paths: all are unverified, and only such are asked while these are not. */
const askWithout = (query: Query, paths: ReadonlyArray<string>) =>
  verifyAll(paths, "deprecated").pipe(
    Effect.zipRight(askTraced({ ...query, verification: "unverified" })),
    Effect.zipLeft(verifyAll(paths, "unverified"))
  )

const verifyAll = (paths: ReadonlyArray<string>, verification: Verification) =>
  Effect.forEach(paths, (path) =>
    Effect.gen(function* () {
      const { workspace } = yield* Caller
      const { id } = yield* Effect.flatten((yield* DocumentStore).findByPath(workspace, path))
      yield* runOperation(documentOperations.verifyDocument, { id, verification })
    })
  )

/** Token F1 from which a claim quotes a sentence. */
const quotedShare = 0.5

/**
 * Turns that their makers called answerable in part count as answerable. Where there are gold answers a right answer
 * holds one; a conversation has none, and a right answer cites a passage that was judged to carry it.
 */
const judge = (
  folder: string,
  {
    answerability,
    answerable = answerability === "ANSWERABLE" || answerability === "PARTIAL",
    answers = [],
    evidence = [],
    text
  }: AskedQuestion,
  traced: TracedAnswer,
  idOf: ReadonlyMap<string, string>,
  judged: Judgments
): AskedItem => {
  const { answer, trace } = traced
  if (trace.gate === null) throw new Error("A question in shadow was not judged.")
  const relevantIds = new Set(
    answer.sources.filter(({ docPath }) => (judged.get(idOf.get(docPath) ?? "") ?? 0) > 0).map(({ id }) => id)
  )
  const citedRelevant = answer.claims.flatMap(({ citations }) => citations.map((id) => relevantIds.has(id)))
  const item = itemOf(
    { question: text, answerable, answers },
    answer.claims,
    trace.answerable,
    trace.gate.features
  )
  const claims = answer.claims.map((claim) => claim.text)
  const right =
    evidence.length > 0
      ? claims.some((claim) => answerF1(claim, evidence) >= quotedShare)
      : answers.length > 0
        ? isRightAnswer(claims, answers)
        : citedRelevant.includes(true)
  return {
    ...item,
    right: trace.answerable && answerable && right,
    folder,
    golds: evidence.length > 0 ? evidence : answers,
    traced,
    citedRelevant,
    hasRelevant: relevantIds.size > 0,
    topScore: Math.max(0, ...trace.explanation.candidates.flatMap(({ lexicalScore }) => lexicalScore ?? []))
  }
}

/** The halves of all questions together. */
export const halvesOf = (items: ReadonlyArray<AskedItem>, sha256: (text: string) => string) => {
  const sorted = [...items].sort((a, b) => (a.question < b.question ? -1 : a.question > b.question ? 1 : 0))
  const split = splitQuestions(
    sorted.map(({ question }) => question),
    answerSeed,
    sha256
  )
  const at = (places: ReadonlyArray<number>) => places.flatMap((place) => sorted[place] ?? [])
  return { fit: at(split.fit), held: at(split.calibrate) }
}
