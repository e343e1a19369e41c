import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { RunStore } from "../agent-runs/index.js"
import { atomically, Caller, now, SpendCapExceeded } from "../kernel/index.js"
import { modelsFor, monthOf, parseUsd } from "../models/index.js"
import { WorkspaceStore } from "../workspace/index.js"

/**
 * Fails with SpendCapExceeded when asking would use a model that has a price and the month's cap is reached. Evaluation
 * runs and agents share the cap and the amount spent. A judge does not tell its price, so it counts as having one.
 */
export const refuseAtSpendCap = Effect.gen(function* () {
  const { workspace } = yield* Caller
  const { settings } = yield* (yield* WorkspaceStore).get(workspace)
  const { chat, judge } = yield* modelsFor(workspace, settings.models)
  const isPriced = Option.isSome(judge) || Option.exists(chat, ({ costOf }) => costOf !== undefined)
  if (!isPriced) return
  const { reservedUsd, spentUsd } = yield* (yield* RunStore).spend(workspace, monthOf(yield* now))
  const capUsd = settings.caps.agentSpendUsd
  if (parseUsd(spentUsd) + parseUsd(reservedUsd) >= parseUsd(capUsd))
    return yield* new SpendCapExceeded({ capUsd })
})

/** Adds the cost of a question to the month's spend. */
export const countSpend = (costUsd: string) =>
  costUsd === "0"
    ? Effect.void
    : Effect.gen(function* () {
        const [store, { workspace }, at] = [yield* RunStore, yield* Caller, yield* now]
        yield* atomically(store.addSpend(workspace, monthOf(at), { spentUsd: costUsd, reservedUsd: "0" }))
      })
