import { readFileSync, writeFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import { standaloneQuestion } from "../core/answers/answering/follow-up.js"
import { poolOf, prepareQuestionRun } from "../core/answers/answering/pipeline.js"
import { gatherEvidence } from "../core/answers/gathering/index.js"
import { statementsOf } from "../core/answers/selection/index.js"
import { readQuestion } from "../core/language/questions/index.js"
import { AnswerTexts } from "../core/language/text-analysis/index.js"
import { analyse } from "../core/language/tokenization/index.js"
import { Caller } from "../core/platform/kernel/index.js"
import { answerSets, eachVault, inSmallVaults, type SetQuestion } from "./answer-sets.js"
import type { BenchWorkspace } from "./workspace.js"

/** A question of a set with the statements that may answer it. */
export interface StatementRow {
  readonly set: string
  readonly group: string
  readonly text: string
  readonly answerable: boolean | null
  readonly statements: ReadonlyArray<{
    readonly document: string
    /** It carries the answer where the set says that it stands, which is what the scorer learns. */
    readonly carries: boolean
    /** An answer of this statement alone counts as right. */
    readonly right: boolean
    readonly isRuledOut: boolean
    readonly lacksKind: boolean
    readonly isWhole: boolean
    readonly own: number
    readonly head: number
    readonly features: ReadonlyArray<number>
  }>
}

/** Reads the statements of every question of every set, from a file of an earlier run if one is named. */
export const readStatements = async (
  from: string | undefined,
  to: string | undefined
): Promise<ReadonlyArray<StatementRow>> => {
  if (from !== undefined)
    return readFileSync(from, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line): StatementRow => JSON.parse(line))
  const rows: Array<StatementRow> = []
  const sets = answerSets()
  for (const set of [...sets, ...sets.flatMap((one) => inSmallVaults(one) ?? [])]) {
    await eachVault(set, async ({ questions }, workspace, idOf) => {
      for (const question of questions) rows.push(await rowOf(set.name, question, workspace, idOf))
    })
    console.log(`${set.name}: ${rows.length} questions`)
  }
  if (to !== undefined) writeFileSync(to, rows.map((row) => `${JSON.stringify(row)}\n`).join(""))
  return rows
}

const rowOf = async (
  set: string,
  question: SetQuestion,
  workspace: BenchWorkspace,
  idOf: ReadonlyMap<string, string>
): Promise<StatementRow> => {
  const pool = await workspace.run(
    Effect.gen(function* () {
      const { workspace: scope } = yield* Caller
      const asking = yield* prepareQuestionRun(
        {
          question: question.text,
          includeData: false,
          maxSources: 8,
          policyMode: "enforce",
          ...(question.turns.length === 0 ? {} : { turns: [...question.turns] })
        },
        false
      )
      const gathered = yield* gatherEvidence(
        scope,
        readQuestion(yield* standaloneQuestion(asking), analyse),
        { gated: false, settings: asking.settings, stamp: asking.stamp, filter: {} }
      )
      return poolOf(gathered, yield* AnswerTexts)
    }).pipe(Effect.orDie)
  )
  return {
    set,
    group: question.group,
    text: question.text,
    answerable: question.answerable,
    statements: statementsOf(pool).map(
      ({ features, head, isRuledOut, isWhole, lacksKind, own, source: { passage }, unit: { text } }) => {
        const document = idOf.get(passage.docPath) ?? ""
        return {
          document: passage.documentId,
          carries: question.carries(text, document),
          right: question.isRight([text], () => question.relevant.has(document)),
          isRuledOut,
          lacksKind,
          isWhole,
          own,
          head,
          features: features.map((value) => Math.round(value * 1e4) / 1e4)
        }
      }
    )
  }
}
