import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Moved, type Relinking, type Relocation, relinked } from "../links/index.js"

/**
 * Rewrites the links of long texts without blocking the main thread. A text that takes too much time or memory is
 * returned as it is. Without an implementation long texts are rewritten in place.
 */
export class LongLinks extends Context.Tag("kanon/LongLinks")<
  LongLinks,
  {
    readonly relinked: (source: string, moved: Moved, relocation: Relocation) => Effect.Effect<string>
  }
>() {}

/** Length in UTF-16 units from which a text is long: it is parsed up to ten times. */
const longChars = 8 * 1024

/** Rewrites the links of a text that a move changes, a long one elsewhere where that is possible. */
export const relinkedText = (source: string, moved: Moved, relinking: Relinking): Effect.Effect<string> =>
  Effect.gen(function* () {
    const elsewhere =
      source.length < longChars ? null : Option.getOrNull(yield* Effect.serviceOption(LongLinks))
    return elsewhere === null
      ? relinked(source, moved, relinking)
      : yield* elsewhere.relinked(source, moved, relinking.relocation)
  })
