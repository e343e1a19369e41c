import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import * as Effect from "effect/Effect"
import type { RuntimeFiber } from "effect/Fiber"
import * as FiberRef from "effect/FiberRef"
import * as Tracer from "effect/Tracer"
import type { YieldWrap } from "effect/Utils"

/** Effect's own tracer, which stands where nobody has put another: it makes spans and gives them to nobody. */
const silent = Context.get(DefaultServices.liveServices, Tracer.Tracer)

/** Whether somebody takes the spans of this fiber. */
export const isTraced = (fiber: RuntimeFiber<unknown, unknown>): boolean =>
  fiber.currentTracer !== silent && fiber.getFiberRef(FiberRef.currentTracerEnabled)

/**
 * A span around the work where somebody takes spans, and the work alone elsewhere. A span gives the work a context of
 * its own, a copy of some sixty services: about ten microseconds, which is dear for what is done with every write.
 */
export const withSpan =
  (name: string) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiberRuntime<A, E, R>((fiber) =>
      isTraced(fiber)
        ? Effect.useSpan(name, { captureStackTrace: false }, (span) =>
            Effect.mapInputContext(work, (context: Context.Context<R>) =>
              Context.add(context, Tracer.ParentSpan, span)
            )
          )
        : work
    )

/** A function from a generator, as `Effect.fn`, with a span where somebody takes it. */
export const traced =
  (name: string) =>
  <Yielded extends YieldWrap<Effect.Effect<unknown, unknown, unknown>>, A, Given extends Array<unknown>>(
    body: (...given: Given) => Generator<Yielded, A, never>
  ) => {
    const [bare, spanned] = [Effect.fnUntraced(body), withSpan(name)]
    return (...given: Given) => spanned(bare(...given))
  }
