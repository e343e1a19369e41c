import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { z } from "zod"
import { type AuditQuery, streamAudit } from "../../core/audit/index.js"
import { visibleJson } from "../../core/kernel/index.js"

/** The trail as lines of JSON, oldest first. */
export const auditLines = {
  mediaType: "application/x-ndjson",
  meaning: "One event a line, oldest first, each as in `items`.",
  open: ({ cursor, format, limit, ...filter }: z.output<typeof AuditQuery>) =>
    format === "json"
      ? Effect.succeed(null)
      : Effect.map(streamAudit(filter, { cursor, limit }), (events) =>
          Stream.map(events, (event) => `${visibleJson(event)}\n`)
        )
}
