import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { DocumentStore } from "../../files/documents/index.js"
import { record } from "../../platform/audit/index.js"
import {
  atomically,
  Caller,
  type DocumentId,
  Ids,
  invalid,
  NotFound,
  now,
  type PageRequest,
  traced
} from "../../platform/kernel/index.js"
import { isModelJudge, type Judgment, type JudgmentCounts, type JudgmentInput } from "./model.js"
import { EvalStore, type JudgeLabel, type JudgmentFilter, type StoredJudgment } from "./store.js"

/** Characters of a passage that anchor a judgment where no quote is given. */
const quoteMax = 500

/**
 * Writes judgments in one unit of work: the last write of a place wins, save that the label of a model never replaces
 * a person's. NotFound for a document or passage that is not live; then nothing is stored.
 */
export const putJudgments = traced("evaluation.putJudgments")(function* (
  inputs: ReadonlyArray<JudgmentInput>
) {
  const [store, ids, { actor, workspace }, at] = [
    (yield* EvalStore).judgments,
    yield* Ids,
    yield* Caller,
    yield* now
  ]
  return yield* atomically(
    Effect.gen(function* () {
      const known = yield* knownJudgments(inputs)
      yield* refuseUnknownDocuments(inputs, known)
      const counts = { created: 0, updated: 0, removed: 0, unchanged: 0 }
      const changed = new Map<string, StoredJudgment>()
      const removed = new Map<string, StoredJudgment>()
      const labels = new Map<string, JudgeLabel>()
      const texts = new Map([...known.values()].map((one) => [topicKey(one), one.query]))
      for (const [place, input] of inputs.entries()) {
        const key = keyOf(input)
        const before = known.get(key)
        if (input.grade === null) {
          counts[before === undefined ? "unchanged" : "removed"] += 1
          if (before !== undefined) removed.set(key, before)
          known.delete(key)
          changed.delete(key)
          continue
        }
        const query = input.query ?? texts.get(topicKey(input))
        if (query === undefined)
          return yield* invalid(
            ["judgments", place, "query"],
            "required",
            `The topic ${input.queryId} is new in this set, so its question is needed.`
          )
        texts.set(topicKey(input), query)
        const judge = input.judge ?? actor
        const docId = input.docId ?? null
        if (docId !== null && input.grade !== undefined)
          labels.set(`${key}\n${judge}`, {
            set: input.set,
            queryId: input.queryId,
            docId,
            judge,
            grade: input.grade,
            updatedAt: at
          })
        const isOverruled = before !== undefined && isModelJudge(judge) && !isModelJudge(before.judge)
        const after = isOverruled
          ? { ...before, query }
          : {
              ...(yield* anchored(input, before)),
              id: before?.id ?? ids.make("judgment"),
              set: input.set,
              queryId: input.queryId,
              query,
              docId,
              grade: input.grade ?? null,
              expectAbstain: input.expectAbstain ?? false,
              answers: input.answers ?? before?.answers ?? [],
              judge,
              note: input.note ?? before?.note ?? null,
              createdAt: before?.createdAt ?? at,
              updatedAt: at
            }
        const isSame = before !== undefined && sameJudgment(before, after)
        counts[before === undefined ? "created" : isSame ? "unchanged" : "updated"] += 1
        if (isSame) continue
        known.set(key, after)
        changed.set(key, after)
        removed.delete(key)
      }
      for (const [key, one] of known) {
        const query = texts.get(topicKey(one)) ?? one.query
        if (query !== one.query) changed.set(key, { ...one, query, updatedAt: at })
      }
      yield* store.remove(workspace, [...removed.values()])
      yield* store.put(workspace, [...changed.values()])
      yield* store.label(workspace, [...labels.values()])
      const sets = [...new Set(inputs.map(({ set }) => set))]
      if (counts.created + counts.updated + counts.removed > 0)
        yield* record([{ action: "qrels.put", subjectId: workspace, details: { sets, ...counts } }])
      return counts satisfies JudgmentCounts
    })
  )
})

const keyOf = ({
  docId,
  queryId,
  set
}: {
  readonly set: string
  readonly queryId: string
  readonly docId?: string | null | undefined
}) => `${set}\n${queryId}\n${docId ?? ""}`
const topicKey = ({ queryId, set }: { readonly set: string; readonly queryId: string }) =>
  `${set}\n${queryId}`

const sameJudgment = (before: StoredJudgment, after: StoredJudgment): boolean => {
  const contentKey = ({ updatedAt: _updatedAt, ...rest }: StoredJudgment) =>
    JSON.stringify(Object.entries(rest).sort())
  return contentKey(before) === contentKey(after)
}

/** The judgments of all topics that are named, by place. */
const knownJudgments = (inputs: ReadonlyArray<JudgmentInput>) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [(yield* EvalStore).judgments, yield* Caller]
    const known = new Map<string, StoredJudgment>()
    for (const set of new Set(inputs.map((input) => input.set))) {
      const topics = new Set(inputs.flatMap((input) => (input.set === set ? [input.queryId] : [])))
      for (const one of yield* store.ofTopics(workspace, set, [...topics])) known.set(keyOf(one), one)
    }
    return known
  })

/** A removal of what is judged may name a document that is gone; everything else names live ones. */
const refuseUnknownDocuments = (
  inputs: ReadonlyArray<JudgmentInput>,
  known: ReadonlyMap<string, StoredJudgment>
) =>
  Effect.gen(function* () {
    const [documents, { workspace }] = [yield* DocumentStore, yield* Caller]
    const wanted = new Set(
      inputs.flatMap((input) =>
        input.docId === undefined || (input.grade === null && known.has(keyOf(input))) ? [] : [input.docId]
      )
    )
    const live = (yield* documents.findMany(workspace, [...wanted])).filter(
      ({ deletedAt }) => deletedAt === null
    )
    if (live.length < wanted.size) return yield* new NotFound({ what: "document" })
  })

/** The passage and the quote that a judgment hangs on. */
const anchored = (input: JudgmentInput, before: StoredJudgment | undefined) =>
  Effect.gen(function* () {
    const { chunkId, quote } = input
    if (chunkId === undefined)
      return { chunkId: before?.chunkId ?? null, quote: quote ?? before?.quote ?? null }
    const [documents, { workspace }] = [yield* DocumentStore, yield* Caller]
    const passage = Option.getOrNull(yield* documents.passageById(workspace, chunkId))
    if (passage === null || passage.documentId !== input.docId)
      return yield* new NotFound({ what: "passage" })
    return { chunkId, quote: quote ?? passage.text.slice(0, quoteMax).toWellFormed() }
  })

/** Lists judgments by set, query id and document; passages that were cut anew are found again by their quotes. */
export const listJudgments = traced("evaluation.listJudgments")(function* (
  filter: JudgmentFilter,
  page: PageRequest
) {
  const [store, { workspace }] = [(yield* EvalStore).judgments, yield* Caller]
  const { items, total } = yield* store.list(workspace, filter, page)
  return { items: yield* Effect.forEach(items, reanchored), total }
})

const reanchored = ({ createdAt: _createdAt, ...judgment }: StoredJudgment) =>
  Effect.gen(function* () {
    const { chunkId, docId, quote } = judgment
    if (chunkId === null || docId === null) return judgment satisfies Judgment
    const [documents, { workspace }] = [yield* DocumentStore, yield* Caller]
    if (Option.isSome(yield* documents.passageById(workspace, chunkId))) return judgment
    return { ...judgment, chunkId: yield* passageWith(docId, quote) }
  })

const passageWith = (document: DocumentId, quote: string | null) =>
  Effect.gen(function* () {
    if (quote === null || quote.trim() === "") return null
    const [documents, { workspace }] = [yield* DocumentStore, yield* Caller]
    const chunks = yield* documents.chunks(workspace, document)
    const wanted = collapsed(quote)
    const start = wanted.slice(0, 80)
    const found =
      chunks.find(({ text }) => collapsed(text).includes(wanted)) ??
      chunks.find(({ text }) => collapsed(text).includes(start))
    return found?.id ?? null
  })

const collapsed = (text: string): string => text.replace(/\s+/gu, " ").trim()

/** A set as TREC qrels: `query-id 0 document-id grade`, one judgment a line, by query and document. */
export const trecQrels = (filter: JudgmentFilter) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [(yield* EvalStore).judgments, yield* Caller]
    const { items } = yield* store.list(workspace, filter, { limit: trecMax, offset: 0 })
    return items
      .flatMap(({ docId, grade, queryId }) =>
        docId === null || grade === null ? [] : `${queryId} 0 ${docId} ${grade}\n`
      )
      .join("")
  })

/** Most judgments of one export over the API. */
const trecMax = 1_000_000
