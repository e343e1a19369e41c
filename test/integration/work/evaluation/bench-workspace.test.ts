import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import Sqlite from "better-sqlite3"
import { expect, it } from "vitest"
import { gridOf } from "../../../../server/cli/bench-grid.js"
import { runIndex, writeVault } from "../../../../server/cli/bench-workspace.js"
import { temporaryFolder } from "../../../support/folders.js"

const folder = temporaryFolder("bench-workspace")

it("a collection is searched without names of its documents, which would lie in memory", async () => {
  const documents = ["The grey heron fishes.", "The kestrel hunts voles.", "The wren nests in hedges."]
  const corpus = join(folder, "corpus.jsonl")
  writeFileSync(
    corpus,
    documents.map((text, at) => JSON.stringify({ _id: `d${at}`, title: `Bird ${at}`, text })).join("\n")
  )
  const written = await writeVault(corpus, join(folder, "vault"))
  const [planned] = gridOf({
    chunkChars: "1500",
    stemming: "yes",
    embedder: "built-in",
    channels: "fts",
    rrfK: "60",
    vectorWeight: "auto",
    demotion: "yes",
    rerank: "no"
  })
  if (planned === undefined) throw new RangeError("The grid plans a run.")
  const data = join(folder, "data")
  mkdirSync(data)
  const { runs } = await runIndex(
    written,
    data,
    { index: planned.index, vectors: planned.vectors },
    { topics: [["q1", new Map([["d1", 1]])]], asked: new Map([["q1", "Which bird hunts voles?"]]), seed: 1 },
    planned.runs,
    async () => {}
  )
  expect([...runs.values()].map((run) => run.get("q1")?.[0]?.id)).toEqual(["d1"])
  const database = new Sqlite(join(data, "kanon.sqlite"), { readonly: true })
  const rowsOf = (table: string) => database.prepare(`select count(*) from ${table}`).pluck().get()
  expect([rowsOf("document"), rowsOf("graph_document"), rowsOf("graph_claim"), rowsOf("entity")]).toEqual([
    3, 3, 0, 0
  ])
  database.close()
})
