import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import {
  countEvent,
  DataUnreadable,
  type ReadReplicas,
  watchGauge
} from "../../core/platform/kernel/index.js"
import { isAway, isClash, isReadOnly } from "./connection-loss.js"
import { type Position, Replica, replicaLagMaxMs } from "./replica.js"

/** The replica of the running operation, chosen at its first read; null for the primary. */
class ReplicaChoice extends Context.Tag("kanon/postgres/ReplicaChoice")<
  ReplicaChoice,
  { readonly choice: Effect.Effect<Replica | null>; isLost: boolean }
>() {}

/** Set within the methods of ports that may read at a replica. */
export class MayReadReplica extends Context.Tag("kanon/postgres/MayReadReplica")<MayReadReplica, true>() {}

/** How long the start waits to learn whether a replica is one of this database; it is followed in either case. */
const startMaxMs = 5_000

interface PrimaryRow {
  readonly system: string
  readonly head: unknown
}

/**
 * How far the primary has committed. A commit that does not wait for the disk is told before it is flushed, and then only
 * the insert position is beyond it. Null where the primary itself is a standby.
 */
const headOfPrimary = `select case when pg_is_in_recovery() then null
    when current_setting('synchronous_commit') = 'off' then pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')
    else pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0') end as head`
/** The same with the identity of the server, which is read from its disk. */
const primaryItself = `${headOfPrimary}, (select system_identifier::text from pg_control_system()) as system`

/**
 * The replicas of a process. Every operation that changes nothing asks the primary once how far it has committed, and
 * reads at a replica that has replayed this much: whatever was acknowledged before the operation, by any process, is
 * seen.
 */
export class Replicas {
  readonly #replicas: ReadonlyArray<Replica>
  #head: Effect.Effect<Position | null> = Effect.succeed(null)
  #next = 0

  constructor(urls: ReadonlyArray<string>) {
    this.#replicas = urls.map((url) => new Replica(url))
  }

  /** The service for `ReadReplicas`. */
  get service(): ReadReplicas["Type"] {
    return {
      states: () => this.#replicas.map(({ state }) => state),
      within: (work) =>
        Effect.flatMap(
          // A fiber of its own, so that a caller that is interrupted does not end the choice for the others.
          Effect.cached(Effect.forkDaemon(this.#choose)),
          (chosen) =>
            Effect.provideService(work, ReplicaChoice, {
              choice: Effect.flatMap(chosen, Fiber.join),
              isLost: false
            })
        )
    }
  }

  /** Connects to the replicas and follows them as long as the scope is open. Does nothing without any. */
  open(primary: SqlClient, isBehindWall: boolean): Effect.Effect<void, SqlError, Scope.Scope> {
    if (this.#replicas.length === 0) return Effect.void
    return Effect.gen(this, function* () {
      yield* refuseDistributed(primary)
      const look = Effect.map(primary.unsafe<PrimaryRow>(primaryItself), ([row]) => ({
        system: row?.system ?? "",
        head: positionIn(row)
      }))
      this.#head = yield* shared(
        primary.unsafe<Pick<PrimaryRow, "head">>(headOfPrimary).pipe(
          Effect.map(([row]) => positionIn(row)),
          Effect.catchAll(() => Effect.succeed(null))
        )
      )
      const { head, system } = yield* look
      for (const replica of this.#replicas) {
        const { name } = replica
        yield* watchGauge("kanon_database_replica_ready", { replica: name }, () =>
          replica.client === null ? 0 : 1
        )
        yield* watchGauge(
          "kanon_database_replica_lag_bytes",
          { replica: name },
          () => replica.state.lagBytes ?? 0
        )
        const wrong = yield* Effect.scoped(
          Effect.zipRight(replica.connect(isBehindWall), replica.check(system, head ?? 0, head ?? 0))
        ).pipe(
          Effect.disconnect,
          Effect.timeoutOption(startMaxMs),
          Effect.map(Option.getOrNull),
          Effect.catchAll(() => Effect.succeed(null))
        )
        if (wrong !== null)
          yield* Effect.die(
            new DataUnreadable({
              message: `The replica ${name} cannot be read: ${wrong}. KANON_DATABASE_READ_URL takes streaming standbys of the database.`
            })
          )
        yield* Effect.forkScoped(followed(replica, look, isBehindWall))
      }
    })
  }

  get #choose(): Effect.Effect<Replica | null> {
    return Effect.gen(this, function* () {
      const ready = this.#replicas.filter(({ client }) => client !== null)
      const replica = ready[this.#next++ % Math.max(1, ready.length)]
      const head = replica === undefined ? null : yield* this.#head
      const chosen = replica !== undefined && head !== null && (yield* replica.reaches(head)) ? replica : null
      yield* countEvent("kanon_database_reads_total", { server: chosen?.name ?? "primary" })
      return chosen
    })
  }
}

const positionIn = (row: Pick<PrimaryRow, "head"> | undefined): Position | null =>
  row === undefined || row.head === null ? null : Number(row.head)

/** Follows a replica: connects, asks once a second, and connects anew after it was lost. */
const followed = (
  replica: Replica,
  look: Effect.Effect<{ readonly system: string; readonly head: Position | null }, SqlError>,
  isBehindWall: boolean
): Effect.Effect<never> => {
  let due: Position | null = null
  let reportedReason: string | null = null
  const tell = Effect.suspend(() => {
    const { name, reason } = replica.state
    if (reason === reportedReason) return Effect.void
    reportedReason = reason
    return reason === null
      ? Effect.logInfo(`Reads: the replica ${name} is read.`)
      : Effect.logWarning(`Reads: the replica ${name} is left out: ${reason}.`)
  })
  const round = Effect.gen(function* () {
    const primary = yield* Effect.option(look)
    // Without the primary nobody knows whether the replica is behind; reads ask it themselves.
    if (Option.isNone(primary)) return
    const { head, system } = primary.value
    if (head === null) return replica.leaveOut("away", "the database beside it is a standby itself")
    yield* Effect.timeoutFail(Effect.disconnect(replica.check(system, due ?? head, head)), {
      duration: replicaLagMaxMs,
      onTimeout: () => "no answer"
    })
    due = head
  })
  const life = Effect.scoped(
    Effect.zipRight(
      replica.connect(isBehindWall),
      Effect.forever(Effect.zipRight(Effect.zipRight(round, tell), Effect.sleep(replicaLagMaxMs)))
    )
  )
  return Effect.forever(
    life.pipe(
      Effect.catchAll(() => Effect.sync(() => replica.leaveOut("away", "it does not respond"))),
      Effect.zipRight(tell),
      Effect.zipRight(Effect.sleep(replicaLagMaxMs))
    )
  )
}

/** Shares one pending call: callers that arrive while a call runs all get the result of the next one. */
const shared = <A>(ask: Effect.Effect<A>): Effect.Effect<Effect.Effect<A>> =>
  Effect.map(Effect.makeSemaphore(1), (turn) => {
    let next: Deferred.Deferred<A> | null = null
    return Effect.gen(function* () {
      if (next !== null) return yield* Deferred.await(next)
      const mine = yield* Deferred.make<A>()
      next = mine
      const onConnected = Effect.sync(() => {
        next = null
      })
      yield* Effect.forkDaemon(
        turn.withPermits(1)(Effect.zipRight(onConnected, Effect.intoDeferred(ask, mine)))
      )
      return yield* Deferred.await(mine)
    })
  })

/** Fails where tables are spread over nodes: the position of one server says nothing of the others. */
const refuseDistributed = (primary: SqlClient) =>
  Effect.gen(function* () {
    const [found] = yield* primary.unsafe<{ name: string | null }>(
      "select to_regclass('pg_dist_partition')::text as name"
    )
    if (typeof found?.name !== "string") return
    const [distributed] = yield* primary.unsafe("select 1 from pg_dist_partition limit 1")
    if (distributed !== undefined)
      yield* Effect.die(
        new DataUnreadable({
          message:
            "KANON_DATABASE_READ_URL is not for a distributed database: unset it, and let servers connect to any node."
        })
      )
  })

/** Matches statements that a standby refuses, or whose effect is wanted at the primary, although they begin as reads. */
const changes =
  /\b(insert|update|delete|pg_notify|nextval|setval|pg_advisory\w*|for (update|share|no key update|key share)|kanon_nearest_(put|drop|build|hold))\b/i
/** Returns whether a standby can run a statement. */
const isStandbyRead = (text: string): boolean => /^\s*(select|with)\b/i.test(text) && !changes.test(text)

/**
 * Sends a statement to the replica of the running operation, if it has one and may, else to the primary. When the
 * replica is lost, the rest of the operation is read at the primary: its rows are never older than the content stamp
 * that was read at the replica.
 */
export const readAtReplica = <A>(
  text: string,
  ask: (client: SqlClient) => Effect.Effect<A, SqlError>,
  atPrimary: Effect.Effect<A, SqlError>
): Effect.Effect<A, SqlError> =>
  Effect.withFiberRuntime(({ currentContext }) => {
    const chosen = Context.getOption(currentContext, ReplicaChoice)
    if (Option.isNone(chosen) || Option.isNone(Context.getOption(currentContext, MayReadReplica)))
      return atPrimary
    const { value: operation } = chosen
    if (operation.isLost || !isStandbyRead(text)) return atPrimary
    return Effect.flatMap(operation.choice, (replica) => {
      const client = replica?.client ?? null
      if (replica === null || client === null) {
        operation.isLost = true
        return atPrimary
      }
      return Effect.catchAll(ask(client), (error) => {
        if (!(isAway(error) || isClash(error) || isReadOnly(error))) return Effect.fail(error)
        operation.isLost = true
        // A statement in the way of the replay is ended by the replica, which is well.
        if (!isClash(error)) replica.leaveOut("away", "it does not respond")
        return atPrimary
      })
    })
  })
