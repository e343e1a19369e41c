import * as SqlClient from "@effect/sql/SqlClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { pooled } from "./client.js"

/**
 * A reader with a connection of its own, on which one transaction stays open: it sees the moment of its first look,
 * and neither waits for a writer nor makes one wait.
 */
export const snapshotOf = (url: string) => () =>
  Effect.gen(function* () {
    const sql = Context.get(yield* Layer.build(pooled({ url, connectionsMax: 1 })), SqlClient.SqlClient)
    yield* sql`begin isolation level repeatable read read only`
    yield* sql`select count(*) from workspace`
    return sql
  }).pipe(Effect.orDie)
