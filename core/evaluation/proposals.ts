import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Caller, type DocumentId, traced, type WorkspaceScope } from "../kernel/index.js"

/** What a person said about an answer, with what the answer cited. */
export interface AnswerFeedback {
  readonly id: string
  readonly question: string
  readonly cited: ReadonlyArray<DocumentId>
  readonly said:
    | { readonly kind: "thumb"; readonly thumb: "up" | "down" }
    | { readonly kind: "rating"; readonly rating: number }
    | { readonly kind: "correction"; readonly text: string }
    | { readonly kind: "edit"; readonly before: string; readonly after: string }
    | { readonly kind: "citation_flag"; readonly docId: DocumentId; readonly reason: string }
}

/** Feedback that was left on runs and answers, newest first. Whoever keeps feedback provides it. */
export class FeedbackSource extends Context.Tag("kanon/FeedbackSource")<
  FeedbackSource,
  {
    readonly list: (workspace: WorkspaceScope, limit: number) => Effect.Effect<ReadonlyArray<AnswerFeedback>>
  }
>() {}

/** A judgment that feedback suggests; nothing is stored before a person accepts it. */
export interface ProposedJudgment {
  readonly feedbackId: string
  readonly queryId: string
  readonly query: string
  readonly docId: DocumentId | null
  readonly grade: number | null
  readonly answers: ReadonlyArray<string>
  readonly why: string
}

/** Feedback that is read at once. */
const feedbackMax = 1000

/** Proposes judgments from feedback; none where nothing keeps feedback. */
export const proposeJudgments = traced("evaluation.propose")(function* () {
  const { workspace } = yield* Caller
  const source = yield* Effect.serviceOption(FeedbackSource)
  if (Option.isNone(source)) return []
  return (yield* source.value.list(workspace, feedbackMax)).flatMap(proposalsOf)
})

/** What one piece of feedback suggests. Pure. */
export const proposalsOf = ({
  cited,
  id,
  question,
  said
}: AnswerFeedback): ReadonlyArray<ProposedJudgment> => {
  const base = { feedbackId: id, queryId: id, query: question, docId: null, grade: null, answers: [] }
  const graded = (docId: DocumentId, grade: number, why: string): ProposedJudgment => ({
    ...base,
    docId,
    grade,
    why
  })
  switch (said.kind) {
    case "thumb":
      return said.thumb === "up"
        ? cited.map((docId) => graded(docId, 2, "Cited in an answer with a thumb up."))
        : []
    case "rating":
      return said.rating >= 4
        ? cited.map((docId) =>
            graded(docId, said.rating === 5 ? 3 : 2, `Cited in an answer rated ${said.rating}.`)
          )
        : []
    case "correction":
      return [{ ...base, answers: [said.text], why: "A person corrected the answer." }]
    case "edit":
      return [{ ...base, answers: [said.after], why: "A person edited the answer." }]
    case "citation_flag":
      return [graded(said.docId, 0, `The citation was flagged: ${said.reason}`)]
  }
}
