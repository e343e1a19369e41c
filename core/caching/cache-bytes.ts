import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

const mebibyte = 1024 * 1024

/** What each cache gets of the whole, in MiB where nobody says otherwise. */
const shares = { lexical: 48, search: 24, answers: 64 } as const
const whole = Object.values(shares).reduce((sum, share) => sum + share, 0)

/** How many bytes the caches of an engine may keep of what was read, all together. */
export class CacheBytes extends Context.Reference<CacheBytes>()("kanon/CacheBytes", {
  defaultValue: (): number => whole * mebibyte
}) {}

/** How many of them one cache may keep. */
export const bytesFor = (cache: keyof typeof shares): Effect.Effect<number> =>
  Effect.map(CacheBytes, (bytes) => (bytes * shares[cache]) / whole)
