import { createHash } from "node:crypto"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { z } from "zod"
import { createEngine } from "../../adapters/sqlite/index.js"
import { type Damage, firstChunk, flip, nobody, orchard, run } from "./harm.js"

/** Every kind of damage to what is searched: postings and vectors. */
export const searchDamages: ReadonlyArray<Damage> = [
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
    "checksums that are not those of the bytes",
    run("update posting_block set checksum = 0", "update posting_directory set checksum = checksum + 1")
  ],
  [
    "segment_damaged",
    "blocks under numbers not theirs",
    run("update posting_block set ordinal = ordinal + 5")
  ],
  ["segment_damaged", "no bytes where some should be", run("update posting_directory set bytes = 'x'")],
  [
    "segment_damaged",
    "a list of removed passages that is cut off",
    run("update posting_dead set bytes = substr(bytes, 1, 0)")
  ],
  ["segment_damaged", "a list of removed passages that is gone", run("delete from posting_dead")],
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
  [
    "vector_feed_differs",
    "vectors that stand nowhere in their feed",
    run(`update vector set seq = 0 where label = ${firstChunk}`)
  ],
  [
    "vector_feed_differs",
    "a feed that ends before its last vector",
    run("update vector_model set feed_head = 0 where state = 'active'")
  ],
  [
    "row_unreadable",
    "a model of which nobody knows whether it counts",
    run("update vector_model set state = 'perhaps' where state = 'active'")
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
      `insert into vector (workspace_id, model, label, document_id, text_hash, seq, vector) select id, 77, 1, '${nobody}', '', 1, x'00' from workspace`
    )
  ]
]
