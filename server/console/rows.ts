import * as Effect from "effect/Effect"
import { z } from "zod"
import {
  endSession,
  listSessions,
  mayEndSession,
  sessionEnd,
  sessionMethods
} from "../../core/platform/identity/index.js"
import {
  Caller,
  DeleteAck,
  NotFound,
  operation,
  SessionId,
  scopes,
  Timestamp
} from "../../core/platform/kernel/index.js"
import { type Row, row } from "../catalog/row.js"
import { answerRows } from "./answers.js"
import { askRow } from "./ask.js"
import { conversationRows } from "./conversations.js"
import type { ConsoleConfig } from "./cookies.js"
import { stateRows } from "./health.js"
import { inboxRows } from "./inbox.js"
import { memberRows } from "./members.js"
import type { SessionItem } from "./model.js"
import { modelRows } from "./models.js"
import { operationRows } from "./operation-rows.js"
import { peopleRow } from "./people.js"
import { limitsOf, memberOf } from "./session-routes.js"

/** The own endpoints of the console for a session, in the form of operations. */
export const consoleRows = (config: ConsoleConfig): ReadonlyArray<Row> => {
  const limits = limitsOf(config)
  const sessions = operation({
    name: "listSessions",
    summary: "List the caller's sessions, newest first, or everyone's with workspace:admin.",
    scopes,
    effect: "read",
    input: z.object({
      limit: z.int().min(1).max(200).default(200),
      offset: z.int().min(0).default(0)
    }),
    output: z.object({ items: z.array(SessionShape), total: z.int() }),
    faults: [],
    run: (page) =>
      Effect.gen(function* () {
        const caller = yield* Caller
        const found = yield* listSessions(caller, limits, page)
        const items = yield* Effect.forEach(found.items, (session) =>
          Effect.map(
            memberOf(session),
            (member): SessionItem => ({
              id: session.id,
              method: session.method,
              actor: session.actor,
              member,
              userAgent: session.userAgent,
              createdAt: session.createdAt,
              lastSeenAt: session.lastSeenAt,
              expiresAt: sessionEnd(session, limits),
              current: session.id === caller.sessionId
            })
          )
        )
        return { items, total: found.total }
      })
  })
  const revoke = operation({
    name: "revokeSession",
    summary: "End a session from its next request on.",
    scopes,
    effect: "idempotent",
    input: z.object({ id: SessionId }),
    output: DeleteAck,
    faults: ["NotFound"],
    run: ({ id }) =>
      Effect.gen(function* () {
        if (!(yield* mayEndSession(id, yield* Caller, limits)))
          return yield* new NotFound({ what: "session" })
        return { deleted: yield* endSession(id), id }
      })
  })
  return [
    row(sessions, "GET", "/console/sessions"),
    row(revoke, "DELETE", "/console/sessions/{id}"),
    askRow,
    ...answerRows,
    ...conversationRows,
    ...inboxRows(),
    peopleRow,
    ...memberRows,
    ...stateRows,
    ...modelRows,
    ...operationRows
  ]
}

const SessionShape = z.object({
  id: SessionId,
  method: z.enum(sessionMethods),
  actor: z.string(),
  member: z.object({ id: z.string(), name: z.string() }).nullable(),
  userAgent: z.string(),
  createdAt: Timestamp,
  lastSeenAt: Timestamp,
  expiresAt: Timestamp,
  current: z.boolean()
})
