import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { z } from "zod"
import {
  KeyScope,
  type LiveAt,
  type Session,
  type SessionStore,
  sessionMethods
} from "../../../../core/platform/identity/index.js"
import {
  KeyId,
  SessionId,
  Timestamp,
  UserId,
  type WorkspaceId,
  WorkspaceId as WorkspaceIds
} from "../../../../core/platform/kernel/index.js"
import { ofShape } from "../../codec.js"
import { columnsOf, flag, json, orNull, text } from "../../columns.js"
import { done, hasRows, readFirst, readPage, readReadable } from "../../rows.js"
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

export const sessions: Effect.Effect<SessionStore, never, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const user = sql.literal("u.id, u.display_name, u.created_at")
  const isLive = ({ at, usedAfter }: LiveAt) =>
    sql`s.is_link = 0 and s.expires_at > ${at} and (s.last_seen_at > ${usedAfter} or s.method = 'client')`
  const membersOf = (workspace: WorkspaceId) =>
    sql`select user_id from membership where workspace_id = ${workspace}`
  /** Conditions under which a session reaches a workspace now. */
  const reachesNow = (workspace: WorkspaceId, { at }: LiveAt) =>
    sql`(s.user_id is null or s.user_id in (${membersOf(workspace)}))
        and (s.key_id is null or exists (select 1 from api_key k where k.id = s.key_id
          and (k.revoked_at is null or k.revoked_at > ${at}) and (k.expires_at is null or k.expires_at > ${at})
          and (k.user_id is null or k.user_id in (${membersOf(workspace)}))
          and (k.reaches_all = 1 or exists (select 1 from key_grant g
            where g.key_id = k.id and g.workspace_id = ${workspace}))))`
  /**
   * Sessions of an actor and those that reach a workspace. Candidates are found by indexes, so that sessions of other
   * tenants are not read: those of the actor, of the workspace's members, of keys that are granted it, of keys for all
   * workspaces of a member, and of the host.
   */
  const ofActorOr = (actor: string, workspace: WorkspaceId, live: LiveAt) =>
    sql`s.id in (
          select c.id from console_session c where c.actor in (select ${actor} as actor
            union ${membersOf(workspace)}
            union select key_id from key_grant where workspace_id = ${workspace}
            union select id from api_key where user_id in (${membersOf(workspace)}) and reaches_all = 1)
          union select id from console_session where user_id is null and key_id is null)
        and (s.actor = ${actor} or (${reachesNow(workspace, live)}))`
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
    get: (id) =>
      sql<object>`select * from console_session where id = ${id} and is_link = 0`.pipe(
        readFirst(sessionFromRow)
      ),
    all: (live) =>
      sql<object>`select s.* from console_session s where ${isLive(live)} order by s.id desc`.pipe(
        readReadable("sessions", sessionFromRow)
      ),
    list: ({ actor, reaching, ...live }, page) =>
      readPage(sql, page, {
        select: sql.literal("s.*"),
        from: sql`console_session s where ${isLive(live)} and ${
          reaching === null ? sql`s.actor = ${actor}` : ofActorOr(actor, reaching, live)
        }`,
        order: sql`s.id desc`,
        read: sessionFromRow,
        what: "sessions"
      }),
    keepNewest: ({ actor, id }, count) =>
      done(sql`delete from console_session where actor = ${actor} and is_link = 0 and id <> ${id}
          and id not in (select id from console_session where actor = ${actor} and is_link = 0 and id <> ${id}
            order by id desc limit ${count - 1})`),
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
