import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { describe, expect, it } from "vitest"
import { Caller, type WorkspaceScope } from "../../../../core/platform/kernel/index.js"
import {
  fitArtefact,
  inspectVectors,
  LsaFitter,
  refreshVectors,
  remakeVectors,
  VectorStore
} from "../../../../core/search/vectors/index.js"
import { temporaryFolder } from "../../../support/folders.js"
import { postgresBase } from "../../../support/postgres.js"
import { baseLayer, makeWorkspace, runEffect } from "../../../support/run.js"
import {
  found,
  passage,
  vectorState,
  vectorsDatabase,
  vectorsLayer,
  write,
  writeMany
} from "./vectors-corpus.js"

const folder = temporaryFolder("folded")

/** Passages at the start: above the number up to which every change is fitted. */
const passages = 150

/** Counts the fits of an effect. */
const counting = () => {
  const counted = { fits: 0 }
  const layer = Layer.succeed(LsaFitter, {
    fit: (texts) =>
      Effect.sync(() => {
        counted.fits += 1
        return fitArtefact(texts)
      })
  })
  return { counted, layer }
}

/** Codes of what an inspection finds wrong with the vectors. */
const findings = (workspace: WorkspaceScope) =>
  Effect.gen(function* () {
    const codes: Array<string> = []
    yield* inspectVectors(
      {
        rebuild: false,
        report: (code) => Effect.sync(() => codes.push(code)),
        progress: () => Effect.void
      },
      { isPending: Effect.succeed(false) }
    ).pipe(Effect.provideService(Caller, { workspace, actor: "local", activity: "cli" }))
    return codes
  })

const more = (count: number) => ({
  title: "More",
  passages: Array.from({ length: count }, (_, i) => passage(700 + i))
})

const activeModel = (workspace: WorkspaceScope) =>
  Effect.map(
    Effect.flatMap(VectorStore, (store) => store.models(workspace)),
    (models) => models.find(({ state }) => state === "active")
  )

describe.each([
  ["SQLite", () => baseLayer()],
  ["Postgres", () => postgresBase()]
] as const)("built-in vectors of more than a hundred passages: %s", (_name, base) => {
  const layer = () => vectorsLayer(Option.none(), vectorsDatabase(base()))

  it("take new, changed and removed passages into the present model, without a fit and sound", () => {
    const { counted, layer: fitter } = counting()
    return runEffect(
      Effect.gen(function* () {
        const workspace = yield* makeWorkspace()
        yield* writeMany(workspace, passages)
        yield* refreshVectors(workspace)
        const first = yield* activeModel(workspace)
        for (const page of [more(3), { ...more(3), title: "Changed" }, null, more(2)]) {
          yield* write(workspace, "x.md", page)
          yield* refreshVectors(workspace)
          const state = yield* vectorState(workspace)
          expect(state?.count).toBe(passages + (page?.passages.length ?? 0))
          expect(state?.vectors.every(({ vector }) => vector !== null)).toBe(true)
          expect(yield* findings(workspace)).toEqual([])
        }
        expect(counted.fits).toBe(1)
        const active = yield* activeModel(workspace)
        expect(active?.id).toBe(first?.id)
        // Three added, three made again, three removed, two added.
        expect(active?.drift.chunks).toBe(11)
        expect((yield* found(workspace, passage(700)))[0]?.text).toContain(passage(700))
      }).pipe(Effect.provide(fitter), Effect.provide(layer()))
    )
  })

  it("are fitted again once more than a tenth is new, and equal those of a fresh workspace then", () => {
    const { counted, layer: fitter } = counting()
    return runEffect(
      Effect.gen(function* () {
        const grown = yield* makeWorkspace()
        yield* writeMany(grown, passages)
        yield* refreshVectors(grown)
        yield* write(grown, "x.md", more(15))
        yield* refreshVectors(grown)
        expect(counted.fits).toBe(1)
        yield* write(grown, "x.md", more(16))
        yield* refreshVectors(grown)
        expect(counted.fits).toBe(2)
        expect((yield* activeModel(grown))?.drift.chunks).toBe(0)
        const fresh = yield* makeWorkspace("fresh")
        yield* writeMany(fresh, passages)
        yield* write(fresh, "x.md", more(16))
        yield* refreshVectors(fresh)
        expect(yield* vectorState(grown)).toEqual(yield* vectorState(fresh))
      }).pipe(Effect.provide(fitter), Effect.provide(layer()))
    )
  })

  it("equal those of a fresh workspace after all are made anew", () =>
    runEffect(
      Effect.gen(function* () {
        const [grown, fresh] = [yield* makeWorkspace(), yield* makeWorkspace("fresh")]
        yield* writeMany(grown, passages)
        yield* refreshVectors(grown)
        for (const workspace of [grown, fresh]) yield* write(workspace, "x.md", more(5))
        yield* writeMany(fresh, passages)
        for (const workspace of [grown, fresh]) yield* refreshVectors(workspace)
        expect(yield* vectorState(grown)).not.toEqual(yield* vectorState(fresh))
        yield* remakeVectors(grown, "all")
        expect(yield* vectorState(grown)).toEqual(yield* vectorState(fresh))
      }).pipe(Effect.provide(layer()))
    ))
})

describe("folded vectors", () => {
  it("are kept with their model when the process starts again", async () => {
    const file = join(folder, "restart.sqlite")
    const { counted, layer: fitter } = counting()
    const inProcess = <A, E>(work: Effect.Effect<A, E, Effect.Effect.Context<ReturnType<typeof grow>>>) =>
      runEffect(
        work.pipe(
          Effect.provide(fitter),
          Effect.provide(vectorsLayer(Option.none(), vectorsDatabase(baseLayer(file))))
        )
      )
    const grow = () =>
      Effect.gen(function* () {
        const workspace = yield* makeWorkspace()
        yield* writeMany(workspace, passages)
        yield* refreshVectors(workspace)
        yield* write(workspace, "x.md", more(4))
        yield* refreshVectors(workspace)
        return {
          workspace,
          state: yield* vectorState(workspace),
          hits: yield* found(workspace, "kiln ledger")
        }
      })
    const before = await inProcess(grow())
    const after = await inProcess(
      Effect.gen(function* () {
        yield* refreshVectors(before.workspace)
        return {
          state: yield* vectorState(before.workspace),
          hits: yield* found(before.workspace, "kiln ledger")
        }
      })
    )
    expect(counted.fits).toBe(1)
    expect(after).toEqual({ state: before.state, hits: before.hits })
  })
})
