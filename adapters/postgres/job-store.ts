import * as SqlClient from "@effect/sql/SqlClient"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as PubSub from "effect/PubSub"
import * as Queue from "effect/Queue"
import pg from "pg"
import { isOwnerGone } from "../host/process-owner.js"
import { ofAnEnd, queueChannel } from "../sql/dialect.js"
import { sqlJobStore } from "../sql/jobs/job-store.js"
import { checkedFully } from "./pool.js"

/** How often is looked where nothing is heard: what a pooler or a lost connection keeps from it comes that late. */
const pollMs = 1000
/** Waiting jobs that such a look takes in. */
const lookedAtMax = 1000
/** How often the listening connection is asked whether it still hears. */
const probeMs = 30_000
/** How long after its loss the listening connection is made anew. */
const reconnectMs = 250
/** After so many tries in vain the log says that nothing is heard: a restart is over by then. */
const quietTries = 20
/** Looks without a word, after which everybody is woken who may have missed one in the second of the last. */
const quietLooks = 3

/**
 * Signals between processes by `notify`, which the statements send that change the queue, so that nobody hears of what
 * was not stored. One connection of this process listens; beside it one look a second, for all who watch, finds what was
 * not heard.
 */
const postgresJobSignals = (url: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    // Whoever still waits when this ends is told so, and does not wait for ever.
    const news = Effect.acquireRelease(PubSub.sliding<void>(1), PubSub.shutdown)
    const [changes, dueChanges] = [yield* news, yield* news]
    const looks = { watching: 0, seen: "", quiet: 0 }
    const publishAll = Effect.zipRight(
      PubSub.publish(changes, undefined),
      PubSub.publish(dueChanges, undefined)
    )
    const heard = (said: string) =>
      Effect.suspend(() => {
        looks.quiet = 0
        return said === ofAnEnd ? PubSub.publish(changes, undefined) : publishAll
      })
    const waiting = Effect.orDie(waitingOf(sql))
    const look = Effect.gen(function* () {
      if (looks.watching === 0) return
      const wasQuiet = looks.quiet
      const told = yield* waiting
      // What was heard meanwhile may be what has changed. A word that was missed in that second is caught up with later.
      const isNews = wasQuiet > 0 && looks.quiet === wasQuiet && told !== looks.seen
      looks.seen = told
      looks.quiet += 1
      if (isNews || looks.quiet === quietLooks) yield* publishAll
    })
    let tries = 0
    const begun = Effect.zipRight(
      Effect.sync(() => {
        tries = 0
      }),
      publishAll
    )
    const lost = (error: Error) =>
      Effect.suspend(() => {
        tries += 1
        // The driver's own words hold no password.
        return tries === quietTries
          ? Effect.logWarning(
              `Jobs: nothing can listen for them, so they are looked for once a second: ${error.message}`
            )
          : Effect.void
      })
    yield* Effect.forkScoped(
      Effect.forever(
        Effect.zipRight(
          Effect.catchAll(Effect.scoped(listening(url, queueChannel, heard, begun)), lost),
          Effect.sleep(reconnectMs)
        )
      )
    )
    yield* Effect.forkScoped(
      Effect.forever(
        Effect.delay(
          Effect.catchAllCause(look, () => Effect.void),
          pollMs
        )
      )
    )
    const watching = (signals: PubSub.PubSub<void>) =>
      Effect.gen(function* () {
        const subscription = yield* PubSub.subscribe(signals)
        if (looks.watching === 0) {
          looks.seen = yield* waiting
          looks.quiet = 1
        }
        yield* Effect.acquireRelease(
          Effect.sync(() => {
            looks.watching += 1
          }),
          () =>
            Effect.sync(() => {
              looks.watching -= 1
            })
        )
        return Queue.take(subscription)
      })
    return { changed: Effect.void, watch: watching(changes), watchDue: watching(dueChanges) }
  })

/**
 * The first of those that wait, those that run, which are few, and the last that ended, so that a job which came and
 * went between two looks has left a trace: another answer is a change.
 */
const waitingOf = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ told: string }>`select concat(count(*), ' ', max(id), ' ', max(run_at), ' ', (
        select concat(count(*), ' ', min(id), ' ', max(id), ' ', sum(lease_token)) from job where status = 'running'
      ), ' ', (select max(finished_at) from job where status = 'succeeded' and finished_at is not null),
      ' ', (select max(finished_at) from job where status = 'dead' and finished_at is not null),
      ' ', (select max(finished_at) from job where status = 'cancelled' and finished_at is not null),
      ' ', (select min(run_at) from job where status = 'scheduled')) as told from (
      select id, run_at from job where status = 'queued'
        order by kind, workspace_id, priority, run_at, id limit ${lookedAtMax}) as first`,
    ([row]) => row?.told ?? ""
  )

/** Hears a channel until the connection is lost, which it fails with. Whoever waits looks once when it begins. */
export const listening = (
  url: string,
  channel: string,
  heard: (said: string) => Effect.Effect<unknown>,
  begun: Effect.Effect<unknown>
) =>
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
          made.on("notification", ({ payload = "" }) => void Effect.runFork(heard(payload)))
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
    yield* begun
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
  sqlJobStore({ isOwnerGone, signals: postgresJobSignals(url) })
