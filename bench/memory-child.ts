import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import Database from "better-sqlite3"
import { z } from "zod"
import type { Engine, EngineOptions } from "../adapters/sqlite/index.js"
import { writeVault } from "./workspace.js"

/** Task for a process of the bench `memory`, which reports its memory as JSON on standard output. */
const Plan = z.object({
  work: z.enum(["fill", "search"]),
  vault: z.string(),
  data: z.string(),
  /** The built entry point for the database: what a process weighs for users, who have one, as it is packed. */
  engine: z.string(),
  /** The database on Postgres, where it is one. */
  database: z.string().optional(),
  queries: z.array(z.string()),
  /** A file with documents as JSON. */
  input: z.string()
})

const Documents = z.array(z.object({ id: z.string(), title: z.string(), text: z.string() }))

const plan = Plan.parse(JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")))

/** The engine of the language gives memory back a while after it was freed. */
const settledMs = 1000
/** The thread for long work ends after ten seconds without any. */
const restMs = 15_000

/** Tells what the process weighs, and what is in the data, which is looked up afterwards since that takes memory too. */
const weigh = async (): Promise<void> => {
  // Garbage is not what a program weighs.
  globalThis.gc?.()
  await setTimeout(settledMs)
  globalThis.gc?.()
  const { rss } = process.memoryUsage()
  console.log(JSON.stringify({ rssBytes: rss, ...(await held()) }))
}

/** Returns the numbers of passages and vectors in the data, and their dimensions. */
const held = () =>
  plan.database === undefined ? heldIn(join(plan.data, "kanon.sqlite")) : heldAt(plan.database)

const openEngine = async (options: Partial<EngineOptions>): Promise<Engine> => {
  const { data, database, engine, vault } = plan
  const { createEngine }: EngineModule = await import(engine)
  return createEngine({ vault, data, ...(database === undefined ? {} : { database }), ...options })
}

interface EngineModule {
  readonly createEngine: (options: EngineOptions & { readonly database?: string }) => Promise<Engine>
}

/** Takes the vault in and searches, all in this process, as a program that embeds the engine would. */
const fill = async (): Promise<void> => {
  writeFiles()
  const engine = await openEngine({})
  await engine.ingest({ wait: true })
  for (const query of plan.queries) await engine.search(query)
  await setTimeout(restMs)
  await weigh()
  await engine.close()
}

/** A function of its own: what waits keeps all that it ever named, and the texts of a vault are no part of an engine. */
const writeFiles = (): void => {
  mkdirSync(plan.vault, { recursive: true })
  writeVault(Documents.parse(JSON.parse(readFileSync(plan.input, "utf8"))), plan.vault)
}

const heldIn = (file: string) => {
  const database = new Database(file, { readonly: true })
  try {
    const one = (sql: string) => Number(database.prepare(sql).pluck().get() ?? 0)
    return {
      passages: one("select count(*) from chunk"),
      vectors: one("select count(*) from vector where vector is not null"),
      dimensions: one("select max(dimensions) from vector_model where state = 'active'")
    }
  } finally {
    database.close()
  }
}

const heldAt = async (url: string) => {
  const { default: pg } = await import("pg")
  const client = new pg.Client(url)
  await client.connect()
  const one = async (sql: string) => Number((await client.query<{ n: string }>(sql)).rows[0]?.n ?? 0)
  const held = {
    passages: await one("select count(*) as n from chunk"),
    vectors: await one("select count(*) as n from vector where vector is not null"),
    dimensions: await one("select max(dimensions) as n from vector_model where state = 'active'")
  }
  await client.end()
  return held
}

/** Opens what is there, and searches. */
const search = async (): Promise<void> => {
  const engine = await openEngine({ worker: false })
  for (const query of plan.queries) await engine.search(query)
  await weigh()
  await engine.close()
}

await (plan.work === "fill" ? fill() : search())
