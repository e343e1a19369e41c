import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import * as Queue from "effect/Queue"
import { isOwnerGone } from "../host/process-owner.js"
import { JobSignals } from "../sql/job-signals.js"
import { sqlJobStore } from "../sql/job-store.js"

/** How often a watcher looks for commits of other processes; a look costs some microseconds. */
const pollMs = 250

/**
 * Inside this process a signal, for other processes a look at the number that rises with each commit of
 * another connection. A signal is given before its transaction commits, yet nobody who wakes by it can look
 * too early: all statements of a process share one connection, which the transaction holds to its end.
 */
const sqliteJobSignals = Layer.effect(
  JobSignals,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const changes = yield* PubSub.sliding<void>(1)
    const version = Effect.map(
      Effect.orDie(sql<{ data_version: number }>`pragma data_version`),
      (rows) => rows[0]?.data_version
    )
    const watch = Effect.gen(function* () {
      const signals = yield* PubSub.subscribe(changes)
      let seen = yield* version
      const foreignCommit = Effect.gen(function* () {
        for (;;) {
          yield* Effect.sleep(pollMs)
          const current = yield* version
          if (current === seen) continue
          seen = current
          return
        }
      })
      return Effect.raceFirst(Queue.take(signals), foreignCommit)
    })
    return { changed: Effect.asVoid(PubSub.publish(changes, undefined)), watch }
  })
)

/** The queue in a SQLite file that several processes of one host may share. */
export const sqliteJobStore = Layer.provide(sqlJobStore({ isOwnerGone }), sqliteJobSignals)
