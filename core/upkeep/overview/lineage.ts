import * as Option from "effect/Option"

import { AnswerStore } from "../../answers/answering/index.js"
import { documentOrigin } from "../../connected/sources/index.js"
import { DocumentStore } from "../../files/documents/index.js"
import { AuditLog } from "../../platform/audit/index.js"
import { Caller, type DocumentId, NotFound, now, traced } from "../../platform/kernel/index.js"
import { RunStore } from "../../work/agent-runs/index.js"
import type { DocumentLineage } from "./governance-model.js"
import { OverviewStore } from "./store.js"

const auditMax = 50

/** Returns the origin of a live document, who verified it, its history, and the data derived from it. */
export const documentLineage = traced("overview.lineage")(function* (id: DocumentId) {
  const [{ workspace }, at] = [yield* Caller, yield* now]
  const found = yield* (yield* DocumentStore).find(workspace, id)
  const document = Option.getOrNull(found)
  if (document === null || document.deletedAt !== null) return yield* new NotFound({ what: "document" })
  const derived = yield* (yield* OverviewStore).lineage(workspace, id)
  const origin = Option.getOrNull(yield* documentOrigin(id))
  const trail = yield* (yield* AuditLog).ofSubject(workspace, id, auditMax)
  const { nextVerifyAt, verification, verifiedAt, verifiedBy } = document
  return {
    origin: {
      kind: origin === null ? derived.origin : "connector",
      connectorId: origin?.connectorId ?? null,
      source: origin?.url ?? null,
      externalId: origin?.externalId ?? null,
      sourceVersion: origin?.version ?? null,
      lastSyncAt: origin?.lastSyncAt ?? null,
      failure: origin?.failure ?? null,
      warnings: [
        ...(origin?.warnings ?? []),
        ...(document.source?.readBy === undefined ? [] : [document.source.readBy]),
        ...(document.source?.textWarnings ?? [])
      ],
      recentSyncRuns: (origin?.runs ?? []).flatMap(({ finishedAt, id: run, mode, startedAt, status }) =>
        startedAt === null ? [] : [{ id: run, status, mode, startedAt, finishedAt }]
      )
    },
    governance: {
      verification,
      verifiedBy,
      verifiedAt,
      nextVerifyAt,
      reviewDue: nextVerifyAt !== null && nextVerifyAt < at
    },
    audit: trail.map(({ action, actor, at: moment, details, id: event }) => ({
      id: event,
      action,
      actor,
      at: moment,
      details
    })),
    derived: {
      chunkCount: derived.chunkCount,
      concepts: [...derived.concepts],
      relationCount: derived.relationCount
    },
    downstream: {
      answerCount:
        (yield* (yield* AnswerStore).countCiting(workspace, id)) +
        (yield* (yield* RunStore).countCiting(workspace, id)),
      cacheEntryCount: yield* (yield* AnswerStore).cache.countOf(workspace, id),
      groundedEntityCount: derived.groundedEntityCount
    }
  } satisfies DocumentLineage
})
