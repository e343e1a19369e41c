import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { z } from "zod"
import { CacheStats, cacheBounds, clearCache } from "../../../../core/answers/answer-cache/index.js"
import { AnswerStore } from "../../../../core/answers/answering/index.js"
import { operations } from "../../../../core/operations.js"
import { Caller, DocumentId, runOperation } from "../../../../core/platform/kernel/index.js"
import { Settings } from "../../../../core/platform/workspace/index.js"
import { type CacheWorld, cacheWorld } from "../../../support/cache-world.js"

const { models, policy: usual, retention } = Settings.parse({})
/**
 * The threshold is 0 because the model's answers fit the question only by chance: no confidence keeps them out of the
 * cache.
 */
const policy = { ...usual, thresholds: { ...usual.thresholds, confidence: 0 } }
const question = "How long does Orlin keep invoices?"
const text = "# Archive\n\nOrlin keeps invoices for 10 years.\nOrlin keeps letters for 3 years.\n"
const more = "# Cellar\n\nMerrow keeps invoices of the cellar for 4 years.\n"

describe("the answer cache", () => {
  let world: CacheWorld
  beforeAll(async () => {
    world = await cacheWorld()
  })
  afterAll(() => world.server.close())

  const workspaceWith = async (name: string, cacheMode: "off" | "shadow" | "on") => {
    const workspace = await world.server.workspace(name)
    await world.settings(workspace, { cacheMode, policy })
    const made = await world.run(workspace, operations.createDocument, { path: "archive.md", content: text })
    await world.run(workspace, operations.createDocument, { path: "cellar.md", content: more })
    const entity = await world.run(workspace, operations.createEntity, { name: "Orlin", type: "system" })
    return {
      workspace,
      document: z.object({ docId: z.string() }).parse(made).docId,
      entity: z.object({ id: z.string() }).parse(entity).id
    }
  }

  it("only compares by default, and tells how often it would have been wrong", async () => {
    const { workspace } = await workspaceWith("shadow", "shadow")
    const calls = world.calls()
    const first = await world.ask(workspace, question)
    const second = await world.ask(workspace, question)
    const third = await world.ask(workspace, "How long does Orlin retain the invoices")
    expect(world.calls()).toBe(calls + 3)
    expect([first, second, third].map(({ trace }) => trace.gate?.cache)).toEqual([
      "miss",
      "shadow_hit",
      "shadow_hit"
    ])
    expect(second.answer.policy.caveats.map(({ code }) => code)).not.toContain("from_cache")
    expect(second.answer.usage.inputTokens).toBeGreaterThan(0)
    expect(await world.stats(workspace)).toMatchObject({
      mode: "shadow",
      lookups: 3,
      hits: 0,
      misses: 1,
      shadowHits: 2,
      hitRate: 2 / 3,
      falseHitRate: 0,
      shadow: { compared: 2, disagreed: 0 },
      stale: 0
    })
  })

  it("gives an answer again when it is on, with a policy of its own and for nothing", async () => {
    const { workspace } = await workspaceWith("on", "on")
    const first = await world.ask(workspace, question)
    const calls = world.calls()
    const second = await world.ask(workspace, "how long does  Orlin keep invoices")
    expect(world.calls()).toBe(calls)
    expect(second.trace.gate?.cache).toBe("hit")
    const { answer, claims, model, sources } = first.answer
    expect(second.answer).toMatchObject({ answer, claims, model, sources })
    expect(second.answer.usage).toEqual({ inputTokens: 0, outputTokens: 0, costUsd: 0 })
    expect(second.answer.policy.caveats.map(({ code }) => code)).toContain("from_cache")
    expect(second.answer.policy.verdict).toBe(first.answer.policy.verdict)
    expect(second.trace.answerId).not.toBeNull()
    expect(second.trace.answerId).not.toBe(first.trace.answerId)
    expect(await world.stats(workspace)).toMatchObject({ hits: 1, misses: 1, shadowHits: 0 })
  })

  it("asks anew in another mode, with other bounds, with data, and in another workspace", async () => {
    const { workspace } = await workspaceWith("scope", "on")
    const other = await workspaceWith("other", "on")
    await world.ask(workspace, question)
    for (const options of [{ policyMode: "off" }, { policyMode: "enforce" }, { maxSources: 3 }] as const) {
      const calls = world.calls()
      await world.ask(workspace, question, options)
      expect(world.calls(), JSON.stringify(options)).toBe(calls + 1)
    }
    const calls = world.calls()
    const withData = await world.ask(workspace, question, { includeData: true })
    expect(withData.trace.gate?.cache).toBe("off")
    expect((await world.ask(other.workspace, question)).trace.gate?.cache).toBe("miss")
    expect(world.calls()).toBe(calls + 2)
  })

  it("gives no question the answer of another, where somebody changed the rows", async () => {
    const { document, workspace } = await workspaceWith("swapped", "on")
    const other = "How long does Orlin keep letters?"
    const first = [await world.ask(workspace, question), await world.ask(workspace, other)]
    await world.server.as(
      workspace,
      Effect.gen(function* () {
        const [store, { workspace: scope }] = [(yield* AnswerStore).cache, yield* Caller]
        const [one, two] = yield* store.after(scope, "", 10)
        if (one === undefined || two === undefined) throw new Error("Two answers were to be kept.")
        const rests = { documents: [DocumentId.parse(document)], entities: [] }
        const changed = [
          { ...one, kept: two.kept },
          { ...two, kept: one.kept }
        ]
        for (const entry of changed) yield* store.put(scope, entry, rests, cacheBounds)
      })
    )
    for (const [place, asked] of [question, other].entries()) {
      const again = await world.ask(workspace, asked)
      expect(again.trace.gate?.cache).toBe("miss")
      expect(again.answer.answer).toBe(first[place]?.answer.answer)
      expect((await world.ask(workspace, asked)).trace.gate?.cache).toBe("hit")
    }
  })

  it("keeps questions apart that only look alike, and says by what", async () => {
    const { workspace } = await workspaceWith("guards", "on")
    await world.ask(workspace, question)
    for (const near of ["How long does Orlin not keep invoices?", "How long did Orlin keep invoices?"])
      expect((await world.ask(workspace, near)).trace.gate?.cache).toBe("miss")
    const { rejections } = await world.stats(workspace)
    expect(rejections).toMatchObject({ negation: 1, time: 1, similarity: 0 })
  })

  it("never keeps an abstention, a doubtful answer, or one about the present day", async () => {
    const { workspace } = await workspaceWith("never", "on")
    await world.ask(workspace, "How long does Orlin keep invoices today?")
    expect(await world.stats(workspace)).toMatchObject({ entries: 0, misses: 1 })
    await world.settings(workspace, {
      policy: { ...policy, thresholds: { ...policy.thresholds, confidence: 1 } }
    })
    const { answer } = await world.ask(workspace, question)
    expect(answer.policy.caveats.map(({ code }) => code)).toContain("low_confidence")
    expect(await world.stats(workspace)).toMatchObject({ entries: 0, misses: 2 })
  })

  it("keeps nothing where no answers are kept, and no question where no questions are", async () => {
    const { workspace } = await workspaceWith("private", "on")
    await world.settings(workspace, { retention: { ...retention, answerDays: 0 } })
    await world.ask(workspace, question)
    expect(await world.stats(workspace)).toMatchObject({ entries: 0, misses: 1 })
    await world.settings(workspace, { retention, policy: { ...policy, keepQuestions: false } })
    await world.ask(workspace, question)
    expect((await world.ask(workspace, "How long does Orlin keep invoices")).trace.gate?.cache).toBe("hit")
    const near = await world.ask(workspace, "How long does Orlin retain invoices?")
    expect(near.trace.gate?.cache).toBe("miss")
  })

  it("finds the same words alone without an embedding model", async () => {
    const bare = await cacheWorld(null)
    try {
      const workspace = await bare.server.workspace("bare")
      await bare.settings(workspace, { cacheMode: "on", policy })
      const file = { path: "archive.md", content: text }
      await bare.server.as(workspace, runOperation(operations.createDocument, file))
      const asked = [question, "How long does Orlin retain invoices?", "HOW LONG does Orlin keep invoices??"]
      const found = []
      for (const one of asked) found.push((await bare.ask(workspace, one)).trace.gate?.cache)
      expect(found).toEqual(["miss", "miss", "hit"])
    } finally {
      await bare.server.close()
    }
  })

  it("keeps no answer whose grounds changed while it was written", async () => {
    const { document, entity, workspace } = await workspaceWith("races", "on")
    const changes: ReadonlyArray<readonly [string, () => Promise<unknown>]> = [
      ["nothing", async () => {}],
      [
        "replace",
        () => world.run(workspace, operations.replaceDocument, { id: document, content: `${text}\nMore.\n` })
      ],
      [
        "verify",
        () => world.run(workspace, operations.verifyDocument, { id: document, verification: "certified" })
      ],
      ["move", () => world.run(workspace, operations.moveDocument, { id: document, path: "archives.md" })],
      ["rename", () => world.run(workspace, operations.updateEntity, { id: entity, name: "Orlon" })],
      ["back", async () => {}],
      [
        "settings",
        () =>
          world.settings(workspace, {
            models: { ...models, fallbackToExtractive: false }
          })
      ],
      ["delete", () => world.run(workspace, operations.deleteDocument, { id: document })]
    ]
    for (const [name, change] of changes) {
      if (name === "back") await world.run(workspace, operations.updateEntity, { id: entity, name: "Orlin" })
      await world.server.as(workspace, clearCache())
      world.meanwhile(change)
      await world.ask(workspace, question)
      const { entries } = await world.stats(workspace)
      expect([name, entries]).toEqual([name, name === "nothing" || name === "back" ? 1 : 0])
    }
  })

  it("is emptied by its command, and then knows nothing", async () => {
    const { workspace } = await workspaceWith("clear", "on")
    await world.ask(workspace, question)
    expect(await world.server.as(workspace, clearCache())).toEqual({ cleared: 1 })
    expect(await world.server.as(workspace, clearCache())).toEqual({ cleared: 0 })
    expect((await world.ask(workspace, question)).trace.gate?.cache).toBe("miss")
    const { items } = await world.server.as(
      workspace,
      runOperation(operations.listAuditEvents, { action: "cache.clear" })
    )
    expect(items).toMatchObject([{ action: "cache.clear", details: { entries: 1 } }])
  })

  it("tells over HTTP how it does, counts what rests on a document and an entity, and is read with kb:read", async () => {
    const { document, entity, workspace } = await workspaceWith("http", "on")
    await world.ask(workspace, question)
    const key = await world.server.key(workspace, ["kb:read"])
    const { body, status } = await world.server.call("GET", "/api/v1/cache/stats", { key })
    expect(status).toBe(200)
    const stats = CacheStats.parse(body)
    expect(stats).toMatchObject({ mode: "on", entries: 1, hitRate: 0, falseHitRate: null })
    expect(stats.shadow).toEqual({ compared: 0, disagreed: 0, upper95: 1 })
    expect(stats.bytes).toBeGreaterThan(100)
    expect(stats.oldestAt).toBe(stats.newestAt)
    const runner = await world.server.key(workspace, ["agents:run"])
    expect((await world.server.call("GET", "/api/v1/cache/stats", { key: runner })).status).toBe(403)
    const lineage = await world.run(workspace, operations.getDocumentLineage, { id: document })
    expect(lineage).toMatchObject({ downstream: { cacheEntryCount: 1 } })
    const proposal = { kind: "update", entityId: entity, payload: { description: "Keeps invoices." } }
    const made = await world.run(workspace, operations.proposeChange, proposal)
    const request = z.object({ id: z.string() }).parse(made).id
    const shown = await world.run(workspace, operations.getChangeRequest, { id: request })
    expect(shown).toMatchObject({ impact: { cacheEntries: 1 } })
    await world.run(workspace, operations.updateEntity, { id: entity, description: "Keeps them." })
    const after = CacheStats.parse((await world.server.call("GET", "/api/v1/cache/stats", { key })).body)
    expect(after).toMatchObject({ entries: 0, invalidations: { byDocument: 0, byEntity: 1, byPolicy: 0 } })
    const gone = await world.run(workspace, operations.getChangeRequest, { id: request })
    expect(gone).toMatchObject({ impact: { cacheEntries: 0 } })
  })
})
