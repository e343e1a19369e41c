import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { eventsOf, record } from "../audit/index.js"
import { atomically, Caller, type Examiner, traced } from "../kernel/index.js"
import { versionOf } from "./expected-from-audit.js"
import { DocumentStore } from "./store.js"
import { VersionInspection } from "./version-inspection.js"

/** Documents looked at in one go. */
const perPage = 64

/**
 * Sets each document that does not stand at the last of its versions to the version that the trail tells: before its
 * file is taken in, since the next version would have the number of one that there is, or of one so far on that all
 * others were forgotten. Only where the trail is whole; a look tells these with what else is wrong with their rows.
 */
export const mendNumbers = traced("documents.mendNumbers")(function* (
  examiner: Examiner<"document_differs">
) {
  const [inspection, { workspace }] = [yield* VersionInspection, yield* Caller]
  for (let after = ""; ; ) {
    const ids = yield* inspection.outOfStep(workspace, after, perPage)
    const last = ids.at(-1)
    if (last === undefined || last === after) return
    for (const id of ids) {
      const mend = Effect.gen(function* () {
        const store = yield* DocumentStore
        const before = Option.getOrNull(yield* store.find(workspace, id))
        if (before === null) return
        const version = versionOf(before, yield* eventsOf(id))
        if (version === before.version) return
        yield* examiner.tell("document_differs", {
          subject: before.path,
          message: "its row says something else than the trail: version"
        })
        yield* store.save(workspace, [{ before, after: { ...before, version } }])
        const details = { path: before.path, problems: ["document_differs"] }
        yield* record([{ action: "document.repair", subjectId: id, details }])
      })
      yield* Effect.orDie(atomically(mend))
    }
    after = last
  }
})
