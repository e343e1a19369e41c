import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { z } from "zod"
import {
  type ClientToken,
  type ClientTokenStore,
  KeyScope
} from "../../../../core/platform/identity/index.js"
import { KeyId, SessionId, Timestamp, UserId } from "../../../../core/platform/kernel/index.js"
import { ofShape } from "../../codec.js"
import { columnsOf, json, text } from "../../columns.js"
import { done, hasRows, readFirst } from "../../rows.js"

/** Columns of the table `client_token`. */
const columns = columnsOf<ClientToken>({
  kind: text(),
  sessionId: text(),
  bound: json(),
  expiresAt: text(),
  usedAt: text()
})

/** Valid fields of a secret; one with other values opens nothing. */
const Whole = z.object({
  kind: z.enum(["code", "access", "refresh"]),
  sessionId: SessionId.nullable(),
  bound: z.object({
    clientId: z.string(),
    clientName: z.string().exactOptional(),
    redirectUri: z.string().exactOptional(),
    challenge: z.string().exactOptional(),
    scopes: z.array(KeyScope).exactOptional(),
    actor: z.string().exactOptional(),
    userId: UserId.nullable().exactOptional(),
    keyId: KeyId.nullable().exactOptional()
  }),
  expiresAt: Timestamp,
  usedAt: Timestamp.nullable()
})

export const clientTokens: Effect.Effect<ClientTokenStore, never, SqlClient.SqlClient> = Effect.gen(
  function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      insert: (workspace, token, hash) =>
        done(
          sql`insert into client_token ${sql.insert({ workspace_id: workspace, hash, ...columns.write(token) })}`
        ),
      find: (workspace, hash) =>
        sql<object>`select * from client_token where workspace_id = ${workspace} and hash = ${hash}`.pipe(
          readFirst((row): ClientToken => ofShape(Whole, "a token", columns.read(row)))
        ),
      use: (workspace, hash, at) =>
        sql`update client_token set used_at = ${at}
          where workspace_id = ${workspace} and hash = ${hash} and used_at is null returning hash`.pipe(
          hasRows
        ),
      bind: (workspace, hash, session) =>
        done(sql`update client_token set session_id = ${session}
          where workspace_id = ${workspace} and hash = ${hash}`),
      removeOf: (workspace, session) =>
        done(sql`delete from client_token where workspace_id = ${workspace} and session_id = ${session}`),
      prune: (workspace, before) =>
        done(sql`delete from client_token where workspace_id = ${workspace} and expires_at < ${before}`)
    }
  }
)
