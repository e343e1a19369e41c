import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { JsonBoundsReader } from "../../core/platform/kernel/index.js"
import { type BodiesTooMany, freeBytes, type ReserveBody } from "./body-budget.js"

/** The body exceeds the limit. */
export class PayloadTooLarge extends Data.TaggedError("PayloadTooLarge")<{ readonly limitBytes: number }> {}
/** The body is not JSON or is compressed. */
export class UnsupportedMediaType extends Data.TaggedError("UnsupportedMediaType")<Record<never, never>> {}
/** The body arrived too slowly, or the client disconnected. */
export class BodyUnread extends Data.TaggedError("BodyUnread")<Record<never, never>> {}

/** Returns whether a media type is JSON, ignoring parameters and case. */
export const isJson = (mediaType: string | null): boolean =>
  mediaType !== null && mediaType.split(";", 1)[0]?.trim().toLowerCase() === "application/json"

/** Returns whether the body is uncompressed; compressed bodies are rejected. */
const isPlain = (encoding: string | null): boolean =>
  encoding === null || /^\s*(?:identity)?\s*$/i.test(encoding)

/**
 * Reads the bytes of a JSON body; none if the request has no body. Bytes are counted on arrival, so that the limit
 * also applies without a correct Content-Length. Room for a body is kept until the scope closes: before it is read, or,
 * if its length is unknown, as soon as it is no small one. Each part is counted when it arrives, so that counting a
 * large body does not hold up the event loop.
 */
export const readBody = (
  request: Request,
  limits: { readonly bytes: number; readonly timeMs: number },
  reserve: ReserveBody,
  count: JsonBoundsReader
): Effect.Effect<
  Uint8Array | undefined,
  PayloadTooLarge | UnsupportedMediaType | BodyUnread | BodiesTooMany,
  Scope.Scope
> =>
  Effect.gen(function* () {
    const { body, headers } = request
    const length = headers.get("content-length")
    if (body === null || length === "0") return undefined
    const json = isJson(headers.get("content-type")) && isPlain(headers.get("content-encoding"))
    if (!json && length !== null) return yield* new UnsupportedMediaType()
    const tooLarge = new PayloadTooLarge({ limitBytes: limits.bytes })
    if (length !== null && Number(length) > limits.bytes) return yield* tooLarge
    if (length !== null) yield* reserve(Number(length))
    const reader = body.getReader()
    const parts: Array<Uint8Array> = []
    let size = 0
    /** Reads until the end, or until so many bytes have come. */
    const readUpTo = Effect.fnUntraced(function* (bytes: number) {
      while (size <= bytes) {
        const { done, value } = yield* Effect.tryPromise({
          try: () => reader.read(),
          catch: () => new BodyUnread()
        })
        if (done) return true
        // Without a length, only the first byte shows that there is a body.
        if (!json && value.length > 0) return yield* new UnsupportedMediaType()
        size += value.length
        if (size > limits.bytes) return yield* tooLarge
        parts.push(value)
        count.read(value)
      }
      return false
    })
    const inTime = Effect.timeoutFail({ duration: limits.timeMs, onTimeout: () => new BodyUnread() })
    yield* Effect.gen(function* () {
      if (length === null && (yield* inTime(readUpTo(freeBytes)))) return
      if (length === null) yield* reserve(limits.bytes)
      yield* inTime(readUpTo(limits.bytes))
    }).pipe(
      // Not cancelled, because that would close the connection before the answer is sent.
      Effect.onError(() => Effect.sync(() => reader.releaseLock()))
    )
    if (size === 0) return undefined
    return parts.length === 1 ? parts[0] : Buffer.concat(parts)
  })
