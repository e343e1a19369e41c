import * as Effect from "effect/Effect"
import type { Repair } from "../../files/documents/index.js"
import { reconcileFiles, waitForWriters } from "../../files/vault-sync/index.js"
import { enqueue, JobStore, jobKinds } from "../../platform/jobs/index.js"
import { Caller, traced } from "../../platform/kernel/index.js"
import { repairLexicalIndex } from "../../search/lexical/index.js"
import { vectorsAreBehind } from "../../search/vectors/index.js"

/**
 * Completes what a crash or an earlier version left unfinished: pending file operations, a text index of another
 * format, missing vectors. Runs at each start and in the job `reconcile`.
 */
export const recoverAtStartup = traced("startupRecovery")(function* () {
  const { workspace } = yield* Caller
  const { owed, repairs } = yield* reconcileFiles(yield* waitForWriters())
  const isRebuilt = yield* repairLexicalIndex(workspace)
  yield* enqueueMissingVectors
  return { repairs: isRebuilt ? [...repairs, textIndexRebuilt] : repairs, owed }
})

const textIndexRebuilt: Repair = {
  code: "text_index_rebuilt",
  message: "made the text index anew from the passages"
}

/** Enqueues the embedding job if no document change will: the model was replaced, or an earlier job died. */
const enqueueMissingVectors = Effect.gen(function* () {
  const { workspace } = yield* Caller
  if (!(yield* vectorsAreBehind(workspace))) return
  const { running, waiting } = yield* (yield* JobStore).depth(workspace, [jobKinds.embedding])
  if (running + waiting === 0) yield* enqueue([{ kind: jobKinds.embedding, dedupeKey: jobKinds.embedding }])
})
