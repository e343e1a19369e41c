import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { analyse } from "../../language/tokenization/index.js"
import type { Reranker } from "../../platform/models/index.js"
import type { RetrievedPassage } from "./model.js"
import { withoutNearDuplicates } from "./near-duplicate.js"

/** Time limit of a reranker; after it the fused order is used. */
const budget = "2 seconds"

/**
 * Returns the passages in the reranker's order, without near-duplicates; null when it fails, takes longer than two
 * seconds or returns unusable scores. Equal scores keep the given order.
 */
export const rerankPassages = (
  reranker: Context.Tag.Service<Reranker>,
  query: string,
  passages: ReadonlyArray<RetrievedPassage>
): Effect.Effect<ReadonlyArray<RetrievedPassage> | null> =>
  passages.length === 0
    ? Effect.succeed(null)
    : reranker
        .rerank(
          query,
          passages.map(({ passage: { docTitle, headingPath, text } }) =>
            [docTitle, ...headingPath, text].join("\n")
          )
        )
        .pipe(
          Effect.timeout(budget),
          Effect.map((scores) => (isUsable(scores, passages.length) ? inOrder(passages, scores) : null)),
          Effect.tap((order) =>
            order === null
              ? Effect.logWarning(`The reranker ${reranker.modelId} gave no usable scores.`)
              : Effect.void
          ),
          Effect.catchAllCause((cause) =>
            Effect.as(
              Effect.logWarning(`The reranker ${reranker.modelId} is down; results keep their order.`, cause),
              null
            )
          )
        )

const isUsable = (scores: ReadonlyArray<number>, count: number): boolean =>
  scores.length === count && scores.every((score) => Number.isFinite(score))

const inOrder = (
  passages: ReadonlyArray<RetrievedPassage>,
  scores: ReadonlyArray<number>
): ReadonlyArray<RetrievedPassage> => {
  const scored = passages.map((passage, i) => ({ ...passage, rerankScore: scores[i] ?? 0 }))
  return withoutNearDuplicates(
    scored.sort((a, b) => b.rerankScore - a.rerankScore),
    ({ passage }) => analyse(passage.text).map(({ term }) => term)
  )
}
