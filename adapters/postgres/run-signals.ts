import * as SqlClient from "@effect/sql/SqlClient"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

import type { RunSignals } from "../../core/work/agent-runs/index.js"
import { afterCommit } from "../sql/atomic.js"
import { isDistributed } from "../sql/dialect.js"
import { makeRunHub } from "../sql/work/agents/run-hub.js"
import { listening, notifyAll } from "./job-store.js"

/** The channel on which changed runs are told. */
const runChannel = "kanon_run"
/** How long after its loss the listening connection is made anew. */
const reconnectMs = 250

/**
 * Signals between processes by `notify`, sent in the transaction that changes a run, or after it if the database is
 * distributed. The connection that listens is opened for the first who watches; whoever watches looks again by itself
 * where it hears nothing.
 */
export const postgresRunSignals = (
  url: string
): Effect.Effect<RunSignals, never, SqlClient.SqlClient | Scope.Scope> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const hub = makeRunHub()
    const wanted = yield* Deferred.make<void>()
    yield* Effect.forkScoped(
      Effect.zipRight(
        Deferred.await(wanted),
        Effect.forever(
          Effect.zipRight(
            Effect.ignore(Effect.scoped(listening(url, runChannel, hub.publish, hub.publishAll))),
            Effect.sleep(reconnectMs)
          )
        )
      )
    )
    return {
      changed: (_workspace, run) => {
        const notify = notifyAll(sql, runChannel, run)
        const publish = hub.publish(run)
        return isDistributed(sql)
          ? afterCommit(Effect.zipRight(publish, notify))
          : Effect.zipRight(afterCommit(publish), notify)
      },
      watch: (_workspace, run) => Effect.zipRight(Deferred.succeed(wanted, undefined), hub.watch(run))
    }
  })
