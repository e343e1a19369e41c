import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { describe, expect } from "vitest"
import { fitArtefact, LsaFitter } from "../../core/search/vectors/index.js"
import { contractTestsFor } from "./contract-tests.js"

const subjects = ["turbine blade", "harbour crane", "wave height", "battery storage", "gearbox oil"]

/** Texts with words in common, enough of them to be fitted. */
const texts = Array.from(
  { length: 60 },
  (_, place) =>
    `${subjects[place % 5]} inspection ${subjects[(place * 3 + 1) % 5]} report ${place % 7} of site ${place % 11}`
)

/** The laws of `LsaFitter`, which has a default; `layer` replaces it. */
export const lsaFitterContract = <E>(name: string, layer: () => Layer.Layer<never, E>): void => {
  describe(`LsaFitter: ${name}`, () => {
    const law = contractTestsFor(layer)

    law("gives the bytes that fitting in place gives, also for corpora that come at once", function* () {
      const fitter = yield* LsaFitter
      const wanted = fitArtefact(texts)
      expect(wanted).not.toBeNull()
      const both = yield* Effect.all([fitter.fit(texts), fitter.fit(texts.slice(0, 40))], {
        concurrency: 2
      })
      expect(both).toEqual([wanted, fitArtefact(texts.slice(0, 40))])
    })

    law("gives null where there is nothing to learn", function* () {
      const fitter = yield* LsaFitter
      expect(yield* fitter.fit(["the", ""])).toBeNull()
    })
  })
}
