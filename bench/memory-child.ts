import { mkdirSync, readFileSync } from "node:fs"
import { setTimeout } from "node:timers/promises"
import * as Effect from "effect/Effect"
import MiniSearch from "minisearch"
import { z } from "zod"
import { createEngine } from "../adapters/sqlite/index.js"
import { DocumentStore } from "../core/documents/index.js"
import { runOperation } from "../core/kernel/index.js"
import { retrievalOperations, VectorStore } from "../core/retrieval/index.js"
import { addAsVault, learnVectors } from "./workspace.js"

/** What a process of the bench `memory` is to do; it tells what it weighs then, as JSON on standard output. */
const Plan = z.object({
  work: z.enum(["fill", "fill-words", "search", "search-words", "minisearch", "minisearch-empty"]),
  vault: z.string(),
  data: z.string(),
  queries: z.array(z.string()),
  /** A file with documents, or with the texts of passages, as JSON. */
  input: z.string()
})

const Documents = z.array(z.object({ id: z.string(), title: z.string(), text: z.string() }))

const plan = Plan.parse(JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")))

/** The engine of the language gives memory back a while after it was freed. */
const settledMs = 1000

const weigh = async (facts: Readonly<Record<string, unknown>>): Promise<void> => {
  // Garbage is not what a program weighs.
  globalThis.gc?.()
  await setTimeout(settledMs)
  globalThis.gc?.()
  console.log(JSON.stringify({ rssBytes: process.memoryUsage().rss, ...facts }))
}

const takenIn = async () => {
  const documents = Documents.parse(JSON.parse(readFileSync(plan.input, "utf8")))
  mkdirSync(plan.vault, { recursive: true })
  return (await addAsVault(documents, plan.vault, plan.data)).workspace
}

/** Takes the vault in and searches, all in this process; without vectors when words alone are weighed. */
const fill = async (withVectors: boolean): Promise<void> => {
  const workspace = await takenIn()
  if (withVectors) await learnVectors(workspace)
  for (const q of plan.queries)
    await workspace.run(runOperation(retrievalOperations.search, { q, limit: 10 }))
  const facts = await workspace.run(
    Effect.gen(function* () {
      const store = yield* VectorStore
      const { chunks } = yield* (yield* DocumentStore).counts(workspace.scope)
      const model = (yield* store.models(workspace.scope)).find(({ state }) => state === "active")
      if (model === undefined) return { passages: chunks }
      const vectors = yield* store.count(workspace.scope, model.id, 0)
      return { passages: chunks, vectors, dimensions: model.dimensions }
    })
  )
  await weigh(facts)
  await workspace.close()
}

/** Opens what is there, and searches. */
const search = async (): Promise<void> => {
  const engine = await createEngine({ vault: plan.vault, data: plan.data, worker: false })
  for (const query of plan.queries) await engine.search(query)
  await weigh({})
  await engine.close()
}

const miniSearch = async (texts: ReadonlyArray<string>): Promise<void> => {
  const peer = new MiniSearch<{ readonly id: number; readonly text: string }>({
    fields: ["text"],
    storeFields: ["text"]
  })
  peer.addAll(texts.map((text, id) => ({ id, text })))
  for (const query of plan.queries) peer.search(query)
  await weigh({ documents: peer.documentCount })
}

switch (plan.work) {
  case "fill":
    await fill(true)
    break
  case "fill-words":
    await fill(false)
    break
  case "search":
  case "search-words":
    await search()
    break
  case "minisearch":
    await miniSearch(z.array(z.string()).parse(JSON.parse(readFileSync(plan.input, "utf8"))))
    break
  case "minisearch-empty":
    await miniSearch([])
}
