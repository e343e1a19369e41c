import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { z } from "zod"
import {
  KeyScope,
  type Session,
  SessionStore,
  sessionMethods
} from "../../../../core/platform/identity/index.js"
import {
  KeyId,
  SessionId,
  serviceLayer,
  Timestamp,
  UserId,
  type WorkspaceId,
  WorkspaceId as WorkspaceIds
} from "../../../../core/platform/kernel/index.js"
import { ofShape } from "../../codec.js"
import { columnsOf, flag, json, orNull, text } from "../../columns.js"
import { done, hasRows, readFirst, readReadable } from "../../rows.js"
import { type UserRow, userFromRow } from "./holder-rows.js"

/** Columns of the table `console_session`. */
const columns = columnsOf<Session>({
  id: text(),
  method: text(),
  isLink: flag(),
  actor: text(),
  userId: text(),
  keyId: text(),
  scopes: orNull(json()),
  workspaceId: text("home_workspace"),
  userAgent: text(),
  createdAt: text(),
  lastSeenAt: text(),
  expiresAt: text()
})

/** Valid fields of a session; one with other values admits nobody. */
const Whole = z.object({
  id: SessionId,
  method: z.enum(sessionMethods),
  isLink: z.boolean(),
  actor: z.string().min(1),
  userId: UserId.nullable(),
  keyId: KeyId.nullable(),
  scopes: z.array(KeyScope).nullable(),
  workspaceId: WorkspaceIds,
  userAgent: z.string(),
  createdAt: Timestamp,
  lastSeenAt: Timestamp,
  expiresAt: Timestamp
})

const sessionFromRow = (row: object): Session => ofShape(Whole, "a session", columns.read(row))

export const sqlSessionStore = serviceLayer(
  SessionStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const user = sql.literal("u.id, u.display_name, u.created_at")
    return {
      insert: (session, hash) =>
        done(sql`insert into console_session ${sql.insert({ ...columns.write(session), hash })}`),
      byHash: (hash) =>
        sql<object>`select * from console_session where hash = ${hash} and is_link = 0`.pipe(
          readFirst(sessionFromRow)
        ),
      takeLink: (hash) =>
        sql<object>`delete from console_session where hash = ${hash} and is_link = 1 returning *`.pipe(
          readFirst(sessionFromRow)
        ),
      touch: (id, at) =>
        done(sql`update console_session set last_seen_at = ${at} where id = ${id} and last_seen_at < ${at}`),
      remove: (id) => sql`delete from console_session where id = ${id} returning id`.pipe(hasRows),
      all: sql<object>`select * from console_session where is_link = 0 order by id desc`.pipe(
        readReadable("sessions", sessionFromRow)
      ),
      prune: (before) => done(sql`delete from console_session where expires_at < ${before}`),
      userOfLogin: ({ issuer, subject }) =>
        sql<UserRow>`select ${user} from user_login l join host_user u on u.id = l.user_id
          where l.issuer = ${issuer} and l.subject = ${subject}`.pipe(readFirst(userFromRow)),
      bindLogin: ({ issuer, subject }, id, at) =>
        sql`insert into user_login ${sql.insert({ issuer, subject, user_id: id, created_at: at })}
          on conflict (issuer, subject) do nothing returning user_id`.pipe(hasRows),
      unboundUserOfEmail: (issuer, email) =>
        sql<UserRow>`select ${user} from host_user u where u.email = ${email.toLowerCase()}
          and not exists (select 1 from user_login l where l.user_id = u.id and l.issuer = ${issuer})`.pipe(
          readFirst(userFromRow)
        ),
      setEmail: (id, email) =>
        sql`update host_user set email = ${email.toLowerCase()} where id = ${id}
          and not exists (select 1 from host_user o where o.email = ${email.toLowerCase()} and o.id <> ${id})
          returning id`.pipe(hasRows),
      workspacesOf: (id) =>
        sql<{ workspace_id: WorkspaceId }>`select workspace_id from membership where user_id = ${id}
          order by workspace_id`.pipe(
          Effect.map((rows) => rows.map(({ workspace_id }) => workspace_id)),
          Effect.orDie
        )
    }
  })
)
