import * as SqlClient from "@effect/sql/SqlClient"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as PubSub from "effect/PubSub"
import * as Queue from "effect/Queue"
import pg from "pg"
import { isOwnerGone } from "../host/process-owner.js"
import { afterCommit } from "../sql/atomic.js"
import { atCoordinator, isDistributed, ofAnEnd, queueChannel } from "../sql/dialect.js"
import { sqlJobStore } from "../sql/platform/jobs/job-store.js"
import { checkedFully } from "./pool.js"

/** Polling interval for changes that were not notified, because of a pooler or a lost connection. */
const pollMs = 1000
/** Number of pending jobs that a poll reads. */
const polledJobsMax = 1000
/** Interval for testing the listening connection. */
const probeMs = 30_000
/** Delay before the listening connection is opened again. */
const reconnectMs = 250
/** Failed attempts before the loss of notifications is logged; a restart takes less time. */
const quietTries = 20
/**
 * Polls without notifications after which all watchers are woken, because they may have missed one during the last
 * poll.
 */
const quietLooks = 3

/**
 * Signals a changed queue between processes by `notify`, sent by the changing statements themselves, so that only
 * committed changes are signalled. One connection of this process listens; in addition, one poll per second for all
 * watchers finds changes without a notification.
 */
const postgresJobSignals = (url: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    // Closing wakes waiting subscribers, so that none waits for ever.
    const news = Effect.acquireRelease(PubSub.sliding<void>(1), PubSub.shutdown)
    const [changes, dueChanges] = [yield* news, yield* news]
    const looks = { watching: 0, seen: "", quiet: 0 }
    const publishAll = Effect.zipRight(
      PubSub.publish(changes, undefined),
      PubSub.publish(dueChanges, undefined)
    )
    const onNotification = (said: string) =>
      Effect.suspend(() => {
        looks.quiet = 0
        return said === ofAnEnd ? PubSub.publish(changes, undefined) : publishAll
      })
    const waiting = Effect.orDie(waitingOf(sql))
    const look = Effect.gen(function* () {
      if (looks.watching === 0) return
      const wasQuiet = looks.quiet
      const queueState = yield* waiting
      // A notification received meanwhile may concern this change. A missed one is caught up with later.
      const isNews = wasQuiet > 0 && looks.quiet === wasQuiet && queueState !== looks.seen
      looks.seen = queueState
      looks.quiet += 1
      if (isNews || looks.quiet === quietLooks) yield* publishAll
    })
    let tries = 0
    const onListening = Effect.zipRight(
      Effect.sync(() => {
        tries = 0
      }),
      publishAll
    )
    const onConnectionLost = (error: Error) =>
      Effect.suspend(() => {
        tries += 1
        // The driver's message contains no password.
        return tries === quietTries
          ? Effect.logWarning(
              `Jobs: nothing can listen for them, so they are looked for once a second: ${error.message}`
            )
          : Effect.void
      })
    yield* Effect.forkScoped(
      Effect.forever(
        Effect.zipRight(
          Effect.catchAll(
            Effect.scoped(listening(url, queueChannel, onNotification, onListening)),
            onConnectionLost
          ),
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
    const changed = isDistributed(sql) ? afterCommit(notifyAll(sql, queueChannel, "")) : Effect.void
    return { changed, watch: watching(changes), watchDue: watching(dueChanges) }
  })

/**
 * Returns a fingerprint of the queue: the first pending jobs, the running ones, and the last finished one, so that a
 * job between two polls is noticed. A different fingerprint is a change.
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
        order by kind, workspace_id, priority, run_at, id limit ${polledJobsMax}) as first`,
    ([row]) => row?.told ?? ""
  )

/**
 * Notifies all who listen on a channel. On a distributed database they listen at the coordinator, and this comes after
 * the unit of work, because a transaction that notifies at another node cannot commit in two phases.
 */
export const notifyAll = (sql: SqlClient.SqlClient, channel: string, said: string): Effect.Effect<void> =>
  // A notification that fails is made up for by looking again; what it tells of is committed.
  Effect.catchAllCause(sql`select pg_notify(${channel}, ${said}) ${atCoordinator(sql)}`, () => Effect.void)

/** Listens on a channel until the connection is lost, and then fails. Subscribers look once when it begins. */
export const listening = (
  url: string,
  channel: string,
  heard: (said: string) => Effect.Effect<unknown>,
  begun: Effect.Effect<unknown>
) =>
  Effect.gen(function* () {
    const connectionLost = yield* Deferred.make<never, Error>()
    const fail = (error: Error) => void Effect.runFork(Deferred.fail(connectionLost, error))
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
    return yield* Effect.raceFirst(Deferred.await(connectionLost), probe)
  })

/** Provides the job queue in a Postgres database, shared by any number of processes and hosts. */
export const postgresJobStore = (url: string) =>
  sqlJobStore({ isOwnerGone, signals: postgresJobSignals(url) })
