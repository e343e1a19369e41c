import { cacheDamages } from "./damages-cache.js"
import { conceptDamages } from "./damages-concepts.js"
import { documentDamages } from "./damages-documents.js"
import { graphDamages } from "./damages-graph.js"
import { historyDamages } from "./damages-history.js"
import { searchDamages } from "./damages-search.js"
import { versionDamages } from "./damages-versions.js"
import { type Damage, run } from "./harm.js"
import type { Patient } from "./patient.js"

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

/** Every kind of damage. */
export const damages: ReadonlyArray<Damage> = [
  ["database_damaged", "an index that lacks rows", loseIndex],
  [
    "job_lost",
    "a job whose worker is gone",
    run(
      `insert into job (workspace_id, id, kind, payload, status, priority, attempt, max_attempts, run_at, lease_owner, lease_token, lease_until, created_at)
        select workspace_id, 'job_01m7y8bm4zectrbx5qmb5s6bjz', 'index_merge', '{}', 'running', 0, 1, 5, '2026-01-01T00:00:00.000Z', 'gone', 1, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z' from (select id as workspace_id from workspace)`
    )
  ],
  ...documentDamages,
  ...searchDamages,
  ...graphDamages,
  ...versionDamages,
  ...conceptDamages,
  ...cacheDamages,
  ...historyDamages
]
