import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"

/**
 * A layer that also exposes the effect which makes its services, so that many can be built as one. `R` is what that
 * effect requires, including a scope when it acquires resources.
 */
export interface ServiceLayer<Services, E = never, R = never>
  extends Layer.Layer<Services, E, Exclude<R, Scope.Scope>> {
  readonly made: Effect.Effect<Context.Context<Services>, E, R>
}

const layerOf = <Services, E, R>(
  made: Effect.Effect<Context.Context<Services>, E, R>
): ServiceLayer<Services, E, R> => Object.assign(Layer.scopedContext(made), { made })

/**
 * `Layer.scoped`, with a result that `mergeServices` accepts. Resources acquired by `make` live as long as the layer.
 */
export const serviceLayer = <Id, Service, E, R>(
  tag: Context.Tag<Id, Service>,
  make: Effect.Effect<Service, E, R>
): ServiceLayer<Id, E, R> => layerOf(Effect.map(make, (service) => Context.make(tag, service)))

type AnyLayer = ServiceLayer<never, unknown, unknown>

/**
 * `Layer.mergeAll` for services that do not depend on each other. One fiber builds them in sequence, and they are not
 * shared with other layers. Effect starts two fibers per layer of a merge and memoizes each: with an engine's sixty
 * layers this took a tenth of its start-up.
 */
export function mergeServices<Layers extends ReadonlyArray<AnyLayer>>(
  ...layers: Layers
): ServiceLayer<
  { [Key in keyof Layers]: Layer.Layer.Success<Layers[Key]> }[number],
  { [Key in keyof Layers]: Effect.Effect.Error<Layers[Key]["made"]> }[number],
  { [Key in keyof Layers]: Effect.Effect.Context<Layers[Key]["made"]> }[number]
>
export function mergeServices(...layers: ReadonlyArray<AnyLayer>): AnyLayer {
  const contexts = Effect.all(layers.map(({ made }) => made))
  return layerOf(Effect.map(contexts, (all) => Context.mergeAll(...all)))
}

/** `Layer.unwrapEffect` for service layers. */
export const chosenLayer = <Services, E, R, E2, R2>(
  choice: Effect.Effect<ServiceLayer<Services, E, R>, E2, R2>
): ServiceLayer<Services, E | E2, R | R2> => layerOf(Effect.flatMap(choice, ({ made }) => made))

/** The empty layer, for a list of layers in which a service is left out. */
export const noServices: ServiceLayer<never> = mergeServices()
