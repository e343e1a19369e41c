/** Stores passkeys and their challenges on both databases. */

import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type {
  Invitation,
  InvitationStore,
  Passkey,
  PasskeyStore
} from "../../../../core/platform/identity/index.js"
import type { UserId } from "../../../../core/platform/kernel/index.js"
import { toNumber } from "../../codec.js"
import { columnsOf, json, number, text } from "../../columns.js"
import { done, hasRows, inBatches, readAll, readFirst } from "../../rows.js"
import { roleFromRow } from "./holder-rows.js"

const invitationColumns = columnsOf<Invitation>({
  id: text(),
  role: text(),
  userId: text(),
  createdBy: text(),
  createdAt: text(),
  expiresAt: text(),
  usedAt: text(),
  usedBy: text(),
  revokedAt: text()
})

const invitationFromRow = (row: object): Invitation => {
  const invitation = invitationColumns.read(row)
  return { ...invitation, role: roleFromRow(invitation) }
}

export const invitations: Effect.Effect<InvitationStore, never, SqlClient.SqlClient> = Effect.gen(
  function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      insert: (workspace, invitation, hash) =>
        done(
          sql`insert into invitation ${sql.insert({
            workspace_id: workspace,
            hash,
            ...invitationColumns.write(invitation)
          })}`
        ),
      find: (workspace, hash) =>
        sql<object>`select * from invitation where workspace_id = ${workspace} and hash = ${hash}`.pipe(
          readFirst(invitationFromRow)
        ),
      open: (workspace, at) =>
        sql<object>`select * from invitation where workspace_id = ${workspace} and used_at is null
          and revoked_at is null and expires_at > ${at} order by id desc limit 200`.pipe(
          readAll(invitationFromRow)
        ),
      use: (workspace, hash, { at, user }) =>
        sql`update invitation set used_at = ${at}, used_by = ${user} where workspace_id = ${workspace}
          and hash = ${hash} and used_at is null and revoked_at is null and expires_at > ${at}
          returning id`.pipe(hasRows),
      revoke: (workspace, id, at) =>
        sql`update invitation set revoked_at = ${at} where workspace_id = ${workspace} and id = ${id}
          and used_at is null and revoked_at is null and expires_at > ${at} returning id`.pipe(hasRows)
    }
  }
)

const passkeyColumns = columnsOf<Passkey>({
  id: text(),
  userId: text(),
  publicKey: text(),
  counter: number(),
  transports: json(),
  name: text(),
  createdAt: text(),
  lastUsedAt: text()
})

export const passkeys: Effect.Effect<PasskeyStore, never, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return {
    addChallenge: (hash, expiresAt, at) =>
      done(
        Effect.zipRight(
          sql`delete from passkey_challenge where expires_at <= ${at}`,
          sql`insert into passkey_challenge ${sql.insert({ hash, expires_at: expiresAt })}`
        )
      ),
    takeChallenge: (hash, at) =>
      sql`delete from passkey_challenge where hash = ${hash} and expires_at > ${at} returning hash`.pipe(
        hasRows
      ),
    exist: sql`select 1 from passkey limit 1`.pipe(hasRows),
    insert: (passkey) =>
      sql`insert into passkey ${sql.insert(passkeyColumns.write(passkey))}
          on conflict (id) do nothing returning id`.pipe(hasRows),
    find: (id) => sql<object>`select * from passkey where id = ${id}`.pipe(readFirst(passkeyColumns.read)),
    ofUser: (user) =>
      sql<object>`select * from passkey where user_id = ${user} order by created_at, id`.pipe(
        readAll(passkeyColumns.read)
      ),
    touch: (id, counter, at) =>
      done(sql`update passkey set counter = ${counter}, last_used_at = ${at} where id = ${id}`),
    remove: (user, id) =>
      sql`delete from passkey where user_id = ${user} and id = ${id} returning id`.pipe(hasRows),
    removeOf: (user) => done(sql`delete from passkey where user_id = ${user}`),
    endSessions: (user) => done(sql`delete from console_session where user_id = ${user}`),
    access: (users) =>
      inBatches(
        users,
        (batch) => sql<{
          id: UserId
          passkeys: unknown
          logins: unknown
          last_seen_at: string | null
        }>`select u.id,
            (select count(*) from passkey p where p.user_id = u.id) as passkeys,
            (select count(*) from user_login l where l.user_id = u.id) as logins,
            (select max(s.last_seen_at) from console_session s where s.user_id = u.id) as last_seen_at
          from host_user u where ${sql.in("u.id", batch)}`
      ).pipe(
        Effect.map(
          (rows) =>
            new Map(
              rows.map(({ id, last_seen_at, logins, passkeys }) => [
                id,
                {
                  passkeys: toNumber(passkeys),
                  logins: toNumber(logins),
                  lastSeenAt: last_seen_at
                }
              ])
            )
        ),
        Effect.orDie
      )
  }
})
