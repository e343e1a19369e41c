import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Damage, run } from "./damage.js"
import type { Patient } from "./patient.js"

/** A job of this kind and state, whose worker does nothing. */
const job = (kind: string, status: "dead" | "queued"): string =>
  `insert into job (workspace_id, id, kind, payload, status, priority, attempt, max_attempts, run_at, lease_token, created_at, finished_at, error)
    select id, 'job_01m7y8bm4zectrbx5qmb5s6bjz', '${kind}', '{}', '${status}', 0, 0, 5, '2026-01-01T00:00:00.000Z', 1,
      '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', 'no luck' from workspace`

/** Changed and taken in; its vectors and graph are still to follow. */
const writeLate = ({ using }: Patient) =>
  using(async (engine) => {
    await engine.documents.create({ path: "late.md", content: "# Late\n\nA late page." })
  })

/** Remarks of the doctor about sound data: the code of each, and how to cause it. */
export const remarks: ReadonlyArray<Damage> = [
  [
    "file_skipped",
    "a file that is no text",
    ({ vault }) => writeFileSync(join(vault, "binary.md"), Buffer.from([0, 1, 2, 0]))
  ],
  [
    "rule_unused",
    "a rule of readers for a folder that is not there",
    ({ using }) =>
      using(async (engine) => {
        await engine.updateWorkspace({ access: { folders: [{ path: "gone/**", read: [] }] } })
      })
  ],
  ["graph_behind", "a document that the graph has still to follow", writeLate],
  ["vectors_behind", "a document that has no vectors yet", writeLate],
  ["job_dead", "a job that failed for good", run(job("index_merge", "dead"))],
  [
    "ranks_behind",
    "ranks that a job is about to compute",
    run("update entity set pagerank = null", job("graph_analytics", "queued"))
  ],
  [
    "text_index_old",
    "a text index of an earlier format",
    run(
      "update posting_segment set id = '1-' || id",
      ...["directory", "dead", "block"].map(
        (part) => `update posting_${part} set segment_id = '1-' || segment_id`
      )
    )
  ],
  [
    "trash_empty",
    "a document in the trash whose text is gone",
    (patient) => {
      run(
        "delete from document_content where document_id in (select id from document where deleted_at is not null)"
      )(patient)
      rmSync(join(patient.vault, ".kanon", "trash"), { recursive: true })
    }
  ]
]
