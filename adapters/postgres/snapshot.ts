import * as SqlClient from "@effect/sql/SqlClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { WorkspaceInForce } from "../sql/workspace-in-force.js"
import { pooled } from "./client.js"
import { isRowLevelSecurityActive, rowLevelSecurityClient } from "./row-level-security-client.js"

/**
 * A reader with a connection of its own, on which one transaction stays open: it sees the moment of its first look,
 * and neither waits for a writer nor makes one wait. Where workspaces are walled off, it sees the one for which it was made.
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
