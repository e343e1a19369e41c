import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import { describe, expect, it } from "vitest"
import { refreshVectors, VectorStore } from "../../core/vectors/index.js"
import { makeWorkspace, runEffect } from "../support/run.js"
import { found, vectorsDatabase, vectorsLayer, writeMany } from "./vectors-corpus.js"

type Artefact = (typeof VectorStore.Service)["artefact"]

/**
 * What a first search finds, what a second one does, and what was said; `meanwhile` reads the built-in model for the
 * first, after that has looked which one is active.
 */
const searchedTwice = (meanwhile: (read: Artefact, refit: Effect.Effect<void>) => Artefact) => {
  const said: Array<string> = []
  const logger = Logger.replace(
    Logger.defaultLogger,
    Logger.make(({ message }) => void said.push(String(message)))
  )
  let read: ((stored: Artefact) => Artefact) | null = null
  const database = Layer.map(vectorsDatabase(), (context) => {
    const store = Context.get(context, VectorStore)
    const artefact: Artefact = (workspace, model) =>
      (read?.(store.artefact) ?? store.artefact)(workspace, model)
    return Context.add(context, VectorStore, { ...store, artefact })
  })
  return runEffect(
    Effect.gen(function* () {
      const workspace = yield* makeWorkspace()
      yield* writeMany(workspace, 60)
      yield* refreshVectors(workspace)
      yield* writeMany(workspace, 90)
      const refit = Effect.provide(
        Effect.orDie(refreshVectors(workspace)),
        yield* Effect.context<Effect.Effect.Context<ReturnType<typeof refreshVectors>>>()
      )
      read = (stored) => meanwhile(stored, refit)
      const first = yield* found(workspace, "kiln rare7 ledger")
      read = null
      const second = yield* found(workspace, "kiln rare7 ledger")
      return { first, second, said }
    }).pipe(Effect.provide(vectorsLayer(Option.none(), database)), Effect.provide(logger))
  )
}

describe("a search of built-in vectors", () => {
  it("that meets a model which is being replaced searches the one in its place, and complains of nothing", async () => {
    let isReplaced = false
    const { first, second, said } = await searchedTwice((read, refit) => (workspace, model) => {
      const before = isReplaced ? Effect.void : refit
      isReplaced = true
      return Effect.zipRight(before, read(workspace, model))
    })
    expect(first).toHaveLength(90)
    expect(first).toEqual(second)
    expect(said).toEqual([])
  })

  it("whose model cannot be read goes without, and says so", async () => {
    const { first, second, said } = await searchedTwice(() => () => Effect.succeedNone)
    expect(first).toEqual([])
    expect(second).toHaveLength(60)
    expect(said).toEqual(["The built-in vectors could not be read; the search goes on without."])
  })
})
