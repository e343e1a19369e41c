import * as Effect from "effect/Effect"
import { type Handler, jobKinds } from "../../platform/jobs/index.js"
import { RunId } from "../../platform/kernel/index.js"
import { driveRun } from "../agent-runs/index.js"
import { expireApprovals } from "./runs.js"
import { handOffRuns } from "./start.js"

/** Runs at once in one process: they mostly wait for models. */
const runSlots = 8

/** Works on one run. */
export const runHandler: Handler<Effect.Effect.Context<ReturnType<typeof driveRun>>> = {
  kind: jobKinds.agentRun,
  slots: runSlots,
  run: ({ subjectId }) => {
    const id = RunId.safeParse(subjectId)
    return id.success ? driveRun(id.data) : Effect.void
  }
}

/** Comes by itself: finds runs that nobody works on, and ends those whose approval has expired. */
export const reconcileHandler: Handler<
  Effect.Effect.Context<typeof handOffRuns> | Effect.Effect.Context<typeof expireApprovals>
> = {
  kind: jobKinds.agentRuns,
  slots: 1,
  run: () => Effect.zipRight(expireApprovals, handOffRuns)
}
