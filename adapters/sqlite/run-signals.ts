import * as Effect from "effect/Effect"
import { RunSignals } from "../../core/agents/index.js"
import { serviceLayer } from "../../core/kernel/index.js"
import { makeRunHub } from "../sql/agents/run-hub.js"
import { afterCommit } from "../sql/atomic.js"

/** Signals within this process. Watchers in other processes look again by themselves. */
export const sqliteRunSignals = serviceLayer(
  RunSignals,
  Effect.sync(() => {
    const hub = makeRunHub()
    return {
      changed: (_workspace, run) => afterCommit(hub.publish(run)),
      watch: (_workspace, run) => hub.watch(run)
    }
  })
)
