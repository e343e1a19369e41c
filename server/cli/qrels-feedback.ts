import * as Effect from "effect/Effect"
import type { Engine } from "../../core/engine/engine/index.js"
import { operations } from "../../core/operations.js"
import { DocumentId } from "../../core/platform/kernel/index.js"
import type { JudgmentCounts } from "../../core/work/evaluation/index.js"
import { operationCommand } from "./command.js"
import type { Failure } from "./failure.js"
import { call } from "./session.js"
import { listOf } from "./tables.js"

/** The id of the document with an id, or at a path of the vault. */
export const documentId = (engine: Engine, idOrPath: string): Effect.Effect<string, Failure> =>
  DocumentId.safeParse(idOrPath).success
    ? Effect.succeed(idOrPath)
    : Effect.map(
        call(() => engine.documents.getByPath(idOrPath)),
        ({ id }) => id
      )

/** Returns the counts of changed judgments as text. */
export const countsText = (counts: JudgmentCounts): string =>
  Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ")

const set = { placeholder: "NAME" }

const proposed = operationCommand("proposed", operations.proposeQrels, {
  description: "List the judgments that feedback on runs suggests; accept them one by one.",
  flags: { set },
  print: ({ items, total }) =>
    listOf(
      "proposal",
      items,
      { total },
      [
        ["feedback", "feedbackId"],
        ["question", "query"],
        "grade",
        ["proposal", ({ answers, path }) => path ?? answers.join(" | ")],
        "why"
      ],
      { shrink: ["question", "proposal", "why"], right: ["grade"] }
    )
})

const accept = operationCommand("accept", operations.acceptQrels, {
  description: "Store what feedback suggests as your own judgments.",
  arguments: { feedbackIds: { name: "feedback", description: "Ids of the feedback (fbk_…)." } },
  flags: { set, docId: { name: "doc", placeholder: "ID-OR-PATH", resolve: documentId } },
  print: countsText
})

/** Judgments that come from feedback on runs. */
export const feedbackJudgments = [proposed, accept]
