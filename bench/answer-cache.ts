import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { scriptedChatModel } from "../adapters/models/index.js"
import { cacheStats, parseWording, refusedBy } from "../core/answers/answer-cache/index.js"
import { ask, Query } from "../core/answers/answering/index.js"
import { detectEntities } from "../core/knowledge/entities/index.js"
import { type ChatRequest, Embedder, Models } from "../core/platform/models/index.js"
import { WorkspaceStore } from "../core/platform/workspace/index.js"
import { type CorpusDocument, dataFolder, readCorpus, readQueries } from "./data.js"
import { shuffled } from "./random.js"
import type { BenchContext, RunBench, Size } from "./result.js"
import { addTo, type BenchWorkspace, openWorkspace } from "./workspace.js"

const pairsWanted: Readonly<Record<Size, number>> = { small: 200, default: 1204, full: 1204 }
const questionsWanted: Readonly<Record<Size, number>> = { small: 10, default: 150, full: 400 }

/** Another question that looks nearly alike, by what was changed; null where there is nothing to change. */
const opposites: Readonly<Record<string, (question: string) => string | null>> = {
  negation: swap(/\b(is|are|was|were|did|does|do|can|has|have|had)\b/iu, (verb) => `${verb} not`),
  tense: swap(/\b(is|are|was|were|does|did)\b/iu, (verb) => tenses[verb.toLowerCase()] ?? verb),
  number: swap(/\b\d+\b/u, (digits) => String(Number(digits) + 1)),
  "question word": swap(
    /\b(who|when|where|what|which|why|how)\b/iu,
    (word) => questionWords[word.toLowerCase()] ?? word
  ),
  name: swap(/(?<=\s)\p{Lu}\p{Ll}{3,}\b/u, (name) => (name === "Merrow" ? "Orlin" : "Merrow")),
  direction: swap(
    /\b(in|on|from|to|before|after|over|under|by|with|of|for)\b/u,
    (word) => directions[word] ?? word
  ),
  noun: swap(/\b\p{Ll}{6,}\b(?=[^\p{Ll}]*\?)/u, (word) => (word === "harbour" ? "meadow" : "harbour")),
  order: (question) => {
    const words = question.replace(/\?$/u, "").split(" ")
    const [at, to] = [words.length - 1, words.length - 3]
    if (to < 1 || words[at] === words[to]) return null
    return words.map((word, place) => (place === at ? words[to] : place === to ? words[at] : word)).join(" ")
  }
}

const tenses: Readonly<Record<string, string>> = {
  is: "was",
  are: "were",
  was: "is",
  were: "are",
  does: "did",
  did: "does"
}
const questionWords: Readonly<Record<string, string>> = {
  who: "when",
  when: "where",
  where: "when",
  what: "who",
  which: "whose",
  why: "how",
  how: "why"
}
const directions: Readonly<Record<string, string>> = {
  in: "before",
  on: "under",
  from: "to",
  to: "from",
  before: "after",
  after: "before",
  over: "under",
  under: "over",
  by: "for",
  with: "without",
  of: "against",
  for: "by"
}

function swap(pattern: RegExp, by: (found: string) => string): (question: string) => string | null {
  return (question) => {
    const changed = question.replace(pattern, by)
    return changed === question ? null : changed
  }
}

/** The same question in other letters, marks and forms. */
const sames: ReadonlyArray<(question: string) => string> = [
  (question) => question,
  (question) => question.replace(/\?$/u, "").toLowerCase(),
  (question) => `${question.replace(/\b(?:the|a|an) /gu, "")}?`,
  (question) => question.replaceAll(" ", "  ")
]

export const answerCache: RunBench = async (context) => {
  const documents = readCorpus("squad2-dev-sample")
  if (documents === null) return context.skip(`no squad2-dev-sample in ${dataFolder}`)
  const questions = shuffled(readQueries("squad2-dev-sample"), context.seed)
  const workspace = await worldOf(documents)
  try {
    await guardPairs(
      context,
      workspace,
      questions.slice(0, pairsWanted[context.size]).map(({ text }) => text)
    )
    const answerable = questions.filter((one) => one.answerable !== false).map(({ text }) => text)
    await savedCalls(context, workspace, answerable.slice(0, questionsWanted[context.size]))
  } finally {
    await workspace.close()
  }
}

/** Measures the guards alone on pairs of similar questions, without regard to their evidence and likeness. */
const guardPairs = async (
  { report, say }: BenchContext,
  workspace: BenchWorkspace,
  questions: ReadonlyArray<string>
) => {
  const wording = (text: string) =>
    workspace.run(Effect.map(detectEntities(workspace.scope, text), (found) => parseWording(text, found)))
  let [apart, passed, same, met] = [0, 0, 0, 0]
  for (const question of questions) {
    const asked = await wording(question.normalize("NFKC").replace(/\s+/gu, " ").trim())
    for (const [what, change] of Object.entries(opposites)) {
      const other = change(question)
      if (other === null) continue
      apart += 1
      if (refusedBy(asked, await wording(other)) !== null) continue
      passed += 1
      say(`taken for the same (${what}): ${question} / ${other}`)
    }
    for (const change of sames) {
      same += 1
      met += refusedBy(asked, await wording(change(question).replace(/\s+/gu, " ").trim())) === null ? 1 : 0
    }
  }
  const pairs = { unit: "pairs" }
  report({
    ...pairs,
    metric: "pairs of other meaning taken for the same",
    ours: passed,
    n: apart,
    peer: "none"
  })
  report({ metric: "same questions in other form, met", ours: met / same, n: same, unit: "share" })
}

/** A stream of questions, each asked in several forms and in forms of other meaning. */
const savedCalls = async (
  { report, say }: BenchContext,
  { run }: BenchWorkspace,
  questions: ReadonlyArray<string>
) => {
  const asking = (text: string) => run(ask(Query.parse({ question: text, policyMode: "off" })))
  let [asked, wrong, near] = [0, 0, 0]
  calls.count = 0
  for (const question of questions) {
    await asking(question)
    for (const change of sames) {
      asked += 1
      await asking(change(question))
    }
    asked += 1
    for (const change of Object.values(opposites)) {
      const other = change(question)
      if (other === null) continue
      near += 1
      const before = calls.count
      const { claims } = await asking(other)
      // Claims that no model was asked for are those of another question.
      if (calls.count === before && claims.length > 0) wrong += 1
      asked += 1
    }
  }
  const stats = await run(cacheStats())
  say(
    `${asked} questions, ${calls.count} model calls, ${stats.hits} hits; ${JSON.stringify(stats.rejections)}`
  )
  const repeats = questions.length * sames.length
  report({
    metric: "model calls saved by repeats",
    ours: stats.hits / repeats,
    n: repeats,
    unit: "share"
  })
  report({ metric: "false hits on guard pairs", ours: wrong, n: near, unit: "hits" })
  const { entries } = stats
  report({
    metric: "bytes an entry",
    ours: stats.bytes / Math.max(1, entries),
    n: entries,
    unit: "B"
  })
}

const calls = { count: 0 }

/** A model that quotes the first sentence that it is shown: what is measured is who calls it. */
const quoting = scriptedChatModel((request: ChatRequest) => {
  calls.count += 1
  const shown = /begin (S\d+)\n[\s\S]*?\n\n([\s\S]*?)\n---/u.exec(request.messages.at(-1)?.content ?? "")
  const sentence = /[^.\n#]{20,}?\./u.exec(shown?.[2] ?? "")?.[0]?.trim()
  return JSON.stringify({
    answerable: sentence !== undefined,
    missing: sentence === undefined ? "all" : null,
    sentences: sentence === undefined ? [] : [{ text: sentence, citations: [shown?.[1] ?? "S1"] }]
  })
}, "bench/quoting")

/** Everything is alike for it: the guards alone keep questions apart. */
const credulous = Embedder.of({
  modelId: "bench/credulous",
  batchMax: 64,
  embed: (texts) => Effect.succeed(texts.map(() => new Float32Array([1, 0, 0, 0])))
})

const worldOf = async (documents: ReadonlyArray<CorpusDocument>): Promise<BenchWorkspace> => {
  const models = Layer.succeed(Models, {
    chat: Option.some(quoting),
    embedder: Option.some(credulous),
    reranker: Option.none()
  })
  const workspace = await openWorkspace({ around: (ports) => Layer.merge(ports, models) })
  await addTo(workspace, documents, 0)
  await workspace.run(
    Effect.gen(function* () {
      const store = yield* WorkspaceStore
      const before = yield* store.get(workspace.scope)
      yield* store.update(
        { ...before, settings: { ...before.settings, cacheMode: "on" } },
        "2026-01-01T00:00:00.000Z"
      )
    })
  )
  return workspace
}
