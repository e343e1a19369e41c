import * as SqlClient from "@effect/sql/SqlClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { WorkspaceInForce } from "../sql/workspace-in-force.js"
import { pooled } from "./client.js"
import { isRowLevelSecurityActive, rowLevelSecurityClient } from "./row-level-security-client.js"

/**
 * Opens a snapshot reader: its own connection with an open transaction, which sees the moment of its first read, does
 * not wait for writers and does not block them. Under row-level security it sees the workspace it was created for.
 */
export const snapshotOf = (url: string) => () =>
  Effect.gen(function* () {
    const client = Context.get(yield* Layer.build(pooled({ url, connectionsMax: 1 })), SqlClient.SqlClient)
    const inForce = Option.getOrUndefined(yield* Effect.serviceOption(WorkspaceInForce))
    const sql = (yield* isRowLevelSecurityActive(client))
      ? yield* rowLevelSecurityClient(client, inForce)
      : client
    yield* sql`begin isolation level repeatable read read only`
    yield* sql`select count(*) from workspace`
    return sql
  }).pipe(Effect.orDie)
