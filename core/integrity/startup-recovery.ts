import * as Effect from "effect/Effect"
import { enqueue, JobStore } from "../jobs/index.js"
import { jobKinds } from "../jobs/job-kinds.js"
import { Caller, traced } from "../kernel/index.js"
import { repairLexicalIndex } from "../lexical/index.js"
import { letWritersEnd, type Repair, reconcileFiles } from "../vault-sync/index.js"
import { vectorsAreBehind } from "../vectors/index.js"

/**
 * Mends what a crash or another version left: at each start, and as the job `reconcile`. `doctor` finds all that
 * this does, and more.
 */
export const startupRecovery = traced("mend")(function* () {
  const { workspace } = yield* Caller
  const { owed, repairs } = yield* reconcileFiles(yield* letWritersEnd())
  const isRebuilt = yield* repairLexicalIndex(workspace)
  yield* oweVectors
  return { repairs: isRebuilt ? [...repairs, textIndexRebuilt] : repairs, owed }
})

const textIndexRebuilt: Repair = {
  code: "text_index_rebuilt",
  message: "made the text index anew from the passages"
}

/** Asks for vectors that no change will ask for: the model is another one, or a job for them has died. */
const oweVectors = Effect.gen(function* () {
  const { workspace } = yield* Caller
  if (!(yield* vectorsAreBehind(workspace))) return
  const { running, waiting } = yield* (yield* JobStore).depth(workspace, [jobKinds.embedding])
  if (running + waiting === 0) yield* enqueue([{ kind: jobKinds.embedding, dedupeKey: jobKinds.embedding }])
})
