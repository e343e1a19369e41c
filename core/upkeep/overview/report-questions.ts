import * as Effect from "effect/Effect"
import { PolicyStore } from "../../answers/policy/index.js"
import { Caller, type DocumentId, type EntityId } from "../../platform/kernel/index.js"
import { OverviewStore } from "./store.js"

/** A question of the window, as a report counts it. */
export interface AskedQuestion {
  /** Null where the workspace keeps no questions. */
  readonly question: string | null
  /** Equal for questions that differ in case and white space only. */
  readonly key: string
  readonly answered: boolean
  readonly verdict: string
  readonly reason: string
  readonly cited: ReadonlyArray<DocumentId>
  readonly entities: ReadonlyArray<EntityId>
  readonly at: string
}

/** Decisions that one statement reads. */
const pageSize = 200

/** Every question between two moments: those that the gate judged, and kept answers from when it was off. */
export const askedQuestions = (from: string, to: string) =>
  Effect.gen(function* () {
    const [decisions, reports, { workspace }] = [
      (yield* PolicyStore).decisions,
      (yield* OverviewStore).reports,
      yield* Caller
    ]
    const askedItems: Array<AskedQuestion> = []
    for (let offset = 0; ; offset += pageSize) {
      const { items, total } = yield* decisions.list(workspace, { from, to }, { limit: pageSize, offset })
      for (const one of items)
        askedItems.push({
          question: one.question,
          key: one.questionHash,
          answered: one.verdict === "answer" || one.verdict === "answer_with_caveats",
          verdict: one.verdict,
          reason: one.reasons[0] ?? "",
          cited: [...new Set(one.sources.flatMap(({ cited, docId }) => (cited ? [docId] : [])))],
          entities: one.entityIds,
          at: one.decidedAt
        })
      if (offset + pageSize >= total) break
    }
    for (const { answer, createdAt, question } of yield* reports.undecidedAnswers(workspace, from, to)) {
      const docOf = new Map(answer.sources.map(({ docId, id }) => [id, docId]))
      const cited = answer.claims.flatMap(({ citations }) => citations.flatMap((id) => docOf.get(id) ?? []))
      askedItems.push({
        question,
        key: question.trim().replace(/\s+/gu, " ").toLowerCase(),
        answered: answer.claims.length > 0,
        verdict: answer.policy.verdict,
        reason: answer.claims.length > 0 ? "" : "no_claims",
        cited: [...new Set(cited)],
        entities: answer.entities.map(({ id }) => id),
        at: createdAt
      })
    }
    return askedItems
  })
