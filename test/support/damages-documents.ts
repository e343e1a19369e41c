import { appendFileSync, cpSync, mkdirSync, unlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Damage, firstChunk, flip, nobody, orchard, run } from "./harm.js"
import { relinkTrail } from "./history.js"
import type { Patient } from "./patient.js"

const trashFile = ({ vault }: Patient, id: string): string => join(vault, ".kanon", "trash", `${id}.md`)

/** Every kind of damage to files, documents and their passages. */
export const documentDamages: ReadonlyArray<Damage> = [
  [
    "row_unreadable",
    "bytes where texts belong, and words where numbers do",
    run(
      "update document set title = cast(title as blob), path = cast(path as blob) where path = 'quarry.md'",
      "update document set mtime_ms = 'yesterday' where path = 'harbour.md'",
      `update chunk set text = cast(text as blob), start_offset = 'first' where label = ${firstChunk}`,
      "update entity set name = cast(name as blob), steward_ids = x'5b5d' where name = 'Master Bo'",
      "update mention set key = cast(key as blob)"
    )
  ],
  [
    "row_unreadable",
    "front matter, headings and a reading that cannot be read, and a worth that there is not",
    run(
      `update document set front_matter = '{' where path = 'quarry.md'`,
      `update document set verification = 'golden' where path = 'harbour.md'`,
      `update chunk set heading_path = '[' where label = ${firstChunk}`,
      `update graph_document set facts = x'00', targets = '[' where document_id = ${orchard}`
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
    "trash_file_stray",
    "a file in the trash of a document that there never was",
    (patient) => writeFileSync(trashFile(patient, "doc_01m7y8bm4zectrbx5qmb5s6bjz"), "# Lost\n\nA page.\n")
  ],
  [
    "trash_file_stray",
    "a file in the trash of a document that is live and says something else",
    async (patient) => {
      const { id } = await patient.using((engine) => engine.documents.getByPath("quarry.md"))
      writeFileSync(trashFile(patient, id), "# Quarry\n\nWith chalk.\n")
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
  [
    "document_unaudited",
    "a document that no trail tells of",
    ({ sql }) =>
      sql((database) => {
        database.exec(`delete from audit where subject_id = ${orchard}`)
        relinkTrail(database)
      })
  ],
  ["document_lost", "bytes whose row is gone", run("delete from document where deleted_at is not null")],
  [
    "passages_differ",
    "a passage with another text",
    run(`update chunk set text = 'x' || text where label = ${firstChunk}`)
  ],
  [
    "passages_differ",
    "a passage that is there twice",
    run(
      `insert into chunk select workspace_id, label + 100000, id, document_id, ordinal, heading_path, text, start_offset, end_offset from chunk where label = ${firstChunk}`
    )
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
    "row_unreadable",
    "bytes that spell nothing where documents are named",
    run(`update chunk set document_id = x'fffe0001' where label = ${firstChunk}`)
  ],
  [
    "place_impossible",
    "a document and an entity that stand nowhere in the feed",
    run(
      `update document set seq = 0 where id = ${orchard}`,
      "update entity set seq = -7 where name = 'Master Bo'"
    )
  ],
  [
    "place_impossible",
    "two documents at one place in the feed",
    run("update document set seq = (select max(seq) from document)")
  ],
  [
    "passages_differ",
    "a passage under a number that none can have",
    run(`update chunk set label = -5 where label = ${firstChunk}`)
  ],
  ["counter_behind", "counters that stand where none can", run("update counter set value = 1 << 60")],
  [
    "counter_behind",
    "a counter that was set back",
    run("update counter set value = 1 where name in ('document_seq', 'chunk_label', 'id_number')")
  ]
]
