import { hash } from "node:crypto"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { type AuditDraft, type ChainHead, chainStart, linked } from "../../../core/audit/index.js"
import type { WorkspaceId } from "../../../core/kernel/index.js"
import { guardHistory } from "../audit/append-only.js"
import { storedToRow } from "../audit/audit-rows.js"
import { fromJson } from "../codec.js"
import { dialect } from "../dialect.js"
import { insertRows } from "../rows.js"

/** Events that are linked at a time. */
const rowsPerPage = 500

interface LooseRow {
  readonly workspace_id: WorkspaceId
  readonly id: AuditDraft["id"]
  readonly action: string
  readonly actor: string
  readonly activity: string
  readonly subject_id: string
  readonly at: string
  readonly details: string
}

/**
 * The trail as a chain of hashes, in the order of its chain, with the end of each chain beside it; events from before
 * are linked in the order of their ids, which is that of their making. History refuses to be changed from here on.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { clustered } = dialect(sql)
  yield* sql`create table audit_chained (
    workspace_id text not null,
    seq bigint not null,
    id text not null,
    action text not null,
    actor text not null,
    activity text not null,
    subject_id text not null,
    at text not null,
    details text not null,
    request_id text,
    prev_hash text not null,
    hash text not null,
    primary key (workspace_id, seq)
  ) ${clustered}`
  yield* sql`create table audit_head (
    workspace_id text primary key,
    seq bigint not null,
    hash text not null
  ) ${clustered}`
  yield* linkLoose
  yield* sql`drop table audit`
  yield* sql`alter table audit_chained rename to audit`
  yield* sql`create unique index audit_id on audit (workspace_id, id)`
  yield* sql`create index audit_subject on audit (workspace_id, subject_id, seq)`
  yield* guardHistory(sql)
})

const linkLoose = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  let after: readonly [workspace: string, id: string] = ["", ""]
  const heads = new Map<WorkspaceId, ChainHead>()
  while (true) {
    const rows: ReadonlyArray<LooseRow> = yield* sql<LooseRow>`select * from audit
      where (workspace_id, id) > ${sql.in(after)} order by workspace_id, id limit ${rowsPerPage}`
    const last = rows.at(-1)
    if (last === undefined) break
    const events = rows.map((row) => {
      const head = heads.get(row.workspace_id) ?? chainStart(row.workspace_id, sha256)
      const [event] = linked(head, [draftOf(row)], sha256)
      if (event !== undefined) heads.set(row.workspace_id, event)
      return event === undefined ? [] : [storedToRow(row.workspace_id, event)]
    })
    yield* insertRows(sql, "audit_chained", events.flat())
    after = [last.workspace_id, last.id]
  }
  yield* insertRows(
    sql,
    "audit_head",
    [...heads].map(([workspace, { hash, position }]) => ({ workspace_id: workspace, seq: position, hash }))
  )
})

const sha256 = (text: string): string => hash("sha256", text, "hex")

const draftOf = ({ subject_id, workspace_id: _scope, details, ...row }: LooseRow): AuditDraft => ({
  ...row,
  subjectId: subject_id,
  details: detailsOf(details),
  requestId: null
})

/** Details that were damaged before are kept as the text that they are. */
const detailsOf = (text: string): AuditDraft["details"] => {
  try {
    return fromJson<AuditDraft["details"]>(text)
  } catch {
    return { unreadable: text }
  }
}
