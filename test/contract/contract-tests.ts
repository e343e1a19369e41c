import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Layer from "effect/Layer"
import type { Scope } from "effect/Scope"
import { it } from "vitest"

/** States one law of a port: a sentence from the port, tried on a fresh adapter. */
export type ContractTest<Services> = <E>(
  sentence: string,
  proof: Effect.Effect<void, E, Services | Scope>
) => void

/** A `law` function whose proofs each run over their own instance of the adapter. */
export const contractTestsFor =
  <Services, LayerError>(layer: () => Layer.Layer<Services, LayerError>): ContractTest<Services> =>
  (sentence, proof) => {
    it(sentence, () => runEffect(Effect.scoped(Effect.provide(proof, layer()))))
  }

/** Runs an effect; a failure or defect is thrown as an error whose message tells the whole cause. */
export const runEffect = async <A, E>(effect: Effect.Effect<A, E>): Promise<A> => {
  const exit = await Effect.runPromiseExit(effect)
  if (Exit.isSuccess(exit)) return exit.value
  throw new Error(Cause.pretty(exit.cause))
}
