import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import type { JobOrigin } from "./model.js"

/** Whether jobs store the span that enqueued them; only useful if spans are exported. Default: false. */
export class NotesOrigins extends Context.Reference<NotesOrigins>()("kanon/NotesOrigins", {
  defaultValue: () => false
}) {}

/** The current span, if spans are recorded. */
export const originNow: Effect.Effect<JobOrigin | null> = Effect.flatMap(NotesOrigins, (notes) =>
  notes
    ? Effect.match(Effect.currentParentSpan, {
        onFailure: () => null,
        onSuccess: ({ sampled, spanId, traceId }) => (sampled ? { traceId, spanId } : null)
      })
    : Effect.succeed(null)
)

/** Returns the span links of a job's own trace. */
export const linksOf = (origin: JobOrigin | null): ReadonlyArray<Tracer.SpanLink> =>
  Option.match(Option.fromNullable(origin), {
    onNone: () => [],
    onSome: (known) => [{ _tag: "SpanLink", span: Tracer.externalSpan(known), attributes: {} }]
  })
