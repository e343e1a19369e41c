import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import { describe, expect, it } from "vitest"
import { refreshVectors, VectorStore } from "../../../../core/search/vectors/index.js"
import {
  found,
  vectorsDatabase,
  vectorsLayer,
  writeMany
} from "../../../integration/search/vectors/vectors-corpus.js"
import { makeWorkspace, runEffect } from "../../../support/run.js"

type Store = typeof VectorStore.Service

/**
 * Returns the results of two searches and the log. `meanwhile` is the store that the first search reads after it has
 * looked up the active model. With `isRead` an earlier search has already read the model.
 */
const searchedTwice = (
  meanwhile: (stored: Store, refit: Effect.Effect<void>) => Store,
  { isRead = false }: { readonly isRead?: boolean } = {}
) => {
  const said: Array<string> = []
  const logger = Logger.replace(
    Logger.defaultLogger,
    Logger.make(({ message }) => void said.push(String(message)))
  )
  let changed: ((stored: Store) => Store) | null = null
  const database = Layer.map(vectorsDatabase(), (context) => {
    const store = Context.get(context, VectorStore)
    const current = () => changed?.(store) ?? store
    return Context.add(context, VectorStore, {
      ...store,
      artefact: (workspace, model) => current().artefact(workspace, model),
      feed: (workspace, model) => current().feed(workspace, model)
    })
  })
  return runEffect(
    Effect.gen(function* () {
      const workspace = yield* makeWorkspace()
      yield* writeMany(workspace, 60)
      yield* refreshVectors(workspace)
      yield* writeMany(workspace, 90)
      if (isRead) yield* found(workspace, "kiln rare7 ledger")
      const refit = Effect.provide(
        Effect.orDie(refreshVectors(workspace)),
        yield* Effect.context<Effect.Effect.Context<ReturnType<typeof refreshVectors>>>()
      )
      changed = (stored) => meanwhile(stored, refit)
      const first = yield* found(workspace, "kiln rare7 ledger")
      changed = null
      const second = yield* found(workspace, "kiln rare7 ledger")
      return { first, second, said }
    }).pipe(Effect.provide(vectorsLayer(Option.none(), database)), Effect.provide(logger))
  )
}

describe("a search of built-in vectors", () => {
  it("that meets a model which is being replaced searches the one in its place, and complains of nothing", async () => {
    let isReplaced = false
    const { first, second, said } = await searchedTwice((stored, refit) => ({
      ...stored,
      artefact: (workspace, model) => {
        const before = isReplaced ? Effect.void : refit
        isReplaced = true
        return Effect.zipRight(before, stored.artefact(workspace, model))
      }
    }))
    expect(first).toHaveLength(90)
    expect(first).toEqual(second)
    expect(said).toEqual([])
  })

  it("that had read the model before it was replaced searches the one in its place, too", async () => {
    let isReplaced = false
    const { first, second, said } = await searchedTwice(
      (stored, refit) => ({
        ...stored,
        feed: (workspace, model) => {
          const before = isReplaced ? Effect.void : refit
          isReplaced = true
          return Effect.zipRight(before, stored.feed(workspace, model))
        }
      }),
      { isRead: true }
    )
    expect([isReplaced, first.length]).toEqual([true, 90])
    expect(first).toEqual(second)
    expect(said).toEqual([])
  })

  it("whose model cannot be read goes without, and says so", async () => {
    const { first, second, said } = await searchedTwice((stored) => ({
      ...stored,
      artefact: () => Effect.succeedNone
    }))
    expect(first).toEqual([])
    expect(second).toHaveLength(60)
    expect(said).toEqual(["The built-in vectors could not be read; the search goes on without."])
  })
})
