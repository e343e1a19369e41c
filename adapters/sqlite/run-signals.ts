import * as Effect from "effect/Effect"

import type { RunSignals } from "../../core/work/agent-runs/index.js"
import { afterCommit } from "../sql/atomic.js"
import { makeRunHub } from "../sql/work/agents/run-hub.js"

/** Signals within this process. Watchers in other processes look again by themselves. */
export const sqliteRunSignals: Effect.Effect<RunSignals> = Effect.sync(() => {
  const hub = makeRunHub()
  return {
    changed: (_workspace, run) => afterCommit(hub.publish(run)),
    watch: (_workspace, run) => hub.watch(run)
  }
})
