import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import fc from "fast-check"
import { beforeEach, describe, expect, it } from "vitest"
import { scriptedChatModel } from "../../../../adapters/models/index.js"
import {
  AnswerStore,
  askTraced,
  citedPassages,
  pruneAnswers,
  Query
} from "../../../../core/answers/answering/index.js"
import { openEngine, wiring } from "../../../../core/engine/engine/index.js"
import { operations } from "../../../../core/operations.js"
import { AnswerId, runOperation } from "../../../../core/platform/kernel/index.js"
import { ModelFailed } from "../../../../core/platform/models/index.js"
import { changeSettings, Settings, WorkspaceStore } from "../../../../core/platform/workspace/index.js"
import { createEngine, portsOf } from "../../../support/database.js"
import { temporaryFolder } from "../../../support/folders.js"
import { asCaller, makeWorkspace, runEffect } from "../../../support/run.js"
import { runs } from "../../../support/runs.js"

let vault = ""
beforeEach(() => {
  vault = temporaryFolder("keep")
  writeFileSync(join(vault, "archive.md"), "# Archive\n\nThe archive keeps invoices for ten years.\n")
})

const question = "How long does the archive keep invoices?"
const logger = Logger.make(() => undefined)

describe("an answer in-process", () => {
  it("has the id under which it is kept in its trace", async () => {
    const engine = await createEngine({ vault, data: ":memory:", logger })
    await engine.ingest()
    const { answer, trace } = await engine.askTraced(question)
    expect(trace.answerId).toMatch(/^ans_/)
    expect(answer.claims).toHaveLength(1)
    expect(citedPassages(answer)).toEqual([
      { documentId: answer.sources[0]?.docId, chunkId: answer.sources[0]?.chunkId }
    ])
    expect(citedPassages({ ...answer, claims: [], answer: "Nothing." })).toEqual([])
    expect(citedPassages({ ...answer, claims: [], answer: "Ten years [S1]." })).toHaveLength(1)
    await engine.close()
  })

  it("is kept, once, where that takes longer than an answer waits for its turn", async () => {
    let added = 0
    const slow = Layer.effect(
      AnswerStore,
      Effect.map(AnswerStore, (store) => ({
        ...store,
        add: (...given: Parameters<typeof store.add>) => {
          added += 1
          return Effect.zipRight(Effect.sleep("2500 millis"), store.add(...given))
        }
      }))
    )
    const ports = portsOf({ vault, data: ":memory:", logger })
    const engine = await openEngine(Layer.provideMerge(slow, ports), {
      name: "slow",
      worker: true,
      owner: "test"
    })
    await engine.ingest()
    const { trace } = await engine.askTraced(question)
    expect(trace.answerId).toMatch(/^ans_/)
    expect(added).toBe(1)
    await engine.close()
  })

  it("is given all the same when it cannot be kept, with a warning and without an id", async () => {
    const full = Layer.effect(
      AnswerStore,
      Effect.map(AnswerStore, (store) => ({
        ...store,
        add: () => Effect.dieMessage("database or disk is full")
      }))
    )
    const ports = portsOf({ vault, data: ":memory:", logger })
    const engine = await openEngine(Layer.provideMerge(full, ports), {
      name: "full",
      worker: true,
      owner: "test"
    })
    await engine.ingest()
    const warnings: Array<unknown> = []
    const ids: Array<unknown> = []
    engine.on("warning", (event) => warnings.push(event))
    engine.on("ask", ({ answerId }) => ids.push(answerId))
    const { answer, trace } = await engine.askTraced(question)
    expect(answer.claims).toHaveLength(1)
    expect(trace.answerId).toBeNull()
    expect(trace.reasons).toEqual(["answer_not_kept"])
    expect(warnings).toEqual([{ code: "answer_not_kept" }])
    expect(ids).toEqual([null])
    await engine.close()
  })
})

describe("what models used", () => {
  it("is counted also where answers are not kept, and where a model failed and nobody answers", () => {
    let fails = false
    const usage = { inputTokens: 10, outputTokens: 1, costUsd: "0.1", estimated: false }
    const chat = scriptedChatModel(
      () =>
        fails
          ? new ModelFailed({ modelId: "test/chat", message: "no", retryable: false, usage })
          : { text: JSON.stringify({ answerable: false, missing: "it", answer: "No.", claims: [] }), usage },
      "test/chat"
    )
    const ports = portsOf({ vault, data: ":memory:", logger, models: { chat } })
    return runEffect(
      Effect.gen(function* () {
        const workspace = yield* makeWorkspace()
        const here = asCaller(workspace)
        const used = Effect.flatMap(WorkspaceStore, ({ usage }) =>
          usage.of(workspace, new Date().toISOString().slice(0, 7))
        )
        const store = yield* WorkspaceStore
        const settings = Settings.parse({
          retention: { answerDays: 0 },
          models: { fallbackToExtractive: false }
        })
        yield* store.update({ ...(yield* store.get(workspace)), settings }, "2026-01-01T00:00:00.000Z")
        const content = "# Invoices\n\nThe archive keeps invoices for ten years.\n"
        yield* here(runOperation(operations.createDocument, { path: "invoices.md", content }))
        yield* here(askTraced(Query.parse({ question })))
        expect(yield* used).toEqual({ inputTokens: 10, outputTokens: 1, costUsd: "0.1" })
        fails = true
        const refused = yield* here(Effect.flip(askTraced(Query.parse({ question }))))
        expect(refused._tag).toBe("ModelUnavailable")
        expect(yield* used).toEqual({ inputTokens: 20, outputTokens: 2, costUsd: "0.2" })
      }).pipe(Effect.provide(Layer.provideMerge(wiring, ports)))
    )
  })
})

describe("forgetting answers", () => {
  it("leaves exactly those that are younger than the workspace keeps them", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 12 }),
        fc.integer({ min: 0, max: 40 }),
        (agesDays, keptDays) =>
          runEffect(
            Effect.gen(function* () {
              const workspace = yield* makeWorkspace()
              const store = yield* AnswerStore
              const engine = asCaller(workspace)
              const { answer } = yield* engine(askTraced(Query.parse({ question })))
              const now = Date.now()
              const dated = agesDays.map((days, place) => ({
                id: `ans_00000000000000000000000${String(place).padStart(3, "0")}`,
                at: new Date(now - days * 86_400_000 - 60_000).toISOString(),
                days
              }))
              const answers = dated.map(({ at, id }) => ({
                id: AnswerId.parse(id),
                question,
                answer,
                askedBy: "local",
                activity: "ui",
                createdAt: at,
                cited: []
              }))
              yield* store.add(workspace, answers)
              yield* engine(changeSettings({ retention: { answerDays: keptDays } }))
              yield* engine(pruneAnswers())
              const left = yield* Effect.filter(answers, ({ id }) =>
                Effect.map(store.find(workspace, id), Option.isSome)
              )
              expect(left.map(({ id }) => id)).toEqual(
                dated.filter(({ days }) => days < keptDays).map(({ id }) => id)
              )
            }).pipe(Effect.provide(Layer.provideMerge(wiring, portsOf({ vault, data: ":memory:", logger }))))
          )
      ),
      { numRuns: runs(8) }
    ))
})
