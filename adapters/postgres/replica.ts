import * as Reactivity from "@effect/experimental/Reactivity"
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { PgClient } from "@effect/sql-pg"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { ReplicaState } from "../../core/platform/kernel/index.js"
import { openReplicaPool } from "./pool.js"
import { rowLevelSecurityClient } from "./row-level-security-client.js"

/** A replica that has not replayed within this time what was committed is left out, until it has. */
export const replicaLagMaxMs = 1_000
/** A read waits this long for a replica to replay what was committed before it; then it goes to the primary. */
const readWaitMaxMs = 50
const firstPauseMs = 1
/** Connections to each replica. */
const replicaConnections = 10

/** A position in the log of Postgres, in bytes. */
export type Position = number

interface PositionRow {
  readonly replayed: unknown
}

interface ReplicaRow extends PositionRow {
  readonly system: string
  readonly in_recovery: boolean
}

const howFar = "select pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0') as replayed"
const whichAndHowFar = `${howFar}, pg_is_in_recovery() as in_recovery,
  (select system_identifier::text from pg_control_system()) as system`

/** A connected replica and how far it is. */
export class Replica {
  readonly name: string
  #client: SqlClient | null = null
  #replayed: Position = 0
  #state: ReplicaState["state"] = "away"
  #lagBytes: number | null = null
  #reason: string | null = "not connected yet"

  constructor(private readonly url: string) {
    const { host, pathname } = new URL(url)
    this.name = `${host}${pathname}`
  }

  get state(): ReplicaState {
    return { name: this.name, state: this.#state, lagBytes: this.#lagBytes, reason: this.#reason }
  }

  /** The client; null while it is left out. */
  get client(): SqlClient | null {
    return this.#state === "ready" ? this.#client : null
  }

  leaveOut(state: "behind" | "away", reason: string): void {
    this.#state = state
    this.#reason = reason
    if (state === "away") this.#lagBytes = null
  }

  /** Opens the connections, which last as long as the scope. */
  connect(isBehindWall: boolean): Effect.Effect<void, SqlError, Scope.Scope> {
    return Effect.gen(this, function* () {
      const acquire = openReplicaPool(this.url, replicaConnections, replicaLagMaxMs)
      const client = yield* PgClient.fromPool({ acquire })
      const made = isBehindWall ? yield* rowLevelSecurityClient(client) : client
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          this.#client = made
          this.#replayed = 0
        }),
        () =>
          Effect.sync(() => {
            this.#client = null
          })
      )
    }).pipe(Effect.provide(Reactivity.layer))
  }

  /**
   * Asks how far the replica is. Returns what is wrong with it for as long as it is configured: it is no standby, or that
   * of another database.
   *
   * @param due What the primary had committed a while ago, which is to be replayed by now.
   * @param head What the primary has committed.
   */
  check(system: string, due: Position, head: Position): Effect.Effect<string | null, SqlError> {
    return Effect.map(this.#ask<ReplicaRow>(whichAndHowFar), (row) => {
      if (row === null) return null
      const wrong = !row.in_recovery
        ? "it is no standby"
        : row.system === system
          ? null
          : "it is a standby of another server"
      if (wrong !== null) {
        this.leaveOut("away", wrong)
        return wrong
      }
      this.#lagBytes = Math.max(0, head - this.#replayed)
      if (this.#replayed >= due) {
        this.#state = "ready"
        this.#reason = null
      } else this.leaveOut("behind", `it is more than ${replicaLagMaxMs} ms behind`)
      return null
    })
  }

  /** Waits a moment for the replica to replay up to a position; otherwise it is left out. */
  reaches(position: Position): Effect.Effect<boolean> {
    if (this.#replayed >= position) return Effect.succeed(true)
    const look = (pauseMs: number): Effect.Effect<boolean, SqlError> =>
      Effect.flatMap(this.#ask(howFar), (row) =>
        row === null
          ? Effect.succeed(false)
          : this.#replayed >= position
            ? Effect.succeed(true)
            : Effect.zipRight(Effect.sleep(pauseMs), look(pauseMs * 2))
      )
    return look(firstPauseMs).pipe(
      // To cancel a statement takes seconds when the server does not respond.
      Effect.disconnect,
      Effect.timeoutOption(readWaitMaxMs),
      Effect.map((reached) => {
        if (Option.isNone(reached))
          this.leaveOut("behind", `it was more than ${readWaitMaxMs} ms behind a read`)
        return Option.getOrElse(reached, () => false)
      }),
      Effect.catchAll(() =>
        Effect.sync(() => {
          this.leaveOut("away", "it does not respond")
          return false
        })
      )
    )
  }

  /** The replica's own words; null when it is not connected. Remembers how far it is. */
  #ask<Row extends PositionRow = PositionRow>(statement: string): Effect.Effect<Row | null, SqlError> {
    return Effect.suspend(() => {
      const client = this.#client
      if (client === null) return Effect.succeed(null)
      return Effect.map(client.unsafe<Row>(statement), ([row]) => {
        if (row === undefined) return null
        this.#replayed = Math.max(this.#replayed, Number(row.replayed ?? 0))
        return row
      })
    })
  }
}
