import * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import { IdentityStore } from "../../../../core/platform/identity/index.js"
import {
  type KeyId,
  serviceLayer,
  type UserId,
  type WorkspaceId
} from "../../../../core/platform/kernel/index.js"
import { readableOf } from "../../codec.js"
import { dialect } from "../../dialect.js"
import { done, hasRows, inBatches, insertRows, readFirst, readPage, readReadable } from "../../rows.js"
import { clientTokens } from "./client-token-store.js"
import {
  type KeyRow,
  keyFromRow,
  keyRemains,
  keyToRow,
  memberFromRow,
  roleFromRow,
  type UserRow,
  userColumns,
  userFromRow
} from "./holder-rows.js"
import { invitations, passkeys } from "./passkey-store.js"
import { sessions } from "./session-store.js"

/** Stores users, memberships, keys and sessions in SQL. */
export const sqlIdentityStore = serviceLayer(
  IdentityStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { joinedTexts } = dialect(sql)
    const columns = sql.literal(
      "k.id, k.kind, k.name, k.prefix, k.scopes, k.reaches_all, k.user_id, k.created_at, k.created_by, k.last_used_at, k.expires_at, k.revoked_at, k.replaced_by, k.access"
    )
    const withGrants = (rows: ReadonlyArray<KeyRow>) =>
      Effect.gen(function* () {
        const grants = yield* inBatches(
          rows.map(({ id }) => id),
          (ids) =>
            sql<{
              key_id: KeyId
              workspace_id: WorkspaceId
            }>`select key_id, workspace_id from key_grant where ${sql.in("key_id", [...ids])} order by workspace_id`
        )
        return yield* readableOf(rows, "keys", (row) =>
          keyFromRow(
            row,
            grants.filter(({ key_id }) => key_id === row.id).map(({ workspace_id }) => workspace_id)
          )
        )
      })
    // A single statement, because every call runs it.
    const theKey = <Said>(
      where: Fragment,
      read: (row: KeyRow, grants: ReadonlyArray<string>) => Said
    ): Effect.Effect<Option.Option<Said>> =>
      sql<KeyRow & { readonly grants: string | null }>`select ${columns},
          (select ${joinedTexts("workspace_id")} from key_grant where key_id = k.id) as grants
        from api_key k where ${where}`.pipe(
        readFirst((row) => read(row, row.grants?.split(",").sort() ?? []))
      )
    return {
      sessions: yield* sessions,
      clientTokens: yield* clientTokens,
      invitations: yield* invitations,
      passkeys: yield* passkeys,
      keyByHash: (hash) => theKey(sql`k.hash = ${hash}`, keyFromRow),
      key: (id) => theKey(sql`k.id = ${id}`, keyFromRow),
      keyRemains: (id) => theKey(sql`k.id = ${id}`, keyRemains),
      insertKey: (key, hash) =>
        Effect.gen(function* () {
          yield* sql`insert into api_key ${sql.insert({ ...keyToRow(key), hash })}`
          yield* insertRows(
            sql,
            "key_grant",
            (key.grant === "all" ? [] : key.grant).map((workspace) => ({
              workspace_id: workspace,
              key_id: key.id
            }))
          )
        }).pipe(Effect.orDie),
      endKey: (id, { expiresAt, replacedBy, revokedAt }) =>
        sql`update api_key set revoked_at = ${revokedAt}, expires_at = ${expiresAt}, replaced_by = ${replacedBy}
          where id = ${id} and revoked_at is null
            and ${revokedAt === null ? sql`replaced_by is null` : sql`1 = 1`}
          returning id`.pipe(hasRows),
      touchKey: (id, at) =>
        done(sql`update api_key set last_used_at = ${at}
          where id = ${id} and (last_used_at is null or last_used_at < ${at})`),
      keysOf: (workspace) =>
        sql<KeyRow>`select ${columns} from key_grant g join api_key k on k.id = g.key_id
          where g.workspace_id = ${workspace} and k.kind = 'workspace' order by k.id desc`.pipe(
          Effect.flatMap(withGrants),
          Effect.orDie
        ),
      replaceKey: (key) =>
        done(sql`update api_key set ${sql.update(keyToRow(key), ["id"])} where id = ${key.id}`),
      allKeys: sql<KeyRow>`select ${columns} from api_key k order by k.id desc`.pipe(
        Effect.flatMap(withGrants),
        Effect.orDie
      ),
      insertUser: (user) => done(sql`insert into host_user ${sql.insert(userColumns.write(user))}`),
      user: (id) =>
        sql<UserRow>`select id, display_name, created_at from host_user where id = ${id}`.pipe(
          readFirst(userFromRow)
        ),
      users: sql<UserRow>`select id, display_name, created_at from host_user order by id`.pipe(
        readReadable("users", userFromRow)
      ),
      putMember: (workspace, user, role, at) =>
        done(sql`insert into membership
          ${sql.insert({ workspace_id: workspace, user_id: user, role, created_at: at })}
          on conflict (workspace_id, user_id) do update set role = excluded.role`),
      removeMember: (workspace, user) =>
        sql`delete from membership where workspace_id = ${workspace} and user_id = ${user} returning user_id`.pipe(
          hasRows
        ),
      role: (workspace, user) =>
        sql<{
          role: string
        }>`select role from membership where workspace_id = ${workspace} and user_id = ${user}`.pipe(
          readFirst(roleFromRow)
        ),
      memberEmails: (workspace) =>
        sql<{ email: string; id: UserId }>`select u.email, u.id from membership m
          join host_user u on u.id = m.user_id
          where m.workspace_id = ${workspace} and u.email is not null`.pipe(
          Effect.map((rows) => new Map(rows.map(({ email, id }) => [email, id]))),
          Effect.orDie
        ),
      members: (workspace, page, role) =>
        readPage(sql, page, {
          select: sql.literal("u.id, u.display_name, u.created_at, m.role, m.created_at as since"),
          from: sql`membership m join host_user u on u.id = m.user_id where ${sql.and([
            sql`m.workspace_id = ${workspace}`,
            ...(role === undefined ? [] : [sql`m.role = ${role}`])
          ])}`,
          order: sql`u.display_name, u.id`,
          read: memberFromRow,
          what: "members"
        })
    }
  })
)
