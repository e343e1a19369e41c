import { createHash } from "node:crypto"
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  unlinkSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import Database from "better-sqlite3"
import { z } from "zod"
import { createEngine, type Engine } from "../../adapters/sqlite/index.js"
import { relinkTrail, unguarded } from "./history.js"

/** A workspace on disk, closed. */
export interface Patient {
  readonly vault: string
  readonly data: string
  /** Opens the database by itself, hands it over, closes it. */
  readonly sql: <A>(use: (database: Database.Database) => A) => A
  /** Opens an engine that mends nothing by itself, hands it over, closes it. */
  readonly using: <A>(
    use: (engine: Engine) => Promise<A>,
    options?: { readonly worker?: boolean }
  ) => Promise<A>
}

const patientIn = (root: string): Patient => {
  const [vault, data] = [join(root, "vault"), join(root, "data")]
  return {
    vault,
    data,
    sql: (use) => {
      const database = new Database(join(data, "kanon.sqlite"))
      try {
        return use(database)
      } finally {
        database.close()
      }
    },
    using: async (use, { worker = false } = {}) => {
      const engine = await createEngine({ vault, data, worker, mend: false, thread: false })
      try {
        return await use(engine)
      } finally {
        await engine.close()
      }
    }
  }
}

const topics = ["Orchard", "Harbour", "Quarry", "Foundry", "Vineyard", "Lighthouse"]
const sections = 10

/** A page with ten passages, links to the others, tags and a term that all of them use. */
const page = (topic: string, place: number): string =>
  [
    "---",
    `title: ${topic}`,
    `aliases: [The ${topic} Place]`,
    `tags: [site, ${place % 2 === 0 ? "north" : "south"}]`,
    "---",
    ...Array.from(
      { length: sections },
      (_, section) =>
        `\n## ${topic} part ${section}\n\nThe ${topic} of the Selborne Estate keeps ${section + 2} ledgers of ${topic.toLowerCase()} work. ` +
        `See [[${topics[(place + section + 1) % topics.length]}]] for the season of ${1900 + section * place}.\n`
    )
  ].join("\n")

let healthy: Promise<string> | undefined

const makeHealthy = async (): Promise<string> => {
  const root = mkdtempSync(join(tmpdir(), "kanon-healthy-"))
  const patient = patientIn(root)
  mkdirSync(patient.vault)
  for (const [place, topic] of topics.entries())
    writeFileSync(join(patient.vault, `${topic.toLowerCase()}.md`), page(topic, place))
  // A file changed within two seconds is read again: the test wants to start from rest.
  for (const topic of topics)
    utimesSync(join(patient.vault, `${topic.toLowerCase()}.md`), new Date(2020, 1, 1), new Date(2020, 1, 1))
  await patient.using(
    async (engine) => {
      await engine.ingest()
      const gone = await engine.documents.getByPath("lighthouse.md")
      await engine.documents.remove(gone.id)
      await engine.entities.create({ name: "Mistress Ada", type: "person", aliases: ["Ada"] })
      const made = await engine.entities.create({ name: "Master Bo", type: "person" })
      await engine.entities.update(made.id, { description: "Keeps the ledgers." })
      await engine.ingest()
    },
    { worker: true }
  )
  return root
}

/** Hands over a copy of a whole workspace: five live documents, one in the trash, two entities made by a person. */
export const withPatient = async (use: (patient: Patient) => Promise<void>): Promise<void> => {
  healthy ??= makeHealthy()
  const root = mkdtempSync(join(tmpdir(), "kanon-patient-"))
  try {
    cpSync(await healthy, root, { recursive: true, preserveTimestamps: true })
    await use(patientIn(root))
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

/** Removes the workspace that the copies are made of; test files share this module, so the next one makes its own. */
export const burnHealthy = async (): Promise<void> => {
  const root = healthy
  healthy = undefined
  if (root !== undefined) rmSync(await root, { recursive: true, force: true })
}

/** Runs statements. */
export const run =
  (...statements: ReadonlyArray<string>) =>
  ({ sql }: Patient): void =>
    sql((database) => {
      for (const statement of statements) database.exec(statement)
    })

/** Flips a bit in the middle of some bytes. */
export const flip = (table: string, column: string, where: string) => (patient: Patient) =>
  patient.sql((database) => {
    database.function("flip", (bytes) => {
      if (!(bytes instanceof Uint8Array)) return bytes
      const copy = Buffer.from(bytes)
      const middle = copy.length >>> 1
      copy[middle] = (copy[middle] ?? 0) ^ 0x10
      return copy
    })
    database.exec(`update ${table} set ${column} = flip(${column}) where ${where}`)
  })

const orchard = "(select id from document where path = 'orchard.md')"
const firstChunk = `(select min(label) from chunk where document_id = ${orchard})`
const nobody = "doc_00000000000000000000000000"

/** Takes rows out of an index of a table, which only damage to the file can do. */
const loseIndex = ({ sql }: Patient): void =>
  sql((database) => {
    database.unsafeMode(true)
    const index = database.prepare("select * from sqlite_schema where name = 'document_seq'").get()
    database.pragma("writable_schema = on")
    database.exec("delete from sqlite_schema where name = 'document_seq'")
    database.pragma("writable_schema = reset")
    database.exec("update document set seq = seq + 0; update document set title = title, seq = seq + 1000")
    database.exec("update document set seq = seq - 1000 where path <> 'orchard.md'")
    database.exec(`update document set seq = seq - 1000`)
    database.pragma("writable_schema = on")
    if (typeof index === "object" && index !== null)
      database
        .prepare("insert into sqlite_schema values (?, ?, ?, ?, ?)")
        .run(
          ...["type", "name", "tbl_name", "rootpage", "sql"].map(
            (key) => Object.entries(index).find(([name]) => name === key)?.[1]
          )
        )
    database.pragma("writable_schema = reset")
  })

/** A kind of damage: the code under which it is found, and what does it to a closed workspace. */
export type Damage = readonly [code: string, what: string, harm: (patient: Patient) => void | Promise<void>]

/** Every kind of damage, save for those in files of their own. */
export const damages: ReadonlyArray<Damage> = [
  ["database_damaged", "an index that lacks rows", loseIndex],
  [
    "row_unreadable",
    "front matter, headings and a reading that are no JSON, and a worth that there is not",
    run(
      `update document set front_matter = '{' where path = 'quarry.md'`,
      `update document set verification = 'golden' where path = 'harbour.md'`,
      `update chunk set heading_path = '[' where label = ${firstChunk}`,
      `update graph_document set facts = '{', targets = '[' where document_id = ${orchard}`
    )
  ],
  [
    "row_unreadable",
    "lists of entities that are no JSON, and states that there are not",
    run(
      "update entity set steward_ids = '[', person_fields = 'x', merged_ids = '' where name = 'Master Bo'",
      "update entity set authority = 'divine', lifecycle = 'new', origin = 'elsewhere' where name = 'Mistress Ada'"
    )
  ],
  [
    "file_new",
    "a file that nobody took in",
    ({ vault }) => writeFileSync(join(vault, "new.md"), "# New\n\nFresh.\n")
  ],
  [
    "file_changed",
    "a file that somebody changed",
    ({ vault }) => appendFileSync(join(vault, "quarry.md"), "\nAnd stone.\n")
  ],
  [
    "file_changed",
    "a file that changed and looks untouched",
    run("update document set content_hash = 'f' || substr(content_hash, 2) where path = 'quarry.md'")
  ],
  ["file_missing", "a file that is gone", ({ vault }) => unlinkSync(join(vault, "quarry.md"))],
  [
    "file_moved",
    "a file that went elsewhere",
    ({ vault }) => {
      cpSync(join(vault, "quarry.md"), join(vault, "elsewhere.md"))
      unlinkSync(join(vault, "quarry.md"))
    }
  ],
  [
    "stray_file",
    "a temporary file of a dead process",
    ({ vault }) => {
      mkdirSync(join(vault, ".kanon", "staged"), { recursive: true })
      writeFileSync(join(vault, ".kanon", "staged", "4194301-lost.tmp"), "half")
    }
  ],
  [
    "file_operation_open",
    "a write that was never finished",
    run(
      `insert into file_intent (workspace_id, id, kind, document_id, path, source, content_hash)
        select workspace_id, 999, 'write', id, path, null, content_hash from document where path = 'orchard.md'`
    )
  ],
  [
    "content_lost",
    "kept bytes that are gone",
    run(`delete from document_content where document_id = ${orchard}`)
  ],
  [
    "content_lost",
    "kept bytes with a flipped bit",
    flip("document_content", "bytes", `document_id = ${orchard}`)
  ],
  [
    "document_differs",
    "a title that the text does not have",
    run("update document set title = 'Wrong' where path = 'orchard.md'")
  ],
  [
    "document_differs",
    "tags that are not filed",
    run(`delete from document_tag where document_id = ${orchard}`)
  ],
  [
    "document_differs",
    "a path that is filed wrongly",
    run("update document set path_key = 'x' where path = 'orchard.md'")
  ],
  ["database_damaged", "history that nobody guards", run("drop trigger audit_unchanged")],
  [
    "document_unaudited",
    "a document that no trail tells of",
    ({ sql }) =>
      sql((database) => {
        unguarded(database, () => database.exec(`delete from audit where subject_id = ${orchard}`))
        relinkTrail(database)
      })
  ],
  ["document_lost", "bytes whose row is gone", run("delete from document where deleted_at is not null")],
  [
    "passages_differ",
    "a passage with another text",
    run(`update chunk set text = 'x' || text where label = ${firstChunk}`)
  ],
  ["passages_differ", "a passage that is gone", run(`delete from chunk where label = ${firstChunk}`)],
  [
    "passages_differ",
    "a passage that went to another document",
    run(
      `update chunk set document_id = (select id from document where path = 'quarry.md') where label = ${firstChunk}`
    )
  ],
  [
    "orphan_rows",
    "a passage of nobody",
    run(
      `insert into chunk select workspace_id, 9999, 'chk_x', '${nobody}', 0, '[]', 'lost', 0, 4 from (select id as workspace_id from workspace)`
    )
  ],
  [
    "counter_behind",
    "a counter that was set back",
    run("update counter set value = 1 where name in ('document_seq', 'chunk_label')")
  ],
  ["segment_damaged", "a flipped bit in a block", flip("posting_block", "bytes", "ordinal = 0")],
  ["segment_damaged", "a flipped bit in a directory", flip("posting_directory", "bytes", "1 = 1")],
  ["segment_damaged", "a missing block", run("delete from posting_block where ordinal = 0")],
  [
    "segment_damaged",
    "a directory that is cut off",
    run("update posting_directory set bytes = substr(bytes, 1, 40)")
  ],
  ["segment_damaged", "a missing directory", run("delete from posting_directory")],
  [
    "segment_damaged",
    "counts that are not those of the bytes",
    run("update posting_segment set live_length = live_length + 7")
  ],
  [
    "segment_parts_stray",
    "blocks of no segment",
    run(
      "insert into posting_block select workspace_id, 'x', 0, x'00', null from (select id as workspace_id from workspace)"
    )
  ],
  [
    "postings_missing",
    "passages that were never indexed",
    run(
      "delete from posting_segment",
      "delete from posting_directory",
      "delete from posting_block",
      "delete from posting_dead"
    )
  ],
  [
    "postings_surplus",
    "passages that went without their postings",
    run(`delete from chunk where document_id = ${orchard}`)
  ],
  [
    "postings_stale",
    "postings of another text",
    async (patient) => {
      run(
        `update chunk set text = 'x' || text where label = ${firstChunk}`,
        "delete from posting_segment"
      )(patient)
      // The index is made anew from what the rows say at this moment.
      const { data, vault } = patient
      await (await createEngine({ vault, data, worker: false, thread: false })).close()
      run(`update chunk set text = substr(text, 2) where label = ${firstChunk}`)(patient)
    }
  ],
  ["vectors_missing", "a vector that is gone", run(`delete from vector where label = ${firstChunk}`)],
  [
    "vectors_stale",
    "a vector of another text",
    run(`update vector set text_hash = 'x' where label = ${firstChunk}`)
  ],
  [
    "vectors_surplus",
    "a vector of a passage that is gone",
    run(
      "update vector set label = 99999 where label = (select max(label) from vector where vector is not null)"
    )
  ],
  ["vector_damaged", "a vector with a flipped bit", flip("vector", "vector", `label = ${firstChunk}`)],
  [
    "vector_damaged",
    "a vector that is cut off",
    run(`update vector set vector = substr(vector, 1, 12) where label = ${firstChunk}`)
  ],
  ["vector_model_damaged", "a model with a flipped bit", flip("vector_artefact", "bytes", "1 = 1")],
  [
    "vector_index_damaged",
    "an index on disk that is not what was written",
    ({ data, sql }) => {
      const model = sql((database) =>
        z
          .object({ workspace_id: z.string(), id: z.string(), dimensions: z.number() })
          .parse(database.prepare("select workspace_id, id, dimensions from vector_model").get())
      )
      const name = createHash("sha256").update(model.id).digest("hex").slice(0, 16)
      const folder = join(data, "vectors", model.workspace_id, `${name}-${model.dimensions}`)
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, "manifest.json"), "{}")
    }
  ],
  [
    "vector_cursor_ahead",
    "a model that believes to be further",
    run("update vector_model set document_seq = 100000")
  ],
  [
    "vectors_unattended",
    "a model that is behind, and no job",
    run("update vector_model set document_seq = 1")
  ],
  [
    "vector_rows_stray",
    "vectors of no model",
    run(
      `insert into vector (workspace_id, model, label, document_id, text_hash, seq, vector) select workspace_id, 77, 1, '${nobody}', '', 1, x'00' from (select id as workspace_id from workspace)`
    )
  ],
  [
    "graph_unattended",
    "a graph that is behind, and no job",
    run("update graph_state set document_cursor = 1")
  ],
  [
    "graph_cursor_ahead",
    "a graph that believes to be further",
    run("update graph_state set document_cursor = 100000")
  ],
  [
    "graph_rows_stray",
    "mentions of nobody",
    run(
      `insert into mention select workspace_id, '${nobody}', 1, 0, 3, 'ent_x', 'x', 1, null from (select id as workspace_id from workspace)`
    )
  ],
  [
    "readings_differ",
    "a reading that is gone",
    run(`delete from graph_document where document_id = ${orchard}`)
  ],
  [
    "readings_differ",
    "a reading with other facts",
    run(
      `update graph_document set facts = json_set(facts, '$.tags', json('["x"]')) where document_id = ${orchard}`
    )
  ],
  [
    "readings_differ",
    "claims that are gone",
    run(`delete from graph_claim where document_id = ${orchard} and role = 'tag'`)
  ],
  [
    "names_differ",
    "an entity that no document names",
    run(
      "update entity set claim_key = 'nobody says this', name = 'X', name_norm = 'x', name_key = 'x' where name = 'Selborne Estate'"
    )
  ],
  [
    "surfaces_differ",
    "a surface that is gone",
    run("delete from graph_surface where key = (select min(key) from graph_surface)")
  ],
  ["mentions_differ", "mentions that are gone", run(`delete from mention where document_id = ${orchard}`)],
  [
    "relations_differ",
    "evidence that is gone",
    run(`delete from relation_evidence where document_id = ${orchard}`)
  ],
  ["relations_differ", "a relation that counts wrongly", run("update relation set evidence_count = 40")],
  ["edges_differ", "edges that are gone", run("delete from edge where type = 'tagged'")],
  ["ranks_differ", "ranks that were never computed", run("update entity set pagerank = null")],
  [
    "entity_unrevised",
    "a name that no revision tells of",
    run("update entity set description = 'Somebody else.' where name = 'Master Bo'")
  ],
  ["entity_unrevised", "aliases that are gone", run("delete from entity_alias where alias = 'Ada'")],
  [
    "entity_lost",
    "an entity that is gone",
    run("delete from entity where name = 'Mistress Ada'", "delete from entity_alias where alias = 'Ada'")
  ],
  [
    "entity_head_differs",
    "an entity that counts as another",
    run(
      "update entity set head_id = (select id from entity where name = 'Mistress Ada') where name = 'Master Bo'"
    )
  ],
  [
    "entity_misfiled",
    "an entity that is not found by its name",
    run("update entity set name_key = 'x' where name = 'Master Bo'")
  ],
  [
    "entity_aliases_stray",
    "aliases of nobody",
    run(
      "insert into entity_alias select workspace_id, 'ent_x', 'x', 'X', 'x', 0 from (select id as workspace_id from workspace)"
    )
  ],
  [
    "job_lost",
    "a job whose worker is gone",
    run(
      `insert into job (workspace_id, id, kind, payload, status, priority, attempt, max_attempts, run_at, lease_owner, lease_token, lease_until, created_at)
        select workspace_id, 'job_01m7y8bm4zectrbx5qmb5s6bjz', 'index_merge', '{}', 'running', 0, 1, 5, '2026-01-01T00:00:00.000Z', 'gone', 1, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z' from (select id as workspace_id from workspace)`
    )
  ]
]
