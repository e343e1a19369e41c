import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { policyOff } from "../../answers/policy/index.js"
import { operations } from "../../operations.js"
import { isStillAdmitted } from "../../platform/identity/index.js"
import { type Caller, KeyId, serviceLayer, type WorkspaceScope } from "../../platform/kernel/index.js"
import { RunGuard } from "../../work/agent-runs/index.js"

/** Most characters of a final text that are checked. */
const checkedChars = 20_000

/** Checks final texts with the operation that checks any text, and whether the key of a run is still valid. */
export const runGuard = serviceLayer(
  RunGuard,
  Effect.gen(function* () {
    const services = yield* Effect.context<
      | Exclude<Effect.Effect.Context<ReturnType<typeof operations.checkGrounding.run>>, Caller>
      | Effect.Effect.Context<ReturnType<typeof isStillAdmitted>>
    >()
    return {
      checkAnswer: ({ docIds, text }) =>
        Effect.gen(function* () {
          const plain = text.replaceAll(/\s?\[S\d+\]/g, "").slice(0, checkedChars)
          const known = operations.checkGrounding.input.safeParse({
            text: plain,
            ...(docIds.length === 0 ? {} : { docIds: docIds.slice(0, 50) })
          })
          if (!known.success) return unchecked
          const report = yield* operations.checkGrounding.run(known.data)
          return {
            claims: report.claims,
            groundedness: report.groundedness,
            policy: report.policy,
            usage: { ...report.usage, costUsd: report.usage.costUsd.toFixed(10) }
          }
        }).pipe(
          // A document that was deleted meanwhile supports no claim.
          Effect.catchAll(() => Effect.succeed(unchecked)),
          Effect.mapInputContext((own: Context.Context<Caller>) => Context.merge(services, own))
        ),
      isAdmitted: (workspace: WorkspaceScope, apiKeyId) => {
        const id = KeyId.safeParse(apiKeyId)
        return id.success
          ? Effect.provide(isStillAdmitted(id.data, workspace), services)
          : Effect.succeed(false)
      }
    }
  })
)

const unchecked = {
  claims: [],
  groundedness: { verified: 0, total: 0 },
  policy: policyOff,
  usage: { inputTokens: 0, outputTokens: 0, costUsd: "0" }
}
