import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { AnswerStore } from "../../answers/answering/index.js"
import { DocumentStore } from "../../files/documents/index.js"
import { Caller, ChunkId, DocumentId, NotFound, traced } from "../../platform/kernel/index.js"
import { Feedback, feedbackValues, RunStore } from "../agent-runs/index.js"
import { putJudgments } from "./judgments.js"
import { isModelJudge, type ProposedJudgment } from "./model.js"
import { EvalStore } from "./store.js"

/** Runs with feedback that are read at once, the newest. */
const runsMax = 1000
/** Characters of a question and of an accepted answer at most. */
const textMax = 4000

/**
 * Judgments for a set that feedback on runs and answers suggests, the newest feedback first. What a person has judged already, and
 * documents that are gone, are left out; nothing is stored before a person accepts it.
 */
export const proposeJudgments = traced("evaluation.propose")(function* (set: string) {
  const [runs, judgments, documents] = [yield* RunStore, (yield* EvalStore).judgments, yield* DocumentStore]
  const { workspace } = yield* Caller
  const { items } = yield* runs.list(workspace, { feedback: "any" }, { limit: runsMax, offset: 0 })
  const feedback = yield* runs.feedback(
    workspace,
    items.map(({ id }) => id)
  )
  const existing = yield* judgments.ofSet(workspace, set)
  const topics = new Map(existing.map(({ query, queryId }) => [query, queryId]))
  const places = new Map(existing.map((one) => [`${one.queryId}\n${one.docId ?? ""}`, one]))
  const subjects: ReadonlyArray<Subject> = [
    ...items.map((run) => ({
      id: run.id,
      runId: run.id,
      answerId: null,
      question: run.input,
      citations: run.output?.citations ?? [],
      feedback: feedback.get(run.id) ?? []
    })),
    ...(yield* answeredSubjects)
  ]
  const proposed = subjects
    .flatMap((subject) => {
      const query = subject.question.trim().slice(0, textMax).toWellFormed()
      const queryId = topics.get(query) ?? subject.id
      topics.set(query, queryId)
      return subject.feedback.flatMap((one) => proposalsOf(subject, { query, queryId }, one))
    })
    .filter(({ answers, docId, queryId }) => {
      const place = places.get(`${queryId}\n${docId ?? ""}`)
      if (docId === null) return !answers.every((answer) => place?.answers.includes(answer))
      return place === undefined || isModelJudge(place.judge)
    })
  const live = new Map(
    (yield* documents.findMany(workspace, [
      ...new Set(proposed.flatMap(({ docId }) => docId ?? []))
    ])).flatMap(({ deletedAt, id, path }) => (deletedAt === null ? [[id, path] as const] : []))
  )
  return proposed
    .flatMap((one): ReadonlyArray<ProposedJudgment> => {
      if (one.docId === null) return [one]
      const path = live.get(one.docId)
      return path === undefined ? [] : [{ ...one, path }]
    })
    .sort((a, b) => (a.feedbackId < b.feedbackId ? 1 : a.feedbackId > b.feedbackId ? -1 : 0))
})

/** Subject of feedback: a run, or an answer. */
interface Subject extends Pick<ProposedJudgment, "runId" | "answerId"> {
  readonly id: string
  readonly question: string
  readonly citations: ReadonlyArray<{ readonly docId: string; readonly chunkId: string }>
  readonly feedback: ReadonlyArray<Feedback>
}

const answeredSubjects = Effect.gen(function* () {
  const [answers, { workspace }] = [yield* AnswerStore, yield* Caller]
  const { items } = yield* answers.list(workspace, { feedback: "any" }, { limit: runsMax, offset: 0 })
  const feedback = yield* answers.feedback(
    workspace,
    items.map(({ id }) => id)
  )
  return items.map(({ answer, id, question }): Subject => {
    const cited = new Set(answer.claims.flatMap(({ citations }) => citations))
    return {
      id,
      runId: null,
      answerId: id,
      question: answer.standaloneQuestion ?? question,
      citations: answer.sources.filter((source) => cited.has(source.id)),
      feedback: (feedback.get(id) ?? []).flatMap((one) => Feedback.safeParse(one).data ?? [])
    }
  })
})

/** Returns the judgments that one piece of feedback suggests for a topic. Pure. */
const proposalsOf = (
  { answerId, citations, runId }: Subject,
  topic: Pick<ProposedJudgment, "queryId" | "query">,
  { createdBy, id, kind, value }: Feedback
): ReadonlyArray<ProposedJudgment> => {
  const base = {
    ...topic,
    feedbackId: id,
    runId,
    answerId,
    docId: null,
    path: null,
    chunkId: null,
    grade: null,
    answers: [],
    saidBy: createdBy
  }
  const proposeCited = (grade: number, why: string): ReadonlyArray<ProposedJudgment> => {
    const documents = new Map(citations.map((one) => [one.docId, one]))
    return [...documents.values()].flatMap(({ chunkId, docId: named }) => {
      const docId = DocumentId.safeParse(named).data
      return docId === undefined ? [] : [{ ...base, docId, chunkId: chunkOf(chunkId), grade, why }]
    })
  }
  const proposeAnswer = (text: string, why: string): ReadonlyArray<ProposedJudgment> => {
    const answerText = text.trim()
    return answerText === "" || answerText.length > textMax ? [] : [{ ...base, answers: [answerText], why }]
  }
  switch (kind) {
    case "thumb":
      return feedbackValues.thumb.parse(value).thumb === "up"
        ? proposeCited(2, "Cited in an answer with a thumb up.")
        : []
    case "rating": {
      const { rating } = feedbackValues.rating.parse(value)
      return rating < 4 ? [] : proposeCited(rating === 5 ? 3 : 2, `Cited in an answer rated ${rating} of 5.`)
    }
    case "correction":
      return proposeAnswer(feedbackValues.correction.parse(value).text, "A person corrected the answer.")
    case "edit":
      return proposeAnswer(feedbackValues.edit.parse(value).after, "A person edited the answer.")
    case "citation_flag": {
      const flag = feedbackValues.citation_flag.parse(value)
      const docId = DocumentId.safeParse(flag.docId).data
      const why = `The citation was flagged: ${flag.reason}`.slice(0, 1000)
      return docId === undefined ? [] : [{ ...base, docId, chunkId: chunkOf(flag.chunkId), grade: 0, why }]
    }
  }
}

const chunkOf = (id: string): ChunkId | null => ChunkId.safeParse(id).data ?? null

/** Stores proposals as judgments of the caller, all or none. NotFound where the feedback proposes nothing (more). */
export const acceptProposals = traced("evaluation.accept")(function* (accepted: {
  readonly set: string
  readonly feedbackIds: ReadonlyArray<string>
  /** Only the proposals about this document. */
  readonly docId?: DocumentId | undefined
  /** The grade in place of the proposed one. */
  readonly grade?: number | undefined
}) {
  const [documents, judgments, { workspace }] = [
    yield* DocumentStore,
    (yield* EvalStore).judgments,
    yield* Caller
  ]
  const { docId, grade, set } = accepted
  // The newest feedback comes first and is to be written last.
  const chosen = (yield* proposeJudgments(set))
    .filter(
      (one) => accepted.feedbackIds.includes(one.feedbackId) && (docId === undefined || one.docId === docId)
    )
    .reverse()
  if (!accepted.feedbackIds.every((id) => chosen.some(({ feedbackId }) => feedbackId === id)))
    return yield* new NotFound({ what: "proposal" })
  const known = yield* judgments.ofTopics(
    workspace,
    set,
    chosen.map(({ queryId }) => queryId)
  )
  const answers = new Map<string, ReadonlyArray<string>>(
    known.flatMap((one) => (one.docId === null ? [[one.queryId, one.answers] as const] : []))
  )
  return yield* putJudgments(
    yield* Effect.forEach(chosen, (one) =>
      Effect.gen(function* () {
        const { feedbackId, query, queryId, why } = one
        const note = `${feedbackId}: ${why}`
        if (one.docId === null) {
          const all = [...new Set([...(answers.get(queryId) ?? []), ...one.answers])]
          answers.set(queryId, all)
          return { set, queryId, query, answers: all, note }
        }
        // The passage may have been cut anew since; the document is judged then.
        const passage =
          one.chunkId === null ? null : Option.getOrNull(yield* documents.passageById(workspace, one.chunkId))
        return {
          set,
          queryId,
          query,
          docId: one.docId,
          ...(passage?.documentId === one.docId ? { chunkId: passage.id } : {}),
          grade: grade ?? one.grade ?? 0,
          note
        }
      })
    )
  )
})
