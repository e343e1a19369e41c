import { BroadcastChannel } from "node:worker_threads"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as PubSub from "effect/PubSub"
import * as Queue from "effect/Queue"
import { isOwnerGone } from "../host/process-owner.js"
import { afterCommit } from "../sql/after-commit.js"
import { sqlJobStore } from "../sql/jobs/job-store.js"

const inMemory = ":memory:"

/** How often a watcher looks for commits of other processes; a look costs some microseconds. */
const pollMs = 250

/**
 * Inside this process, whatever the thread, a signal after the commit; for other processes a look at the number
 * that rises with each commit of another connection.
 */
const sqliteJobSignals = (filename: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const changes = yield* PubSub.sliding<void>(1)
    const publish = Effect.asVoid(PubSub.publish(changes, undefined))
    const tellThreads = filename === inMemory ? Effect.void : yield* otherThreads(filename, publish)
    const changed = Effect.zipRight(publish, tellThreads)
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
    return { changed: afterCommit(changed), watch, watchDue: watch }
  })

/** Joins the threads of this process that have the same database open; gives what tells them of a change. */
const otherThreads = (filename: string, heard: Effect.Effect<unknown>) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const channel = new BroadcastChannel(`kanon jobs ${filename}`)
        channel.onmessage = () => Effect.runFork(heard)
        // Nobody's process shall live on for it.
        channel.unref()
        return channel
      }),
      (channel) => Effect.sync(() => channel.close())
    ),
    (channel) => Effect.sync(() => channel.postMessage(null))
  )

/** The queue in a SQLite file (or `:memory:`) that threads and processes of one host may share. */
export const sqliteJobStore = (filename: string) =>
  sqlJobStore({ isOwnerGone, signals: sqliteJobSignals(filename) })
