import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

/** The body is larger than this server takes. */
export class PayloadTooLarge extends Data.TaggedError("PayloadTooLarge")<{ readonly limitBytes: number }> {}
/** The body is not JSON where JSON is required, or it is packed. */
export class UnsupportedMediaType extends Data.TaggedError("UnsupportedMediaType")<Record<never, never>> {}
/** The body came too slowly, or its sender went away. */
export class BodyUnread extends Data.TaggedError("BodyUnread")<Record<never, never>> {}

/** Whether the media type is JSON; parameters and case do not matter. */
const isJson = (mediaType: string | null): boolean =>
  mediaType !== null && mediaType.split(";", 1)[0]?.trim().toLowerCase() === "application/json"

/** Whether what arrives is the body itself: packed ones are not unpacked. */
const isPlain = (encoding: string | null): boolean =>
  encoding === null || /^\s*(?:identity)?\s*$/i.test(encoding)

/**
 * The bytes of a JSON body: none where the request has no body. Counted as they arrive, so that a body without a
 * length, or with a false one, is cut off at the limit too.
 */
export const readBody = (
  request: Request,
  limits: { readonly bytes: number; readonly timeMs: number }
): Effect.Effect<Uint8Array | undefined, PayloadTooLarge | UnsupportedMediaType | BodyUnread> =>
  Effect.gen(function* () {
    const { body, headers } = request
    const length = headers.get("content-length")
    if (body === null || length === "0") return undefined
    const json = isJson(headers.get("content-type")) && isPlain(headers.get("content-encoding"))
    if (!json && length !== null) return yield* new UnsupportedMediaType()
    const tooLarge = new PayloadTooLarge({ limitBytes: limits.bytes })
    if (length !== null && Number(length) > limits.bytes) return yield* tooLarge
    const reader = body.getReader()
    const parts: Array<Uint8Array> = []
    let size = 0
    const read = Effect.gen(function* () {
      for (;;) {
        const { done, value } = yield* Effect.tryPromise({
          try: () => reader.read(),
          catch: () => new BodyUnread()
        })
        if (done) return
        // Without a length only the first byte tells that there is a body at all.
        if (!json && value.length > 0) return yield* new UnsupportedMediaType()
        size += value.length
        if (size > limits.bytes) return yield* tooLarge
        parts.push(value)
      }
    })
    yield* read.pipe(
      Effect.timeoutFail({ duration: limits.timeMs, onTimeout: () => new BodyUnread() }),
      // Not cancelled: that would end the connection before the answer is on it.
      Effect.onError(() => Effect.sync(() => reader.releaseLock()))
    )
    if (size === 0) return undefined
    return parts.length === 1 ? parts[0] : Buffer.concat(parts)
  })
