import { z } from "zod"
import { AuditId, MomentOrDay, operation } from "../kernel/index.js"
import { AuditPage } from "./model.js"
import { listAudit } from "./service.js"

const limitMax = 200

/** Filter and format of audit events. */
export const AuditQuery = z.object({
  limit: z
    .int()
    .optional()
    .describe("1 to 200, clamped; 50 by default. Of ndjson any number, and all by default."),
  cursor: AuditId.optional().describe(
    "Goes on behind this event: `nextCursor` of a page, or the last id of ndjson."
  ),
  action: z.string().min(1).optional().describe("Only of exactly this action."),
  subjectId: z.string().min(1).optional(),
  actor: z.string().min(1).optional().describe("Only by this actor."),
  from: MomentOrDay.optional().describe("Only at this moment or later: a timestamp, or a day in UTC."),
  to: MomentOrDay.optional().describe("Only before this moment."),
  format: z
    .enum(["json", "ndjson"])
    .default("json")
    .describe(
      "`json`: a page, newest first. `ndjson`: every event on a line of its own, oldest first, streamed."
    )
})

/** Returns a page of audit events or streams all as ndjson; see `AuditQuery`. InvalidInput for an unknown cursor. */
export const listAuditEvents = operation({
  name: "listAuditEvents",
  summary: "List the events of the hash-chained audit trail.",
  scopes: ["workspace:admin"],
  effect: "read",
  input: AuditQuery,
  output: AuditPage,
  faults: ["InvalidInput"],
  run: ({ cursor, format: _format, limit = 50, ...filter }) =>
    listAudit(filter, { cursor, limit: Math.min(Math.max(limit, 1), limitMax) })
})
