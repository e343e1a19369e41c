import * as Option from "effect/Option"
import { Caller, type DocumentId, traced } from "../kernel/index.js"
import { ExternalItemStore } from "./store.js"
import { listSyncs } from "./syncs.js"

/** Sync runs shown with a document. */
const runsShown = 5

/** Where a document of a connector comes from, with the newest runs of that connector; none for other documents. */
export const documentOrigin = traced("sources.origin")(function* (id: DocumentId) {
  const { workspace } = yield* Caller
  const found = yield* (yield* ExternalItemStore).ofDocument(workspace, id)
  if (Option.isNone(found)) return Option.none()
  const { connectorId, externalId, failure, syncedAt, url, version, warnings } = found.value
  const runs = yield* listSyncs(connectorId, runsShown)
  const verified = runs.find(({ dryRun, status }) => status === "succeeded" && !dryRun)?.finishedAt ?? ""
  const lastSyncAt = verified > syncedAt ? verified : syncedAt
  return Option.some({
    connectorId,
    externalId,
    version,
    url,
    failure: failure?.reason ?? null,
    warnings: [...warnings],
    lastSyncAt,
    runs
  })
})
