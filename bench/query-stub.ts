import { mkdirSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { scriptedChatModel } from "../adapters/models/index.js"
import { askTraced, Query } from "../core/answers/answering/index.js"
import { AnswerTexts, TextCache } from "../core/language/text-analysis/index.js"
import { analyse } from "../core/language/tokenization/index.js"
import { runOperation } from "../core/platform/kernel/index.js"
import { Models } from "../core/platform/models/index.js"
import { retrievalOperations } from "../core/search/retrieval/index.js"
import { dataFolder } from "./data.js"
import { compare, costOf, interleaved } from "./measure.js"
import { notesOf } from "./notes.js"
import type { BenchContext, RunBench, Size } from "./result.js"
import { quantile } from "./statistics.js"
import { addTo, type BenchWorkspace, openWorkspace, withFolder } from "./workspace.js"

const notesWanted: Readonly<Record<Size, number>> = { small: 60, default: 2000, full: 10_000 }
const pairsWanted: Readonly<Record<Size, number>> = { small: 2, default: 15, full: 30 }
const queriesMax = 40

/** Six claims of one source, at once. */
const reply = JSON.stringify({
  answerable: true,
  missing: null,
  sentences: Array.from({ length: 6 }, (_, at) => ({
    text: `The source says it, in part ${at}.`,
    citations: ["S1"]
  }))
})

/** A whole question against a search for the same words: with a model that answers at once, and in other ways. */
export const queryStub: RunBench = (context) =>
  withQuestions(context, async (workspace, queries) => {
    const { report, size } = context
    const window = async (work: (query: string) => unknown) => {
      const costs: Array<number> = []
      for (const query of queries) costs.push((await costOf(() => work(query))).cpuMs)
      return costs
    }
    const asked = (question: string) => askTraced(Query.parse({ question }))
    const builtIn = { chat: Option.none(), embedder: Option.none(), reranker: Option.none() }
    const unread = () => new TextCache(analyse, unreadBytes)
    const ways: ReadonlyArray<readonly [string, (question: string) => ReturnType<typeof asked>]> = [
      ["query", asked],
      ["query, the built-in model", (text) => Effect.provideService(asked(text), Models, builtIn)],
      ["query, no passage read before", (text) => Effect.provideService(asked(text), AnswerTexts, unread())]
    ]
    for (const [at, [name, ask]] of ways.entries()) {
      const pairs = await interleaved(
        pairsWanted[size],
        () => window((question) => workspace.run(ask(question))),
        () => window((q) => workspace.run(runOperation(retrievalOperations.search, { q, limit: 10 })))
      )
      for (const [metric, share] of [["p50", 0.5] as const, ["p95", 0.95] as const])
        report({
          metric: `${name}, ${metric} CPU`,
          ...compare(pairs, (costs) => quantile(costs, share)),
          unit: "ms",
          peer: "a search for the same words, in the same run",
          ...(at === 0 && share === 0.5 ? { target: "<= 4" } : {})
        })
    }
  })

/** Enough for the passages of one question. */
const unreadBytes = 16 * 1024 * 1024

/** Notes with a model that answers at once. */
const withQuestions = async (
  context: BenchContext,
  use: (workspace: BenchWorkspace, queries: ReadonlyArray<string>) => Promise<void>
): Promise<void> => {
  const notes = notesOf(context.seed)
  if (notes === null) return context.skip(`no eips in ${dataFolder}`)
  await withFolder(async (folder) => {
    const data = join(folder, "data")
    mkdirSync(data)
    const models = {
      chat: Option.some(scriptedChatModel(() => reply, "bench/stub")),
      embedder: Option.none(),
      reranker: Option.none()
    }
    const workspace = await openWorkspace({
      data,
      around: (ports) => Layer.merge(ports, Layer.succeed(Models, models))
    })
    const count = notesWanted[context.size]
    await addTo(
      workspace,
      Array.from({ length: count }, (_, at) => notes.at(at)),
      0,
      1000
    )
    await use(workspace, notes.queries.slice(0, queriesMax))
    await workspace.close()
  })
}
