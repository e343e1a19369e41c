import { BroadcastChannel } from "node:worker_threads"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as PubSub from "effect/PubSub"
import * as Queue from "effect/Queue"
import { isOwnerGone } from "../host/process-owner.js"
import { afterCommit } from "../sql/atomic.js"
import { sqlJobStore } from "../sql/platform/jobs/job-store.js"

const inMemory = ":memory:"

/** Polling interval for commits of other processes; a poll takes some microseconds. */
const pollMs = 250

/**
 * Signals a changed queue: within this process, including threads, by a message after the commit; to other processes
 * by polling the data version.
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

/** Connects to the threads of this process that use the same database; returns the function that signals them. */
const otherThreads = (filename: string, heard: Effect.Effect<unknown>) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const channel = new BroadcastChannel(`kanon jobs ${filename}`)
        channel.onmessage = () => Effect.runFork(heard)
        // The channel must not keep the process alive.
        channel.unref()
        return channel
      }),
      (channel) => Effect.sync(() => channel.close())
    ),
    (channel) => Effect.sync(() => channel.postMessage(null))
  )

/** Provides the job queue in a SQLite file (or `:memory:`) that threads and processes of one host may share. */
export const sqliteJobStore = (filename: string) =>
  sqlJobStore({ isOwnerGone, signals: sqliteJobSignals(filename) })
