import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import { z } from "zod"
import { askTraced, type Query, type TracedAnswer } from "../core/answers/answering/index.js"
import { answerF1 } from "../core/answers/measures/index.js"
import { isRightAnswer } from "../core/work/evaluation/index.js"
import { type CorpusDocument, dataFolder, readCorpus, readJudged } from "./data.js"
import { addAsVault, type BenchWorkspace, learnVectors, withFolder } from "./workspace.js"

type EarlierTurn = NonNullable<Query["turns"]>[number]

/** A question of a set with what is known of its answer. */
export interface SetQuestion {
  readonly text: string
  readonly turns: ReadonlyArray<EarlierTurn>
  /**
   * Group whose questions stay together: the article, the conversation or the vault. Halves and folds never split one.
   */
  readonly group: string
  /** Null where both an answer and silence are right. */
  readonly answerable: boolean | null
  readonly isUnderspecified: boolean
  /** Whether the claims of an answer are right. `cites` tells whether a passage that was judged to answer is cited. */
  readonly isRight: (claims: ReadonlyArray<string>, cites: () => boolean) => boolean
  /** Whether one sentence carries the answer; `document` is the id in the corpus of the document that holds it. */
  readonly carries: (sentence: string, document: string) => boolean
  /** Documents that were judged to carry the answer. */
  readonly relevant: ReadonlySet<string>
  /** The document of the corpus that the question was written for; null where that is not known. */
  readonly writtenFor: string | null
}

/** A corpus with its questions. */
export interface SetVault {
  readonly corpus: ReadonlyArray<CorpusDocument>
  readonly questions: ReadonlyArray<SetQuestion>
}

/** A set of questions over one or more corpora. `ours` were written by the authors of the built-in model. */
export interface AnswerSet {
  readonly name: string
  readonly ours: boolean
  readonly vaults: ReadonlyArray<SetVault>
}

const Line = z.object({
  id: z.string().default(""),
  text: z.string(),
  answerable: z.boolean().optional(),
  answers: z.array(z.string()).default([]),
  evidence: z.array(z.string()).default([]),
  paragraph: z.string().default(""),
  answerability: z.string().optional(),
  history: z.array(z.object({ speaker: z.string(), text: z.string() })).default([])
})

/** Token F1 from which a claim quotes a sentence. */
const quotedShare = 0.5

const collection = (name: string): AnswerSet | null => {
  const corpus = readCorpus(name)
  if (corpus === null) return null
  const judged = new Map(
    readJudged(name, Infinity).collections[0]?.queries.map((one) => [one.id, one.judged])
  )
  const lines = readFileSync(join(dataFolder, name, "queries.jsonl"), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => Line.parse(JSON.parse(line)))
  const questions = lines.map((line): SetQuestion => {
    const { answerability, answerable, answers, evidence, history, id, paragraph, text } = line
    const relevant = new Set(
      [...(judged.get(id) ?? [])].flatMap(([document, grade]) => (grade > 0 ? [document] : []))
    )
    const isAnswerable = answerable ?? (answerability === "ANSWERABLE" || answerability === "PARTIAL")
    const quotes = (claim: string) => answerF1(claim, evidence) >= quotedShare
    const conversation = id.split("<")[0] ?? id
    return {
      text,
      turns: turnsOf(history),
      group: answerability === undefined ? (paragraph.split("#")[0] ?? paragraph) : conversation,
      answerable: isAnswerable,
      isUnderspecified: answerability === "UNDERSPECIFIED",
      relevant,
      writtenFor: paragraph === "" ? null : paragraph,
      isRight: (claims, cites) =>
        evidence.length > 0
          ? claims.some(quotes)
          : answers.length > 0
            ? isRightAnswer(claims, answers)
            : cites(),
      carries: (sentence, document) =>
        evidence.length > 0
          ? quotes(sentence)
          : answers.length > 0
            ? isRightAnswer([sentence], answers) && (relevant.size === 0 || relevant.has(document))
            : relevant.has(document)
    }
  })
  return { name, ours: false, vaults: [{ corpus, questions }] }
}

const turnsOf = (history: ReadonlyArray<{ readonly speaker: string; readonly text: string }>) => {
  const turns: Array<{ question: string; answer?: string }> = []
  for (const { speaker, text } of history) {
    const last = turns.at(-1)
    if (speaker === "user") turns.push({ question: text })
    else if (last !== undefined) last.answer = text
  }
  return turns
}

const Pattern = z.union([
  z.string().transform((source) => new RegExp(source, "u")),
  z
    .object({ source: z.string(), flags: z.string() })
    .transform(({ flags, source }) => new RegExp(source, flags))
])
const Check = z.object({ ask: z.string(), want: Pattern, never: Pattern.optional() })
const Files = z.record(z.string(), z.string())
const CheckedVaults = z.record(
  z.string(),
  z.object({
    neighbours: z.boolean().default(false),
    files: Files,
    checks: z.array(z.union([Check, z.looseObject({ ask: z.undefined().optional() })]))
  })
)

/** A check of a reply: `want` has to match it and `never` must not; a reply without claims is `NONE`. */
const checked = (
  group: string,
  { ask, never, want }: z.infer<typeof Check>,
  turns: ReadonlyArray<EarlierTurn> = []
): SetQuestion => {
  const accepts = (said: string) => want.test(said) && never?.test(said) !== true
  const isSilenceRight = accepts("NONE")
  return {
    text: ask,
    turns,
    group,
    answerable: isSilenceRight
      ? /^\^?NONE/u.test(want.source) && !want.source.includes("|")
        ? false
        : null
      : true,
    isUnderspecified: false,
    relevant: new Set(),
    writtenFor: null,
    isRight: (claims) => accepts(claims.length === 0 ? "NONE" : claims.join(" / ")),
    carries: (sentence) => accepts(sentence)
  }
}

const places = ["harbour", "garden", "kitchen", "library", "tower"]
const neighbours = Object.fromEntries(
  Array.from({ length: 20 }, (_, at) => [
    `n/n${at}.md`,
    `# Note ${at}\n\nThe ${places[at % 5]} number ${at} was painted in ${1980 + at} by a crew of ${at + 2}.\n`
  ])
)

const corpusOf = (files: Readonly<Record<string, string>>): ReadonlyArray<CorpusDocument> =>
  Object.entries(files).map(([id, text]) => ({ id, title: "", text }))

const vaultsIn = (name: string, file: string): AnswerSet | null => {
  if (!existsSync(file)) return null
  const read = CheckedVaults.parse(JSON.parse(readFileSync(file, "utf8")))
  return {
    name,
    ours: true,
    vaults: Object.entries(read).map(([group, vault]) => ({
      corpus: corpusOf({ ...(vault.neighbours ? neighbours : {}), ...vault.files }),
      questions: vault.checks.flatMap((check) =>
        typeof check.ask === "string" ? [checked(group, Check.parse(check))] : []
      )
    }))
  }
}

const ReportedCases = z.object({
  vaults: z.record(z.string(), Files),
  cases: z.array(
    z.looseObject({
      area: z.string(),
      setup: z.looseObject({ vault: z.string().optional() }),
      run: z.looseObject({
        ask: z.string().optional(),
        turns: z.array(z.object({ question: z.string(), answer: z.string() })).optional()
      }),
      expected: z.string()
    })
  )
})

const reported = (): AnswerSet | null => {
  const file = join(dataFolder, "reports-3", "cases.json")
  if (!existsSync(file)) return null
  const { cases, vaults } = ReportedCases.parse(JSON.parse(readFileSync(file, "utf8")))
  return {
    name: "reports-3",
    ours: false,
    vaults: Object.entries(vaults).map(([group, files]) => ({
      corpus: corpusOf(files),
      questions: cases.flatMap(({ area, expected, run: { ask, turns = [] }, setup }) => {
        const [, want, never] = /^\/(.*?)\/(?: not \/(.*)\/)?$/u.exec(expected) ?? []
        if (area !== "answers" || setup.vault !== group || ask === undefined || want === undefined) return []
        const check = {
          ask,
          want: new RegExp(want, "u"),
          ...(never === undefined ? {} : { never: new RegExp(never, "u") })
        }
        return [checked(group, check, turns)]
      })
    }))
  }
}

const fixture = (name: string): string =>
  fileURLToPath(new URL(`../test/fixtures/answers/${name}.json`, import.meta.url))

/** All sets that are there, the foreign ones first. */
export const answerSets = (): ReadonlyArray<AnswerSet> =>
  [
    collection("squad2-dev-8"),
    collection("xquad-dev-en"),
    collection("xquad-dev-de"),
    collection("xquad-dev-es"),
    collection("clapnq-dev"),
    collection("mtragun-dev"),
    vaultsIn("reports", join(dataFolder, "reports", "cases.json")),
    reported(),
    ...["kinds", "variants", "vaults", "later", "handbooks"].map((name) => vaultsIn(name, fixture(name)))
  ].flatMap((set) => set ?? [])

/** Documents of a small vault, and which of such vaults are used of a set: every second one. */
const [smallVaultSize, smallVaultStep] = [3, 2]

/**
 * The questions of a set asked of a few paragraphs of their article alone, as of a vault with three pages; null for a
 * set that does not tell which paragraph a question was written for.
 */
export const inSmallVaults = ({ name, ours, vaults }: AnswerSet): AnswerSet | null => {
  const small = vaults.flatMap(({ corpus, questions }) =>
    Arr.chunksOf(corpus, smallVaultSize).flatMap((documents, at): ReadonlyArray<SetVault> => {
      const ids = new Set(documents.map(({ id }) => id))
      const own = questions.filter(({ writtenFor }) => writtenFor !== null && ids.has(writtenFor))
      return own.length === 0 || at % smallVaultStep !== 0 ? [] : [{ corpus: documents, questions: own }]
    })
  )
  return small.length === 0 ? null : { name: `${name} (three pages)`, ours, vaults: small }
}

/** A question that was asked. */
export interface AskedQuestion {
  readonly set: string
  readonly question: SetQuestion
  readonly traced: TracedAnswer
  readonly answered: boolean
  readonly right: boolean
  readonly clarified: boolean
  readonly confidence: number
}

/** Opens each vault of a set in turn, with vectors learned where there is enough text. */
export const eachVault = async (
  set: AnswerSet,
  use: (vault: SetVault, workspace: BenchWorkspace, idOf: ReadonlyMap<string, string>) => Promise<void>
): Promise<void> => {
  for (const vault of set.vaults)
    await withFolder(async (folder) => {
      const { idOf, workspace } = await addAsVault(vault.corpus, folder)
      try {
        await learnVectors(workspace)
        await use(vault, workspace, idOf)
      } finally {
        await workspace.close()
      }
    })
}

/** Asks every question of a set of the built-in model, enforcing; nothing is kept. */
export const askSet = async (
  set: AnswerSet,
  each: (asked: AskedQuestion) => void,
  max = Infinity
): Promise<void> => {
  const share = Math.min(1, max / set.vaults.reduce((sum, { questions }) => sum + questions.length, 0))
  await eachVault(set, async ({ questions }, workspace, idOf) => {
    const step = Math.max(1, Math.round(1 / share))
    for (const [at, question] of questions.entries()) {
      if (at % step !== 0) continue
      const traced = await workspace.run(
        askTraced(
          {
            question: question.text,
            includeData: false,
            maxSources: 8,
            policyMode: "enforce",
            ...(question.turns.length === 0 ? {} : { turns: [...question.turns] })
          },
          { kept: false }
        ).pipe(Effect.orDie)
      )
      const { claims, policy, sources } = traced.answer
      const cites = () => {
        const cited = new Set(claims.flatMap(({ citations }) => citations))
        return sources.some(
          ({ docPath, id }) => cited.has(id) && question.relevant.has(idOf.get(docPath) ?? "")
        )
      }
      const answered = claims.length > 0
      each({
        set: set.name,
        question,
        traced,
        answered,
        clarified: policy.verdict === "clarify",
        confidence: policy.confidence,
        right: question.isRight(
          claims.map(({ text }) => text),
          cites
        )
      })
    }
  })
}
