import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { describe, expect } from "vitest"
import {
  type Artefact,
  calibrationVersionOf,
  fitCalibration,
  type StoredCalibration
} from "../../core/answers/calibration/index.js"
import { PolicyStore } from "../../core/answers/policy/index.js"
import { type Atomic, atomically, Ids } from "../../core/platform/kernel/index.js"
import type { WorkspaceStore } from "../../core/platform/workspace/index.js"
import { contractTestsFor } from "./contract-tests.js"
import { lawsAt, makeWorkspace } from "./workspace.js"

/** A calibration of invented questions; another seed gives another one. */
const fitted = (seed: string) =>
  Effect.map(Ids, ({ sha256 }): StoredCalibration => {
    const items = Array.from({ length: 80 }, (_, at) => ({
      question: `What is ${sha256(String(at)).slice(0, 12)}?`,
      features: { words: (at % 10) / 10 },
      answerable: at % 10 > 4,
      answered: true,
      right: at % 10 > 4 && at % 7 > 0,
      clean: true
    }))
    const fingerprint = {
      chat: "laws",
      embedder: null,
      reranker: null,
      judge: "laws",
      prompt: "1",
      verifier: "laws",
      pipeline: "1"
    }
    const names = {
      featuresId: "laws-1",
      names: ["words"],
      priorNames: ["words"],
      presenceNames: ["words"],
      answerNames: ["words"]
    }
    const artefact = fitCalibration(
      items,
      { ...names, alpha: 0.2, delta: 0.2, seed, fingerprint, dataset: sha256("é 東京 🎉") },
      sha256
    )
    if (!("format" in artefact)) throw new Error("The laws' own questions are too few.")
    return stored(artefact, sha256)
  })

const stored = (artefact: Artefact, sha256: (text: string) => string): StoredCalibration => ({
  version: calibrationVersionOf(artefact, sha256),
  artefact,
  createdBy: "key_1",
  createdAt: lawsAt,
  active: false
})

/** The laws of `PolicyStore.calibrations`. `layer` gives an empty store each time. */
export const calibrationStoreLaws = <E>(
  name: string,
  layer: () => Layer.Layer<PolicyStore | WorkspaceStore | Atomic | Ids, E>
): void => {
  describe(`PolicyStore.calibrations: ${name}`, () => {
    const law = contractTestsFor(layer)

    law("has none in use until one is put in use, and then that one, number by number", function* () {
      const [store, scope, first, second] = [
        (yield* PolicyStore).calibrations,
        yield* makeWorkspace,
        yield* fitted("1"),
        yield* fitted("2")
      ]
      expect(first.version).not.toBe(second.version)
      yield* atomically(store.add(scope, [first, second]))
      expect(Option.isNone(yield* store.active(scope))).toBe(true)
      yield* atomically(store.activate(scope, first.version))
      expect(Option.getOrNull(yield* store.active(scope))).toEqual({ ...first, active: true })
      yield* atomically(store.activate(scope, second.version))
      expect(Option.getOrNull(yield* store.active(scope))).toEqual({ ...second, active: true })
    })

    law("changes nothing of one that is kept, and puts nothing in use that is not", function* () {
      const [store, scope, one] = [
        (yield* PolicyStore).calibrations,
        yield* makeWorkspace,
        yield* fitted("1")
      ]
      yield* atomically(store.add(scope, [one]))
      yield* atomically(store.activate(scope, one.version))
      yield* atomically(store.add(scope, [{ ...one, createdBy: "somebody else" }]))
      yield* atomically(store.activate(scope, "0123456789abcdef"))
      expect(Option.getOrNull(yield* store.active(scope))).toEqual({ ...one, active: true })
    })

    law("shows nothing to another workspace, and leaves nothing of a unit that fails", function* () {
      const [store, scope, foreign, one] = [
        (yield* PolicyStore).calibrations,
        yield* makeWorkspace,
        yield* makeWorkspace,
        yield* fitted("1")
      ]
      yield* atomically(store.add(scope, [{ ...one, active: true }]))
      expect(Option.isNone(yield* store.active(foreign))).toBe(true)
      yield* atomically(store.activate(foreign, one.version))
      expect(Option.isSome(yield* store.active(scope))).toBe(true)
      yield* Effect.either(
        atomically(Effect.zipRight(store.add(foreign, [{ ...one, active: true }]), Effect.fail("undone")))
      )
      expect(Option.isNone(yield* store.active(foreign))).toBe(true)
    })
  })
}
