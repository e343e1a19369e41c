import { deflateRawSync, inflateRawSync } from "node:zlib"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type KeptVersion, VersionInspection } from "../../../core/documents/index.js"
import { serviceLayer } from "../../../core/kernel/index.js"
import { toBytes, toNumber } from "../codec.js"
import { inBatches, insertRows } from "../rows.js"
import { noteKnownVersions, type VersionRow, versionFromRow, versionToRow } from "./document-versions.js"

/** What lies behind the versions of the document store. */
export const sqlVersionInspection = serviceLayer(
  VersionInspection,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const hashes = (rows: ReadonlyArray<{ readonly content_hash: string }>) =>
      rows.map(({ content_hash }) => content_hash)
    return {
      versions: (workspace, ids) =>
        inBatches(
          ids,
          (batch) => sql<VersionRow>`select * from document_version
            where workspace_id = ${workspace} and ${sql.in("document_id", batch)} order by document_id, version`
        ).pipe(
          Effect.map((rows) => rows.map(versionFromRow)),
          Effect.orDie
        ),
      outOfStep: (workspace, after, limit) =>
        sql<{ id: KeptVersion["documentId"] }>`select d.id from document d
          where d.workspace_id = ${workspace} and d.id > ${after} and d.version <> coalesce((
            select max(v.version) from document_version v
            where v.workspace_id = d.workspace_id and v.document_id = d.id), 0)
          order by d.id limit ${limit}`.pipe(
          Effect.map((rows) => rows.map(({ id }) => id)),
          Effect.orDie
        ),
      texts: (workspace, after, limit) =>
        sql<{ content_hash: string; bytes: unknown }>`select content_hash, bytes from document_text
          where workspace_id = ${workspace} and content_hash > ${after} order by content_hash limit ${limit}`.pipe(
          Effect.map((rows) =>
            rows.map(({ bytes, content_hash }) => ({ contentHash: content_hash, bytes: inflated(bytes) }))
          ),
          Effect.orDie
        ),
      text: (workspace, contentHash) =>
        sql<{ bytes: unknown }>`select bytes from document_text
          where workspace_id = ${workspace} and content_hash = ${contentHash}`.pipe(
          Effect.map(([row]) => (row === undefined ? Option.none() : Option.some(inflated(row.bytes)))),
          Effect.orDie
        ),
      spareText: (workspace, contentHash) =>
        sql<{ bytes: unknown }>`select c.bytes from document d join document_content c
          on c.workspace_id = d.workspace_id and c.document_id = d.id
          where d.workspace_id = ${workspace} and d.content_hash = ${contentHash} limit 1`.pipe(
          Effect.map(([row]) =>
            row === undefined ? Option.none() : Option.fromNullable(inflated(row.bytes))
          ),
          Effect.orDie
        ),
      strayVersions: (workspace, limit) =>
        sql<{ document_id: KeptVersion["documentId"]; n: unknown }>`
          select v.document_id, count(*) as n from document_version v where v.workspace_id = ${workspace}
            and not exists (select 1 from document d
              where d.workspace_id = v.workspace_id and d.id = v.document_id)
          group by v.document_id limit ${limit}`.pipe(
          Effect.map((rows) =>
            rows.map(({ document_id, n }) => ({ documentId: document_id, count: toNumber(n) }))
          ),
          Effect.orDie
        ),
      untoldVersions: (workspace, limit) =>
        sql<VersionRow>`select v.* from document_version v where v.workspace_id = ${workspace}
          and not exists (select 1 from audit e where e.workspace_id = v.workspace_id and e.seq in (
              select s.seq from audit s
              where s.workspace_id = v.workspace_id and s.subject_id = v.document_id) and (e.details like '%,"version":' || v.version || ',%'
              or e.details like '%,"version":' || v.version || '}%'))
          order by v.document_id, v.version limit ${limit}`.pipe(
          Effect.map((rows) => rows.map(versionFromRow)),
          Effect.orDie
        ),
      unusedTexts: (workspace, limit) =>
        sql<{ content_hash: string }>`select t.content_hash from document_text t
          where t.workspace_id = ${workspace} and not exists (select 1 from document_version v
            where v.workspace_id = t.workspace_id and v.content_hash = t.content_hash
            and v.verification is not null) limit ${limit}`.pipe(Effect.map(hashes), Effect.orDie),
      missingTexts: (workspace, limit) =>
        sql<{ content_hash: string }>`select distinct v.content_hash from document_version v
          where v.workspace_id = ${workspace} and v.verification is not null
          and not exists (select 1 from document_text t
            where t.workspace_id = v.workspace_id and t.content_hash = v.content_hash) limit ${limit}`.pipe(
          Effect.map(hashes),
          Effect.orDie
        ),
      versionsOfText: (workspace, contentHash) =>
        sql<VersionRow>`select * from document_version where workspace_id = ${workspace}
          and content_hash = ${contentHash} and verification is not null order by document_id, version`.pipe(
          Effect.map((rows) => rows.map(versionFromRow)),
          Effect.orDie
        ),
      note: (workspace, id) => noteKnownVersions(sql, { workspace, id }).pipe(Effect.asVoid, Effect.orDie),
      put: (workspace, version) =>
        Effect.zipRight(
          sql`delete from document_version where workspace_id = ${workspace}
            and document_id = ${version.documentId} and version = ${version.version}`,
          insertRows(sql, "document_version", [versionToRow(workspace, version)])
        ).pipe(Effect.orDie),
      remove: (workspace, id, version) =>
        sql`delete from document_version where workspace_id = ${workspace} and document_id = ${id}
          and ${version === undefined ? sql`1 = 1` : sql`version = ${version}`}`.pipe(
          Effect.asVoid,
          Effect.orDie
        ),
      putText: (workspace, contentHash, bytes) =>
        sql`insert into document_text ${sql.insert({
          workspace_id: workspace,
          content_hash: contentHash,
          bytes: deflateRawSync(bytes, { level: 1 })
        })} on conflict (workspace_id, content_hash) do update set bytes = excluded.bytes`.pipe(
          Effect.asVoid,
          Effect.orDie
        ),
      removeText: (workspace, contentHash) =>
        sql`delete from document_text where workspace_id = ${workspace} and content_hash = ${contentHash}`.pipe(
          Effect.asVoid,
          Effect.orDie
        )
    }
  })
)

const inflated = (bytes: unknown): Uint8Array | null => {
  try {
    return new Uint8Array(inflateRawSync(toBytes(bytes)))
  } catch {
    return null
  }
}
