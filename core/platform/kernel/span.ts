import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import * as Effect from "effect/Effect"
import type { RuntimeFiber } from "effect/Fiber"
import * as FiberRef from "effect/FiberRef"
import * as Tracer from "effect/Tracer"
import type { YieldWrap } from "effect/Utils"

/** Effect's default tracer, which makes spans and exports none. */
const silent = Context.get(DefaultServices.liveServices, Tracer.Tracer)

/** Whether a tracer other than the default one is installed for the fiber. */
export const isTraced = (fiber: RuntimeFiber<unknown, unknown>): boolean =>
  fiber.currentTracer !== silent && fiber.getFiberRef(FiberRef.currentTracerEnabled)

/**
 * Wraps the work in a span when a tracer is installed, and runs it alone otherwise. A span copies a context of some
 * sixty services, about ten microseconds, which is too much for every write.
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

/** Like `Effect.fn`, with a span only when a tracer is installed. */
export const traced =
  (name: string) =>
  <Yielded extends YieldWrap<Effect.Effect<unknown, unknown, unknown>>, A, Given extends Array<unknown>>(
    body: (...given: Given) => Generator<Yielded, A, never>
  ) => {
    const [bare, spanned] = [Effect.fnUntraced(body), withSpan(name)]
    return (...given: Given) => spanned(bare(...given))
  }
