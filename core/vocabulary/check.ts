import * as Effect from "effect/Effect"
import { record } from "../audit/index.js"
import { atomically, Caller, type Examiner, traced } from "../kernel/index.js"
import { VocabularyStore } from "./store.js"

/** The kinds of what may be wrong with what is kept of concepts. */
export const conceptFindings = { concepts_stray: "difference" } as const

/**
 * Finds what is kept of concepts whose entities are gone: as long as it is there, nobody can take these concepts in
 * again. Entities that only their history knows are not gone: they are made again with all that hangs on them.
 */
export const checkConcepts = traced("vocabulary.check")(function* (
  examiner: Examiner<keyof typeof conceptFindings>
) {
  const [store, { workspace }] = [yield* VocabularyStore, yield* Caller]
  if ((yield* store.strays(workspace)) === 0) return
  yield* atomically(
    Effect.gen(function* () {
      const count = yield* store.strays(workspace)
      if (count === 0) return
      const message = "IRIs and texts of entities that are gone"
      yield* examiner.tell("concepts_stray", { subject: "", message, count })
      if (!examiner.repair) return
      yield* store.removeStrays(workspace)
      yield* record([{ action: "entity.repair", subjectId: workspace, details: { concepts: count } }])
    })
  )
})
