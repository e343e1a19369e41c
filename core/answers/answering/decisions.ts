import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { z } from "zod"
import { DocumentStore, deletedIn, mayReadDeleted, withoutQuotes } from "../../files/documents/index.js"
import {
  AnswerId,
  Caller,
  ChunkId,
  type DecisionId,
  DocumentId,
  NotFound,
  type PageRequest,
  Timestamp,
  timestampOf
} from "../../platform/kernel/index.js"
import { WorkspaceStore } from "../../platform/workspace/index.js"
import type { Source } from "../evidence/index.js"
import {
  CaveatCode,
  type DecidedSource,
  type DecisionFilter,
  GateFeatures,
  isReplayable,
  PolicyDecision,
  PolicyStore,
  statsOf,
  Verdict
} from "../policy/index.js"
import { Explanation } from "./explain.js"
import { StructuredAnswer } from "./model.js"
import { questionPrivacy } from "./question-privacy.js"
import { AnswerStore } from "./store.js"
import { answeringSetup } from "./versions.js"

/** A decision in a list. */
const DecisionItem = z.object({
  id: PolicyDecision.shape.id,
  answerId: AnswerId.nullable().describe("Null where the workspace keeps no answers."),
  question: z.string().nullable().describe("Null where the workspace keeps no questions."),
  mode: PolicyDecision.shape.mode,
  verdict: Verdict,
  confidence: PolicyDecision.shape.confidence,
  calibrationVersion: z.string(),
  reasons: z.array(z.string()),
  caveatCodes: z.array(CaveatCode),
  conflictCount: z.int().min(0),
  decidedAt: Timestamp
})

/** Decisions of the gate, the newest first; `total` counts all that the filter lets through. */
export const DecisionPage = z.object({ items: z.array(DecisionItem), total: z.int().min(0) })
export type DecisionPage = z.infer<typeof DecisionPage>

/** A decision with what it was made of, what was given, and which of its citations still stand. */
export const ExplainedDecision = z.object({
  decision: z.object(PolicyDecision.omit({ features: true, trace: true, sources: true }).shape),
  features: GateFeatures,
  trace: Explanation.describe("The path of the question."),
  answer: StructuredAnswer.nullable().describe("As it was given; null where it is not kept, or no more."),
  citations: z.array(
    z.object({
      sourceId: z.string(),
      docId: DocumentId,
      chunkId: ChunkId,
      state: z
        .enum(["current", "changed", "gone"])
        .describe("The passage stands; its document no longer holds it; the document is gone."),
      // biome-ignore lint/suspicious/noThenProperty: a name of the wire; its value is no function.
      then: z
        .object({ text: z.string(), docVersion: z.int() })
        .nullable()
        .describe("The passage as it was cited; null where that version is no longer kept."),
      now: z
        .object({ text: z.string() })
        .nullable()
        .describe("The passage as it is, or what is now in its place; null where there is nothing like it.")
    })
  ),
  replayable: z.boolean().describe("The features give the very decision again.")
})
export type ExplainedDecision = z.infer<typeof ExplainedDecision>

/** Returns the decisions of the gate, newest first. */
export const listDecisions = Effect.fn("answering.listDecisions")(function* (
  filter: DecisionFilter,
  page: PageRequest
) {
  const [log, { workspace }] = [(yield* PolicyStore).decisions, yield* Caller]
  const { askedBy } = filter
  // A list of the questions of one person would name that person.
  const isHidden = askedBy !== undefined && (yield* questionPrivacy).shownAsker(askedBy) !== askedBy
  const { items, total } = isHidden ? { items: [], total: 0 } : yield* log.list(workspace, filter, page)
  return { items: items.map(itemOf), total } satisfies DecisionPage
})

const itemOf = (decision: PolicyDecision) => ({
  id: decision.id,
  answerId: decision.answerId,
  question: decision.question,
  mode: decision.mode,
  verdict: decision.verdict,
  confidence: decision.confidence,
  calibrationVersion: decision.calibrationVersion,
  reasons: [...decision.reasons],
  caveatCodes: decision.caveats.map(({ code }) => code),
  conflictCount: decision.conflicts.length,
  decidedAt: decision.decidedAt
})

/** One decision, with all that it was made of. */
export const explainDecision = Effect.fn("answering.explainDecision")(function* (id: DecisionId) {
  const [log, answers, { workspace }] = [(yield* PolicyStore).decisions, yield* AnswerStore, yield* Caller]
  const found = Option.getOrNull(yield* log.find(workspace, id))
  if (found === null) return yield* new NotFound({ what: "decision" })
  const { features, sources, trace, ...decision } = found
  const storedAnswer =
    decision.answerId === null ? Option.none() : yield* answers.find(workspace, decision.answerId)
  const structuredAnswer = Option.getOrNull(storedAnswer)?.answer
  const { shownAsker } = yield* questionPrivacy
  const explained = {
    decision: { ...decision, askedBy: shownAsker(decision.askedBy) },
    features,
    trace: Explanation.parse(trace),
    answer: Option.getOrNull(Option.map(storedAnswer, ({ answer }) => answer)),
    citations: yield* Effect.forEach(
      sources.filter(({ cited }) => cited),
      (source) =>
        citationOf(
          source,
          structuredAnswer?.sources.find(({ id }) => id === source.sourceId)
        )
    ),
    replayable: isReplayable(found)
  } satisfies ExplainedDecision
  if (yield* mayReadDeleted) return explained
  const deleted = yield* deletedIn([sources, explained])
  const ids = sources.filter(({ docId }) => deleted.has(docId)).map(({ sourceId }) => sourceId)
  return deleted.size === 0
    ? explained
    : ExplainedDecision.parse(withoutQuotes(explained, deleted, new Set(ids)))
})

/** Replaces the text of a deleted document for callers who may not read it. */
const deletedText = "[deleted]"

const citationOf = ({ chunkId, docId, sourceId }: DecidedSource, source: Source | undefined) =>
  Effect.gen(function* () {
    const [documents, { scopes, workspace }] = [yield* DocumentStore, yield* Caller]
    const document = yield* documents.find(workspace, docId)
    const isLive = Option.exists(document, ({ deletedAt }) => deletedAt === null)
    const passage = isLive ? yield* documents.passageById(workspace, chunkId) : Option.none()
    const citation = yield* citedText(source)
    const maySee = isLive || scopes === undefined || scopes.includes("workspace:admin")
    const then = citation === null || maySee ? citation : { ...citation, text: deletedText }
    const state = Option.isSome(passage) ? "current" : isLive ? "changed" : "gone"
    const now = Option.isSome(passage)
      ? { text: passage.value.text }
      : isLive && citation !== null
        ? nearest(citation.text, yield* documents.chunks(workspace, docId))
        : null
    return { sourceId, docId, chunkId, state, then, now } as const
  })

/** Returns the passage of a source in the version that was cited; null where it is not known or not kept. */
const citedText = Effect.fnUntraced(function* (source: Source | undefined) {
  if (source?.docVersion === undefined || source.start === undefined || source.end === undefined) return null
  const { docId, docVersion, end, start } = source
  const [documents, { workspace }] = [yield* DocumentStore, yield* Caller]
  const found = Option.getOrNull(yield* documents.version(workspace, docId, docVersion))
  if (found?.bytes == null) return null
  return { text: new TextDecoder().decode(found.bytes).slice(start, end), docVersion }
})

/** Minimum share of equal words of a passage that has taken the place of another. */
const likeMin = 0.3

/** Returns the passage that is most like a text, by the share of equal words; null where none is like it. */
const nearest = (text: string, passages: ReadonlyArray<{ readonly text: string }>) => {
  const words = wordsOf(text)
  let best: { readonly text: string } | null = null
  let bestShare = likeMin
  for (const passage of passages) {
    const others = wordsOf(passage.text)
    const both = [...words].filter((word) => others.has(word)).length
    const share = (2 * both) / (words.size + others.size || 1)
    if (share < bestShare) continue
    best = passage
    bestShare = share
  }
  return best === null ? null : { text: best.text }
}

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu))

const dayMs = 86_400_000
const windowDays = 30

/** Returns counts of the gate's decisions in the last thirty days, and the calibration in force. */
export const decisionStats = Effect.fn("answering.decisionStats")(function* () {
  const [log, { workspace }] = [(yield* PolicyStore).decisions, yield* Caller]
  const { settings } = yield* (yield* WorkspaceStore).get(workspace)
  const now = yield* Clock.currentTimeMillis
  const from = now - windowDays * dayMs
  const window = { from: timestampOf(from), to: timestampOf(now), days: daysBetween(from, now) }
  const groups = yield* log.groups(workspace, window.from, window.to)
  const { calibration } = yield* answeringSetup(workspace, settings)
  return statsOf(groups, window, calibration)
})

/** The UTC days that a span of time touches; its end does not belong to it. */
const daysBetween = (from: number, to: number): ReadonlyArray<string> => {
  const first = Math.floor(from / dayMs)
  return Array.from({ length: Math.ceil(to / dayMs) - first }, (_, day) =>
    timestampOf((first + day) * dayMs).slice(0, 10)
  )
}
