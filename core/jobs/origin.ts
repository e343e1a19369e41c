import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import type { JobOrigin } from "./model.js"

/** Whether jobs remember the span that asked for them; only where spans leave the process. No by default. */
export class NotesOrigins extends Context.Reference<NotesOrigins>()("kanon/NotesOrigins", {
  defaultValue: () => false
}) {}

/** The span that runs, where it is kept. */
export const originNow: Effect.Effect<JobOrigin | null> = Effect.flatMap(NotesOrigins, (notes) =>
  notes
    ? Effect.match(Effect.currentParentSpan, {
        onFailure: () => null,
        onSuccess: ({ sampled, spanId, traceId }) => (sampled ? { traceId, spanId } : null)
      })
    : Effect.succeed(null)
)

/** What a job's own trace follows from. */
export const linksOf = (origin: JobOrigin | null): ReadonlyArray<Tracer.SpanLink> =>
  Option.match(Option.fromNullable(origin), {
    onNone: () => [],
    onSome: (known) => [{ _tag: "SpanLink", span: Tracer.externalSpan(known), attributes: {} }]
  })
