import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import { z } from "zod"
import type { Engine } from "../../core/engine/engine/index.js"
import { operations } from "../../core/operations.js"
import { gradeMax, type Judgment, JudgmentInput, modelJudgePrefix } from "../../core/work/evaluation/index.js"
import { command, group, operationCommand } from "./command.js"
import { writeReport } from "./evaluation-runs.js"
import { type Failure, failed, wrongUsage } from "./failure.js"
import { switchFlag, textFlag } from "./flags.js"
import { countsText, documentId, feedbackJudgments } from "./qrels-feedback.js"
import { parseQrels, parseTopics, qrelsText, topicsText } from "./qrels-files.js"
import { call, withWorkspace } from "./session.js"
import { factLines, listOf } from "./tables.js"
import { print, say } from "./terminal.js"
import { cleanLine, counted, named, namedSome } from "./text.js"

const setOf = (set: string | undefined) =>
  set === undefined ? wrongUsage("Name the judgments with --set NAME.") : Effect.succeed(set)

const add = command("add", {
  description: "Write one judgment: a grade of a document, accepted answers, or that a question has none.",
  input: z.object({
    set: z.string().optional(),
    queryId: z.string().optional(),
    query: textFlag("The question; needed the first time.", "TEXT"),
    doc: textFlag("Id of the document (doc_…) or its path in the vault.", "ID-OR-PATH"),
    grade: z.int().min(0).max(gradeMax).optional().describe("0 is not relevant"),
    answer: z.array(z.string()).default([]).describe("An accepted answer."),
    expectAbstain: switchFlag("The right answer is to abstain."),
    quote: textFlag("Text of the document that the judgment rests on.", "TEXT"),
    note: z.string().optional(),
    remove: switchFlag("Remove the judgment.")
  }),
  flags: {
    set: { placeholder: "NAME", description: "Name of the judgments." },
    queryId: { placeholder: "ID", description: "Id of the question within the set." },
    answer: { placeholder: "TEXT" }
  },
  run: function* (input) {
    const set = yield* setOf(input.set)
    const { queryId } = input
    if (queryId === undefined) return yield* wrongUsage("A judgment needs --query-id ID.")
    yield* withWorkspace(input, function* ({ engine }) {
      const docId = input.doc === undefined ? undefined : yield* documentId(engine, input.doc)
      const judgment = {
        set,
        queryId,
        query: input.query,
        docId,
        grade: input.remove ? null : input.grade,
        ...(input.answer.length === 0 ? {} : { answers: input.answer }),
        ...(input.expectAbstain ? { expectAbstain: true } : {}),
        quote: input.quote,
        note: input.note
      }
      const counts = yield* call(() => engine.call(operations.putQrels, { judgments: [judgment] }))
      return { output: counts, text: () => countsText(counts) }
    })
  }
})

const list = operationCommand("list", operations.listQrels, {
  description: "List judgments by set, question and document.",
  omit: ["format"],
  print: ({ items, total }, { offset }) =>
    listOf(
      "judgment",
      items,
      { total, offset },
      [
        "set",
        ["query", "queryId"],
        ["question", "query"],
        ["grade", ({ expectAbstain, grade }) => (expectAbstain ? "abstain" : grade)],
        ["document", "docId"],
        "judge"
      ],
      { shrink: ["question"], right: ["grade"] }
    )
})

const files = {
  file: z.string().describe("The file; - is the standard input or output."),
  set: textFlag("Name of the judgments."),
  queries: textFlag("The questions: BEIR's queries.jsonl, or a line `id <tab> text` each.")
}
const formats = z.enum(["trec", "beir"])
const fileFlags = {
  set: { placeholder: "NAME" },
  queries: { placeholder: "FILE" }
} as const

/** Judgments of one write. */
const batchSize = 1000

const importQrels = command("import", {
  description: "Read judgments from a TREC or BEIR file; documents are named by id or by vault path.",
  input: z.object({
    ...files,
    format: formats
      .optional()
      .describe(
        "trec: blanks. beir: tabs, and a header that may name the columns. The file decides by default."
      ),
    judge: textFlag("The model that judged, when no person did.", "NAME"),
    allowMissing: switchFlag("Leave out judgments of documents that the workspace lacks.")
  }),
  arguments: { file: { description: "The file of judgments." } },
  flags: { ...fileFlags },
  run: function* (input) {
    const set = yield* setOf(input.set)
    const { lowered, qrels, raised } = yield* parsed(() => parseQrels(readText(input.file), input.format))
    const topics =
      input.queries === undefined
        ? new Map()
        : yield* parsed(() => parseTopics(readText(input.queries ?? "")))
    yield* withWorkspace(input, function* ({ engine }) {
      const ids = new Map<string, string>()
      const missing: Array<string> = []
      // Every document is looked up before anything is written.
      for (const name of new Set(qrels.map(({ document }) => document)))
        yield* documentId(engine, name).pipe(
          Effect.tap((id) => Effect.sync(() => ids.set(name, id))),
          Effect.catchIf(
            ({ code }) => code === "not_found",
            () => Effect.sync(() => missing.push(name))
          )
        )
      if (missing.length > 0 && !input.allowMissing)
        return yield* failed(
          "not_found",
          `The workspace lacks ${namedSome("judged document", missing)}; nothing was stored. --allow-missing leaves them out.`
        )
      const empty = [...new Set(qrels.map(({ queryId }) => queryId))].filter(
        (queryId) => topics.get(queryId)?.trim() === ""
      )
      if (!input.json) {
        if (missing.length > 0) yield* say(`Left out ${namedSome("judged document", missing)}.`)
        if (lowered > 0) yield* say(`Grades above 4 count as 4: ${counted(lowered, "judgment")}.`)
        if (raised > 0) yield* say(`Grades below 0 count as 0: ${counted(raised, "judgment")}.`)
        if (empty.length > 0) yield* say(`Skipped ${namedSome("topic", empty)} whose question is empty.`)
      }
      const isEmpty = new Set(empty)
      const judgments = qrels.flatMap(({ document, grade, queryId }) =>
        isEmpty.has(queryId) || !ids.has(document)
          ? []
          : [
              {
                set,
                queryId,
                query: topics.get(queryId),
                docId: ids.get(document),
                grade,
                ...(input.judge === undefined ? {} : { judge: `${modelJudgePrefix}${input.judge}` })
              }
            ]
      )
      for (const judgment of judgments) {
        const checked = JudgmentInput.safeParse(judgment)
        if (!checked.success)
          return yield* failed(
            "invalid_body",
            `The topic ${judgment.queryId}: ${checked.error.issues[0]?.message}`
          )
      }
      const sum = { created: 0, updated: 0, removed: 0, unchanged: 0 }
      for (let from = 0; from < judgments.length; from += batchSize) {
        const batch = judgments.slice(from, from + batchSize)
        const counts = yield* call(() => engine.call(operations.putQrels, { judgments: batch }))
        sum.created += counts.created
        sum.updated += counts.updated
        sum.removed += counts.removed
        sum.unchanged += counts.unchanged
      }
      const left = {
        ...(missing.length === 0 ? {} : { missing }),
        ...(empty.length === 0 ? {} : { emptyQueries: empty }),
        ...(lowered === 0 ? {} : { gradesAbove4: lowered }),
        ...(raised === 0 ? {} : { gradesBelow0: raised })
      }
      return { output: { ...sum, ...left }, text: () => countsText(sum) }
    })
  }
})

const readText = (file: string): string => readFileSync(file === "-" ? 0 : resolve(file), "utf8")

const parsed = <A>(read: () => A): Effect.Effect<A, Failure> =>
  Effect.try({
    try: read,
    catch: (error) =>
      failed(
        "file_unavailable",
        error instanceof Error ? cleanLine(error.message) : "The file cannot be read."
      )
  })

const exportQrels = command("export", {
  description: "Write the judgments of a set as a TREC or BEIR file.",
  input: z.object({
    ...files,
    format: formats.default("trec").describe("trec: blanks, no header. beir: tabs and a header.")
  }),
  arguments: { file: { description: "The file to write; - is the standard output." } },
  flags: fileFlags,
  run: function* (input) {
    const set = yield* setOf(input.set)
    yield* withWorkspace(input, function* ({ engine }) {
      const judgments = yield* allJudgments(engine, set)
      if (judgments.length === 0)
        return yield* failed("not_found", `There is no set ${named(cleanLine(set))}.`)
      const text = qrelsText(judgments, input.format)
      yield* writeReport(input.queries, () => topicsText(judgments))
      if (input.file === "-") return yield* Effect.as(print(text.trimEnd()), undefined)
      yield* writeReport(input.file, () => text)
      return {
        output: { file: resolve(input.file), judgments: judgments.length },
        text: () => `${judgments.length} judgments written.`
      }
    })
  }
})

const allJudgments = Effect.fnUntraced(function* (engine: Engine, set: string) {
  const all: Array<Judgment> = []
  for (;;) {
    const { items, total } = yield* call(() =>
      engine.call(operations.listQrels, { set, limit: 200, offset: all.length })
    )
    all.push(...items)
    if (all.length >= total || items.length === 0) return all
  }
})

const pool = operationCommand("pool", operations.poolQrels, {
  description: "List what should be judged next: the first ranks of runs that no person has judged.",
  form: z.object({
    set: textFlag("Name of the judgments.", "NAME"),
    runs: textFlag("Ids of the runs (evl_…), with commas.", "ID,ID"),
    depth: z.int().min(1).max(1000).default(10).describe("Ranks of each run.")
  }),
  toInput: function* ({ depth, runs, set }) {
    const named = yield* setOf(set)
    if (runs === undefined) return yield* wrongUsage("A pool needs --runs ID,ID.")
    return { set: named, runs: runs.split(",").filter((id) => id !== ""), depth }
  },
  print: ({ items, total }) =>
    listOf(
      ["document to judge", "documents to judge"],
      items,
      { total },
      [["query", "queryId"], ["question", "query"], ["document", "docId"], ["rank", "bestRank"], "runs"],
      { shrink: ["question"], right: ["rank", "runs"] }
    )
})

const agreement = operationCommand("agreement", operations.judgeAgreement, {
  description: "Show how far the judges of a set agree.",
  print: ({ alpha, items, pairs }) =>
    factLines([
      ["judged by several", items],
      ["Krippendorff's alpha", alpha === null ? "unknown" : alpha.toFixed(3)],
      ...pairs.map(
        ({ a, b, items: both, kappa }) =>
          [`${cleanLine(a)} and ${cleanLine(b)}`, `kappa ${kappa.toFixed(3)} over ${both}`] as const
      )
    ]).join("\n")
})

export const qrelsCommands = group(
  "qrels",
  "Relevance judgments.",
  [add, list, importQrels, exportQrels, pool, agreement, ...feedbackJudgments],
  "list"
)
