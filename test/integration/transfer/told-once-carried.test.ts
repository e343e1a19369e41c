import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { type RevisionRow, revisionFromRow } from "../../../adapters/sql/entities/revision-rows.js"
import {
  factsFromBytes,
  smallFromBytes,
  wordsFromBytes,
  wordsToBytes
} from "../../../adapters/sql/extraction/extraction-record-rows.js"
import toldOnce from "../../../adapters/sql/migrations/0064-told-once.js"
import edgeTypes from "../../../adapters/sql/migrations/0071-edge-types.js"
import { clientOf, createEngine, rowsBeside } from "../../support/database.js"
import { testDatabase } from "../../support/runs.js"
import { exported, linesOf, withPlace } from "../../support/transfer.js"

const Rows = z.array(z.record(z.string(), z.any()))
type Rows = z.infer<typeof Rows>

const rowsOf = async (data: string, table: string): Promise<Rows> =>
  Rows.parse(await rowsBeside(data, `select * from ${table}`))

/** Puts rows of a table in the place of those that it has, in columns of these types. */
const putInPlace = async (data: string, table: string, columns: string, rows: Rows): Promise<void> => {
  const cell = (value: unknown) => {
    if (value === null || value === undefined) return "null"
    if (!(value instanceof Uint8Array)) return `'${String(value).replaceAll("'", "''")}'`
    const hex = Buffer.from(value).toString("hex")
    return testDatabase === "sqlite" ? `x'${hex}'` : `'\\x${hex}'`
  }
  await rowsBeside(data, `drop table ${table}`)
  await rowsBeside(data, `create table ${table} (${columns})`)
  const names = columns.match(/\w+(?= (?:text|integer|blob|bytea)\b)/g) ?? []
  for (const row of rows) {
    const cells = names.map((name) => cell(row[name]))
    await rowsBeside(data, `insert into ${table} (${names.join()}) values (${cells.join()})`)
  }
}

/** Revisions as they were kept before: all of the snapshot, and every diff. */
const revisionsAsBefore = async (data: string): Promise<void> => {
  const rows = await rowsOf(data, "entity_revision")
  await putInPlace(
    data,
    "entity_revision",
    `workspace_id text not null, entity_id text not null, version integer not null, change_kind text not null,
      snapshot text not null, diff text not null, activity text not null, changed_by text not null, note text,
      created_at text not null, primary key (workspace_id, entity_id, version)`,
    rows.map((row) => {
      const { diff, snapshot } = revisionFromRow(row as RevisionRow)
      return { ...row, snapshot: JSON.stringify(snapshot), diff: JSON.stringify(diff) }
    })
  )
}

/** Readings as they were kept before: facts as they are, and all hashes of words in small letters. */
const readingsAsBefore = async (data: string): Promise<void> => {
  const rows = await rowsOf(data, "graph_document")
  const bytes = testDatabase === "sqlite" ? "blob" : "bytea"
  await putInPlace(
    data,
    "graph_document",
    `workspace_id text not null, document_id text not null, path text not null, title text not null,
      aliases text not null, name_key text not null, name_type text not null, entity_id text, facts text not null,
      targets text, words ${bytes} not null, small ${bytes} not null, stale integer not null,
      primary key (workspace_id, document_id)`,
    rows.map((row) => {
      const words = wordsFromBytes(row["words"])
      const small = wordsToBytes(smallFromBytes(words, row["small"]))
      return { ...row, facts: JSON.stringify(factsFromBytes(row["facts"])), small }
    })
  )
}

/** Edges as they were kept before: under the id of their workspace, and nothing counted of them. */
const edgesAsBefore = async (data: string): Promise<void> => {
  const [rows, [workspace]] = [await rowsOf(data, "edge"), await rowsOf(data, "workspace")]
  await putInPlace(
    data,
    "edge",
    `workspace_id text not null, src_id text not null, type text not null, dst_id text not null,
      mention_count integer not null, primary key (workspace_id, src_id, type, dst_id)`,
    rows.map((row) => ({ ...row, workspace_id: workspace?.["id"] }))
  )
  await rowsBeside(data, "drop table edge_type")
}

describe("a database of before what is told was kept once", () => {
  it("says the same through the migration, keeps it as a new one does, and refuses to change history", () =>
    withPlace(async (vault) => {
      const data = join(vault, ".kanon")
      mkdirSync(vault, { recursive: true })
      for (const topic of ["kiln", "glaze", "tide"])
        writeFileSync(
          join(vault, `${topic}.md`),
          `---\ntags: [pottery]\nauthor: Ada\n---\n# The ${topic}\n\nA [[glaze]] stands by the [kiln](kiln.md).\n`
        )
      const before = await createEngine({ vault, data })
      await before.ingest({ wait: true })
      const { entities } = await before.entities.list({ limit: 1 })
      for (const { id } of entities) await before.entities.certify(id)
      await before.ingest({ wait: true })
      const told = linesOf(await exported(before))
      await before.close()
      const tables = ["entity_revision", "graph_document", "edge"]
      const rows = async (...others: ReadonlyArray<string>) => {
        const found = await Promise.all([...tables, ...others].map((table) => rowsOf(data, table)))
        return found
          .flat()
          .map((row) => JSON.stringify(row))
          .sort()
      }
      const kept = await rows("edge_type")
      await revisionsAsBefore(data)
      await readingsAsBefore(data)
      await edgesAsBefore(data)
      for (const row of await rows()) expect(kept).not.toContain(row)
      const client = await clientOf(data)
      for (const migration of [toldOnce, edgeTypes])
        await Effect.runPromise(Effect.provide(migration, client))
      expect(await rows("edge_type")).toEqual(kept)
      await expect(rowsBeside(data, "delete from entity_revision")).rejects.toThrow("append-only")
      const after = await createEngine({ vault, data })
      expect(linesOf(await exported(after))).toEqual(told)
      expect(await after.doctor()).toMatchObject({ ok: true, differences: 0 })
      await after.close()
    }))
})
