import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { markersIn, safeProse } from "../../answers/generation/index.js"
import { policyOff } from "../../answers/policy/index.js"
import { operations } from "../../operations.js"
import { withView } from "../../platform/access/index.js"
import { callerReading, IdentityStore, rightsOfKey, rightsOfMember } from "../../platform/identity/index.js"
import { type Caller, KeyId, serviceLayer, UserId } from "../../platform/kernel/index.js"
import { RunGuard } from "../../work/agent-runs/index.js"

/** Most characters of a final text that are checked. */
const checkedChars = 20_000

/** A marker of a source in brackets of another script, as some models write it. */
const wideMarker = /[［【〔⟦]\s*(S\d{1,6}(?:\s*[,;]\s*S\d{1,6})*)\s*[］】〕⟧]/gu

/** Checks final texts with the operation that checks any text, and looks up the present rights of a run's starter. */
export const runGuard = serviceLayer(
  RunGuard,
  Effect.gen(function* () {
    const services = yield* Effect.context<
      | Exclude<Effect.Effect.Context<ReturnType<typeof operations.checkGrounding.run>>, Caller>
      | Exclude<Effect.Effect.Context<ReturnType<typeof operations.getChunk.run>>, Caller>
      | Effect.Effect.Context<ReturnType<typeof rightsOfKey>>
      | Effect.Effect.Context<ReturnType<typeof callerReading>>
    >()
    return {
      safeText: (text, sources) =>
        Effect.gen(function* () {
          const marked = text.replace(wideMarker, "[$1]")
          const ids = markersIn(marked)
          const cited = sources.filter((_, at) => ids.includes(`S${at + 1}`))
          const passages = yield* Effect.forEach(cited, ({ chunkId }) =>
            Effect.option(
              Effect.flatMap(
                Effect.try(() => operations.getChunk.input.parse({ id: chunkId })),
                operations.getChunk.run
              )
            )
          )
          return safeProse(marked, {
            registry: new Set(sources.map((_, at) => `S${at + 1}`)),
            evidenceTexts: passages.flatMap((passage) =>
              Option.isSome(passage) ? [passage.value.text] : []
            ),
            boundary: ""
          })
        }).pipe(Effect.mapInputContext((own: Context.Context<Caller>) => Context.merge(services, own))),
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
      reading: ({ actor, apiKeyId, principals }, caller) =>
        Effect.gen(function* () {
          const [keyId, userId] = [KeyId.safeParse(apiKeyId).data, UserId.safeParse(actor).data ?? null]
          const key = keyId === undefined ? null : Option.getOrNull(yield* (yield* IdentityStore).key(keyId))
          if (key !== null || userId !== null) return yield* callerReading(caller, { key, userId })
          // A key that is gone reads nothing that has readers; its run ends at the next look.
          const own = principals ?? (keyId === undefined ? undefined : [])
          return yield* withView(own === undefined ? caller : { ...caller, principals: own })
        }).pipe(Effect.provide(services)),
      rights: (workspace, { actor, apiKeyId, scopes }) =>
        Effect.gen(function* () {
          const [key, member] = [KeyId.safeParse(apiKeyId).data, UserId.safeParse(actor).data]
          // The host's own callers have every right.
          if (apiKeyId === null && (scopes === null || member === undefined)) return Option.some(scopes)
          const rights =
            key !== undefined
              ? yield* rightsOfKey(key, workspace)
              : apiKeyId === null && member !== undefined
                ? yield* rightsOfMember(workspace, member)
                : Option.none()
          return Option.map(
            rights,
            (present) => scopes?.filter((scope) => present.includes(scope)) ?? present
          )
        }).pipe(Effect.provide(services))
    }
  })
)

const unchecked = {
  claims: [],
  groundedness: { verified: 0, total: 0 },
  policy: policyOff,
  usage: { inputTokens: 0, outputTokens: 0, costUsd: "0" }
}
