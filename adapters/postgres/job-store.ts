import * as SqlClient from "@effect/sql/SqlClient"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import * as Queue from "effect/Queue"
import pg from "pg"
import { isOwnerGone } from "../host/process-owner.js"
import { JobSignals } from "../sql/job-signals.js"
import { sqlJobStore } from "../sql/job-store.js"
import { checkedFully } from "./pool.js"

const channel = "kanon_job"

/** How often a watcher looks by itself: what a pooler or a lost connection keeps from being heard comes that late. */
const pollMs = 1000
/** Waiting jobs that such a look takes in. */
const lookedAtMax = 1000
/** How often the listening connection is asked whether it still hears. */
const probeMs = 30_000
/** How long after its loss the listening connection is made anew. */
const reconnectMs = 250

/**
 * Signals between processes by `notify`, sent within the transaction that changes the queue, so that nobody hears of
 * what was not stored. One connection of this process listens; while it cannot, everybody looks once a second.
 */
const postgresJobSignals = (url: string) =>
  Layer.scoped(
    JobSignals,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const changes = yield* PubSub.sliding<void>(1)
      const publish = Effect.asVoid(PubSub.publish(changes, undefined))
      yield* Effect.forkScoped(
        Effect.forever(
          Effect.zipRight(Effect.ignore(Effect.scoped(listening(url, publish))), Effect.sleep(reconnectMs))
        )
      )
      // The first of those that wait, and those that run, which are few: another answer is a change that was not heard.
      const waiting = Effect.map(
        Effect.orDie(
          sql<{ told: string }>`select concat(count(*), ' ', max(id), ' ', max(run_at), ' ', (
              select concat(count(*), ' ', min(id), ' ', max(id), ' ', sum(lease_token)) from job where status = 'running'
            )) as told from (
            select id, run_at from job where status = 'queued'
              order by kind, workspace_id, priority, run_at, id limit ${lookedAtMax}) as first`
        ),
        ([row]) => row?.told
      )
      const watch = Effect.gen(function* () {
        const signals = yield* PubSub.subscribe(changes)
        let seen = yield* waiting
        const unheard = Effect.gen(function* () {
          for (;;) {
            yield* Effect.sleep(pollMs)
            if ((yield* waiting) !== seen) return
          }
        })
        return Effect.zipRight(
          Effect.raceFirst(Queue.take(signals), unheard),
          Effect.map(waiting, (told) => {
            seen = told
          })
        )
      })
      return { changed: Effect.orDie(Effect.asVoid(sql`select pg_notify(${channel}, '')`)), watch }
    })
  )

/** Hears until the connection is lost, which it fails with. Whoever waits looks once when it begins. */
const listening = (url: string, heard: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const lost = yield* Deferred.make<never, Error>()
    const fail = (error: Error) => void Effect.runFork(Deferred.fail(lost, error))
    const client = yield* Effect.acquireRelease(
      Effect.tryPromise({
        try: async () => {
          const made = new pg.Client({
            connectionString: checkedFully(url),
            application_name: "kanon listening",
            keepAlive: true
          })
          made.on("error", fail)
          made.on("end", () => fail(new Error("The connection has ended.")))
          made.on("notification", () => void Effect.runFork(heard))
          await made.connect()
          return made
        },
        catch: (cause) => (cause instanceof Error ? cause : new Error(String(cause)))
      }),
      (made) => Effect.promise(() => made.end().catch(() => {}))
    )
    const ask = (text: string) =>
      Effect.tryPromise({
        try: () => client.query(text),
        catch: (cause) => (cause instanceof Error ? cause : new Error(String(cause)))
      })
    yield* ask(`listen ${channel}`)
    yield* heard
    const probe = Effect.forever(
      Effect.delay(
        Effect.timeoutFail(ask("select 1"), { duration: pollMs * 10, onTimeout: () => new Error("deaf") }),
        probeMs
      )
    )
    return yield* Effect.raceFirst(Deferred.await(lost), probe)
  })

/** The queue in a Postgres database that any number of processes on any number of hosts share. */
export const postgresJobStore = (url: string) =>
  Layer.provide(sqlJobStore({ isOwnerGone }), postgresJobSignals(url))
