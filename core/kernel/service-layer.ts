import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"

/**
 * A layer that tells, beside what a layer tells, how its services are made: many can then be made as one. `R` is what
 * making them needs, a scope among it where something is acquired.
 */
export interface ServiceLayer<Services, E = never, R = never>
  extends Layer.Layer<Services, E, Exclude<R, Scope.Scope>> {
  readonly made: Effect.Effect<Context.Context<Services>, E, R>
}

const layerOf = <Services, E, R>(
  made: Effect.Effect<Context.Context<Services>, E, R>
): ServiceLayer<Services, E, R> => Object.assign(Layer.scopedContext(made), { made })

/** `Layer.scoped`, with a result that can be given to `together`. What `make` acquires lives as long as the layer. */
export const serviceLayer = <Id, Service, E, R>(
  tag: Context.Tag<Id, Service>,
  make: Effect.Effect<Service, E, R>
): ServiceLayer<Id, E, R> => layerOf(Effect.map(make, (service) => Context.make(tag, service)))

type AnyLayer = ServiceLayer<never, unknown, unknown>

/**
 * `Layer.mergeAll` of services that need nothing of each other, made one after another by one fiber, and not shared
 * with other layers that name the same ones. Effect starts two fibers for each layer of a merge and remembers what each
 * of them gave: with the sixty of an engine that took a tenth of its start.
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

/** `Layer.unwrapEffect` for such layers: those that `choice` gives. */
export const chosenLayer = <Services, E, R, E2, R2>(
  choice: Effect.Effect<ServiceLayer<Services, E, R>, E2, R2>
): ServiceLayer<Services, E | E2, R | R2> => layerOf(Effect.flatMap(choice, ({ made }) => made))

/** Nothing: what stands in a list of layers where a service is left out. */
export const noServices: ServiceLayer<never> = mergeServices()
