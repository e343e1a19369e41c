import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

const mebibyte = 1024 * 1024

/** Default size of each cache, in MiB. */
const shares = { lexical: 48, search: 24, answers: 64 } as const
const whole = Object.values(shares).reduce((sum, share) => sum + share, 0)

/** Total size limit of an engine's read caches, in bytes. */
export class CacheBytes extends Context.Reference<CacheBytes>()("kanon/CacheBytes", {
  defaultValue: (): number => whole * mebibyte
}) {}

/** Returns the size limit of one cache, in bytes. */
export const bytesFor = (cache: keyof typeof shares): Effect.Effect<number> =>
  Effect.map(CacheBytes, (bytes) => (bytes * shares[cache]) / whole)
