import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Layer from "effect/Layer"
import type { Scope } from "effect/Scope"
import type { YieldWrap } from "effect/Utils"
import { it } from "vitest"

/** The generator of an effect. */
export type Steps<A, Services> = Generator<YieldWrap<Effect.Effect<unknown, unknown, Services>>, A, never>

/** Work of a test: an effect, or the generator of one. */
export type Proof<A, Services> = Effect.Effect<A, unknown, Services> | (() => Steps<A, Services>)

const effectOf = <A, Services>(proof: Proof<A, Services>): Effect.Effect<A, unknown, Services> =>
  Effect.isEffect(proof) ? proof : Effect.gen(proof)

/** States one law of a port: a sentence from the port, tried on a fresh adapter. */
export type ContractTest<Services> = (sentence: string, proof: Proof<void, Services | Scope>) => void

/** A `law` function whose proofs each run over their own instance of the adapter. */
export const contractTestsFor =
  <Services, LayerError>(layer: () => Layer.Layer<Services, LayerError>): ContractTest<Services> =>
  (sentence, proof) => {
    it(sentence, () => runEffect(Effect.scoped(Effect.provide(effectOf(proof), layer()))))
  }

/** Runs an effect; a failure or defect is thrown as an error whose message tells the whole cause. */
export const runEffect = async <A>(proof: Proof<A, never>): Promise<A> => {
  const exit = await Effect.runPromiseExit(effectOf(proof))
  if (Exit.isSuccess(exit)) return exit.value
  throw new Error(Cause.pretty(exit.cause))
}
