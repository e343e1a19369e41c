import * as Effect from "effect/Effect"
import type { CacheStats } from "../../core/index.js"
import type { Failure } from "./failure.js"
import type { CommonInput } from "./options.js"
import { call, withWorkspace } from "./session.js"
import { answer, paint } from "./terminal.js"
import { counted } from "./text.js"

export const stats = (input: CommonInput): Effect.Effect<void, Failure> =>
  withWorkspace(input, { worker: false }, ({ engine }) =>
    Effect.gen(function* () {
      const found = yield* call(() => engine.cache.stats())
      yield* answer(input.json, found, () => page(found))
    })
  )

export const clear = (input: CommonInput): Effect.Effect<void, Failure> =>
  withWorkspace(input, { worker: false }, ({ engine }) =>
    Effect.gen(function* () {
      const done = yield* call(() => engine.cache.clear())
      yield* answer(input.json, done, () =>
        done.cleared === 0
          ? "There was no cached answer."
          : `${counted(done.cleared, "cached answer")} forgotten.`
      )
    })
  )

const modes: Readonly<Record<CacheStats["mode"], string>> = {
  off: "off: every question is answered anew",
  shadow: "shadow: every question is answered anew, and compared with the answer that is there",
  on: "on: the same question on the same evidence is answered again without a model"
}

const page = (found: CacheStats): string =>
  [
    row("mode", modes[found.mode]),
    row(
      "holds",
      `${counted(found.entries, "answer")}, ${(found.bytes / 1000).toFixed(1)} kB${found.stale === 0 ? "" : `, ${found.stale} of them stale`}`
    ),
    ...(found.oldestAt === null || found.newestAt === null
      ? []
      : [row("since", `${found.oldestAt}, the newest ${found.newestAt}`)]),
    row(
      "lookups",
      found.hitRate === null
        ? "none yet"
        : `${found.lookups}: ${found.hits} answered, ${found.shadowHits} compared, ${found.misses} missed; ${percent(found.hitRate)} found`
    ),
    row("apart", refusedOnes(found)),
    row(
      "gone",
      `${found.invalidations.byDocument} with documents, ${found.invalidations.byEntity} with entities, ${found.invalidations.byPolicy} with settings`
    ),
    row("shadow", compared(found))
  ].join("\n")

const refusedOnes = ({ rejections }: CacheStats): string => {
  const told = Object.entries(rejections).filter(([, count]) => count > 0)
  return told.length === 0
    ? "no question was kept apart from one like it"
    : told.map(([guard, count]) => `${count} by ${guard}`).join(", ")
}

/** Below so large a share of wrong answers, at most, the cache may be switched on. */
const adviceMax = 0.01

const compared = ({ falseHitRate, mode, shadow }: CacheStats): string => {
  if (falseHitRate === null) return "nothing compared yet"
  const said = `${shadow.disagreed} of ${shadow.compared} said something else; at most ${percent(shadow.upper95)} would`
  if (mode !== "shadow") return said
  return shadow.upper95 <= adviceMax
    ? `${said}: it may be switched on`
    : `${said}: leave it in shadow until that is ${percent(adviceMax)} or less`
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`

const row = (title: string, text: string): string => `  ${paint.dim(title.padEnd(8))} ${text}`
