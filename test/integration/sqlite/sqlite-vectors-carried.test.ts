import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inflateRawSync } from "node:zlib"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { z } from "zod"
import { scriptedEmbedder } from "../../../adapters/models/scripted.js"
import smallVectors from "../../../adapters/sql/migrations/0013-small-vectors.js"
import vectorsByNumber from "../../../adapters/sql/migrations/0065-vectors-by-number.js"
import { sqliteClient } from "../../../adapters/sqlite/client.js"
import { createEngine } from "../../../adapters/sqlite/index.js"
import { bytesToVector } from "../../../core/vectors/index.js"

const Rows = z.array(z.object({ label: z.number(), vector: z.instanceof(Uint8Array).nullable() }))

let vault = ""
beforeEach(() => {
  vault = mkdtempSync(join(tmpdir(), "kanon-carried-"))
  for (const topic of ["kiln", "glaze", "clay", "tide", "anchor"])
    writeFileSync(join(vault, `${topic}.md`), `# The ${topic}\n\nAll that is known of every ${topic}.\n`)
})
afterEach(() => rmSync(vault, { recursive: true, force: true }))

/** Opens the vault, lets the vectors settle, and tells what a search finds and how many texts were embedded. */
const visit = async (ingest: boolean) => {
  const scripted = scriptedEmbedder(8, "kept")
  let embedded = 0
  const embedder: typeof scripted = {
    ...scripted,
    embed: (texts, purpose) => {
      if (purpose === "passage") embedded += texts.length
      return scripted.embed(texts, purpose)
    }
  }
  const engine = await createEngine({ vault, models: { embedder } })
  if (ingest) await engine.ingest({ wait: true })
  const { results } = await engine.search("kiln", { limit: 5 })
  await engine.close()
  return { embedded, found: results.map(({ channels, docPath, score }) => [docPath, score, channels]) }
}

const inDatabase = <A>(work: (database: Database.Database) => A): A => {
  const database = new Database(join(vault, ".kanon", "kanon.sqlite"))
  try {
    return work(database)
  } finally {
    database.close()
  }
}

const vectors = (database: Database.Database) =>
  Rows.parse(database.prepare("select label, vector from vector order by label").all())

/** Makes the database what it was before vectors had two bytes a number, in rows that name their workspace by its id. */
const asBefore = (database: Database.Database): void => {
  const rows = vectors(database)
  database.exec(`create table vector_before as select w.id as workspace_id, v.model, v.label, v.document_id,
    v.text_hash || '0123456789abcdef' as text_hash, v.seq, v.vector from vector v join workspace w on w.number = v.workspace_no;
    drop table vector; alter table vector_before rename to vector`)
  const write = database.prepare("update vector set vector = ? where label = ?")
  for (const { label, vector } of rows) {
    const numbers = vector === null ? null : bytesToVector(vector).map((value) => value + 4e-6)
    write.run(numbers === null ? null : new Uint8Array(numbers.buffer), label)
  }
  database.prepare("update vector_artefact set bytes = ?").run(new Uint8Array())
}

describe("a database of before vectors had two bytes a number", () => {
  it("keeps its vectors through the migrations, rounded, and embeds nothing again", async () => {
    const first = await visit(true)
    const before = inDatabase(vectors)
    expect(before.length).toBe(5)
    expect(first.embedded).toBe(5)
    inDatabase(asBefore)
    const filename = join(vault, ".kanon", "kanon.sqlite")
    const migrated = Effect.zipRight(smallVectors, vectorsByNumber)
    await Effect.runPromise(Effect.provide(migrated, sqliteClient({ filename })))
    const again = await visit(false)
    expect(again.embedded).toBe(0)
    expect(again.found.map(([path]) => path)).toEqual(first.found.map(([path]) => path))
    const after = inDatabase(vectors)
    expect(after.map(({ vector }) => vector?.length)).toEqual(before.map(({ vector }) => vector?.length))
    for (const [place, { label, vector }] of after.entries()) {
      const [was, is] = [before[place]?.vector, vector].map((bytes) =>
        bytesToVector(bytes ?? new Uint8Array(4))
      )
      expect(label).toBe(before[place]?.label)
      is?.forEach((value, i) => {
        expect(Math.abs(value - (was?.[i] ?? 9))).toBeLessThan(0.001)
      })
    }
    const artefacts = inDatabase((database) =>
      database.prepare("select bytes from vector_artefact").pluck().all()
    )
    expect(
      artefacts.map((bytes) => (bytes instanceof Uint8Array ? inflateRawSync(bytes).length : null))
    ).toEqual([0])
  })
})
