import { createHash } from "node:crypto"
import { appendFileSync, cpSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { z } from "zod"
import { type Damage, firstChunk, flip, nobody, orchard, orchardNo, run } from "./damage.js"

const own = "(select id as workspace_id from workspace)"

/** Damage to files, which a repair reconciles with the rows. */
const fileDamages: ReadonlyArray<Damage> = [
  [
    "file_new",
    "a file without a document",
    ({ vault }) => writeFileSync(join(vault, "new.md"), "# New\n\nFresh.\n")
  ],
  [
    "file_changed",
    "a changed file",
    ({ vault }) => appendFileSync(join(vault, "quarry.md"), "\nAnd stone.\n")
  ],
  ["file_missing", "a missing file", ({ vault }) => unlinkSync(join(vault, "harbour.md"))],
  [
    "file_moved",
    "a moved file",
    ({ vault }) => {
      cpSync(join(vault, "foundry.md"), join(vault, "elsewhere.md"))
      unlinkSync(join(vault, "foundry.md"))
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
    "trash_file_stray",
    "a copy of a live document in the trash",
    ({ vault }) => {
      mkdirSync(join(vault, ".kanon", "trash"), { recursive: true })
      writeFileSync(
        join(vault, ".kanon", "trash", "doc_01m7y8bm4zectrbx5qmb5s6bjz.md"),
        readFileSync(join(vault, "vineyard.md"))
      )
    }
  ],
  [
    "file_operation_open",
    "a pending write",
    run(
      `insert into file_intent (workspace_id, id, kind, document_id, path, source, content_hash)
        select workspace_id, 999, 'write', id, path, null, content_hash from document where path = 'orchard.md'`
    )
  ],
  ["content_lost", "a missing kept text", run(`delete from document_content where document_id = ${orchard}`)],
  [
    "content_lost",
    "a kept text with a flipped bit",
    flip("document_content", "bytes", `document_id = ${orchard}`)
  ]
]

/** Damage to rows that are derived from documents. */
const documentDamages: ReadonlyArray<Damage> = [
  [
    "row_unreadable",
    "front matter, headings and an extraction record that cannot be parsed",
    run(
      `update document set front_matter = '{' where path = 'quarry.md'`,
      `update chunk set heading_path = '[' where label = ${firstChunk}`,
      `update graph_document set facts = x'00', targets = '[' where document_id = ${orchard}`
    )
  ],
  [
    "readers_differ",
    "a document that is hidden without a list or a rule",
    run(
      `insert into document_access (workspace_id, document_id, list_id)
        select workspace_id, id, 'none' from document where path = 'orchard.md'`
    )
  ],
  ["document_differs", "a wrong title", run("update document set title = 'Wrong' where path = 'orchard.md'")],
  ["document_differs", "missing tags", run(`delete from document_tag where document_id = ${orchard}`)],
  [
    "document_differs",
    "a wrong path key",
    run("update document set path_key = 'x' where path = 'orchard.md'")
  ],
  [
    "document_differs",
    "path keys of two documents that are swapped",
    run(
      "update document set path_key = 'between' where path = 'orchard.md'",
      "update document set path_key = 'orchard.md' where path = 'vineyard.md'",
      "update document set path_key = 'vineyard.md' where path = 'orchard.md'"
    )
  ],
  [
    "passages_differ",
    "a passage with another text",
    run(`update chunk set text = 'x' || text where label = ${firstChunk}`)
  ],
  ["passages_differ", "a missing passage", run(`delete from chunk where label = ${firstChunk}`)],
  [
    "passages_differ",
    "a passage of another document",
    run(
      `update chunk set document_id = (select id from document where path = 'vineyard.md') where label = ${firstChunk}`
    )
  ],
  [
    "orphan_rows",
    "a passage of no document",
    run(
      `insert into chunk (workspace_id, label, id, document_id, ordinal, heading_path, text, start_offset, end_offset)
        select workspace_id, 9999, 'chk_x', '${nobody}', 0, '[]', 'lost', 0, 4 from ${own}`
    )
  ],
  [
    "counter_behind",
    "counters that were set back",
    run("update counter set value = 1 where name in ('document_seq', 'chunk_label', 'id_number')")
  ],
  [
    "entity_head_differs",
    "a wrong head of an entity",
    run(
      "update entity set head_id = (select id from entity where name = 'Mistress Ada') where name = 'Master Bo'"
    )
  ],
  [
    "entity_misfiled",
    "a wrong key of a name",
    run("update entity set name_key = 'x' where name = 'Master Bo'")
  ]
]

/** Damage to the text index and the vectors. */
const searchDamages: ReadonlyArray<Damage> = [
  ["segment_damaged", "a block with a flipped bit", flip("posting_block", "bytes", "ordinal = 0")],
  ["segment_damaged", "a missing directory", run("delete from posting_directory")],
  [
    "segment_damaged",
    "wrong counts of a segment",
    run("update posting_segment set live_length = live_length + 7")
  ],
  [
    "segment_parts_stray",
    "a block of no segment",
    run(`insert into posting_block select workspace_id, 'x', 0, x'00', null from ${own}`)
  ],
  [
    "postings_missing",
    "a lost text index",
    run(
      "delete from posting_segment",
      "delete from posting_directory",
      "delete from posting_block",
      "delete from posting_dead"
    )
  ],
  [
    "postings_stale",
    "postings of another text",
    run(`update chunk set text = text || ' changed' where label = ${firstChunk}`)
  ],
  [
    "postings_surplus",
    "postings of missing passages",
    run(`delete from chunk where document_id = ${orchard}`)
  ],
  ["vectors_missing", "a missing vector", run(`delete from vector where label = ${firstChunk}`)],
  [
    "vectors_stale",
    "a vector of another text",
    run(`update vector set text_hash = 'x' where label = ${firstChunk}`)
  ],
  [
    "vectors_surplus",
    "a vector of a missing passage",
    run(
      "update vector set label = 99999 where label = (select max(label) from vector where vector is not null)"
    )
  ],
  ["vector_damaged", "a vector with a flipped bit", flip("vector", "vector", `label = ${firstChunk}`)],
  ["vector_model_damaged", "a model with a flipped bit", flip("vector_artefact", "bytes", "1 = 1")],
  [
    "vector_cursor_ahead",
    "a cursor of the vectors that is ahead",
    run("update vector_model set document_seq = 100000")
  ],
  [
    "vectors_unattended",
    "vectors that are behind without a job",
    run("update vector_model set document_seq = 1")
  ],
  [
    "vector_rows_stray",
    "a vector of no model",
    run(
      `insert into vector (workspace_id, model, label, document_id, text_hash, seq, vector)
        select id, 77, 1, '${nobody}', '', 1, x'00' from workspace`
    )
  ]
]

/** Damage to the graph. */
const graphDamages: ReadonlyArray<Damage> = [
  [
    "graph_unattended",
    "a graph that is behind without a job",
    run("update graph_state set document_cursor = 1")
  ],
  [
    "graph_cursor_ahead",
    "a cursor of the graph that is ahead",
    run("update graph_state set document_cursor = 100000")
  ],
  [
    "graph_rows_stray",
    "mentions and claims of no document",
    run(
      "insert into mention select id, 4001, 1, 0, 3, 4002, 'x', 1, null from workspace",
      "insert into graph_claim select id, 4001, 1, 'x', 'tag', 'concept', 'X', '', null, 0, 0 from workspace"
    )
  ],
  [
    "readings_differ",
    "missing claims",
    run(`delete from graph_claim where document_no = ${orchardNo} and role = 'tag'`)
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
    "a missing surface",
    run("delete from graph_surface where key = (select min(key) from graph_surface)")
  ],
  ["mentions_differ", "missing mentions", run(`delete from mention where document_no = ${orchardNo}`)],
  [
    "relations_differ",
    "missing evidence",
    run(`delete from relation_evidence where document_id = ${orchard}`)
  ],
  ["relations_differ", "wrong evidence counts", run("update relation set evidence_count = 40")],
  ["edges_differ", "missing edges", run("delete from edge where type = 'tagged'")],
  ["ranks_differ", "missing ranks", run("update entity set pagerank = null")]
]

const cacheEntry = `insert into answer_cache_entry select id, 'an entry', 'scope', 'evidence', 'versions', 'How long?',
  '{"answer":"Ten.","claims":[],"checks":[],"sources":[],"entityIds":[],"verdict":null}', 100,
  '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', '2999-01-01T00:00:00.000Z' from workspace`

/** Damage to caches and to the queue. */
const otherDamages: ReadonlyArray<Damage> = [
  ["cache_entry_astray", "a cached answer without documents", run(cacheEntry)],
  [
    "job_lost",
    "a job whose worker is gone",
    run(
      `insert into job (workspace_id, id, kind, payload, status, priority, attempt, max_attempts, run_at, lease_owner, lease_token, lease_until, created_at)
        select workspace_id, 'job_01m7y8bm4zectrbx5qmb5s6bjz', 'index_merge', '{}', 'running', 0, 1, 5, '2026-01-01T00:00:00.000Z', 'gone', 1, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z' from ${own}`
    )
  ]
]

/** Damage that only exists on SQLite, or that only its functions can do. */
export const sqliteDamages: ReadonlyArray<Damage> = [
  [
    "vector_index_damaged",
    "a damaged file of the vector index",
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
  ]
]

/** Every kind of damage to files and derived data, on both databases. */
export const damages: ReadonlyArray<Damage> = [
  ...fileDamages,
  ...documentDamages,
  ...searchDamages,
  ...graphDamages,
  ...otherDamages
]

/** Damage to primary rows: the code of the finding, the table it names, and the statements. */
export const primaryDamages: ReadonlyArray<
  readonly [code: string, subject: RegExp, statements: ReadonlyArray<string>]
> = [
  [
    "row_unreadable",
    /^entity\.steward_ids ent_/,
    ["update entity set steward_ids = '[' where name = 'Master Bo'"]
  ],
  [
    "row_unreadable",
    /^document\.verification doc_/,
    ["update document set verification = 'golden' where path = 'quarry.md'"]
  ],
  ["record_impossible", /^references$/, ["delete from entity where name = 'Mistress Ada'"]],
  ["record_impossible", /^references$/, ["delete from document_version where version = 1"]],
  ["orphan_rows", /^content of doc_/, ["delete from document where deleted_at is not null"]],
  [
    "record_impossible",
    /^document doc_/,
    ["update document set created_at = 'yesterday' where path = 'quarry.md'"]
  ]
]
