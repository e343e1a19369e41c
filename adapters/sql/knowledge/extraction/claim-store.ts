import * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import type { ClaimStore, NameClaim } from "../../../../core/knowledge/graph/index.js"
import type { DocumentId, WorkspaceScope } from "../../../../core/platform/kernel/index.js"
import { WorkspaceStore } from "../../../../core/platform/workspace/index.js"
import { toNumber } from "../../codec.js"
import { idNo, idNos, numbersFor } from "../../id-numbers.js"
import { inBatches, insertRows, readAll } from "../../rows.js"
import { claimFromRow, claimToRow } from "../graph/graph-rows.js"

/** Stores name claims in SQL: which document names which entity, and how. */
export const claims: Effect.Effect<ClaimStore, never, SqlClient.SqlClient | WorkspaceStore> = Effect.gen(
  function* () {
    const sql = yield* SqlClient.SqlClient
    const counters = yield* WorkspaceStore

    const claimsWhere = <Value>(
      workspace: WorkspaceScope,
      values: ReadonlyArray<Value>,
      where: (batch: ReadonlyArray<Value>) => Fragment
    ) =>
      inBatches(
        [...new Set(values)],
        (batch) => sql`select c.*, d.id as document_id from (
            select * from graph_claim where workspace_id = ${workspace} and ${where(batch)}
          ) as c cross join id_number d where d.workspace_id = ${workspace} and d.number = c.document_no`
      ).pipe(readAll(claimFromRow))

    /** Returns the last positions of claims, by document number. */
    const lastPlaces = (workspace: WorkspaceScope, documents: ReadonlyArray<number>) =>
      Effect.map(
        inBatches(
          documents,
          (batch) => sql<{ document_no: unknown; last: unknown }>`select document_no, max(ordinal) as last
            from graph_claim where workspace_id = ${workspace} and ${sql.in("document_no", batch)}
            group by document_no`
        ),
        (rows) => new Map(rows.map(({ document_no, last }) => [toNumber(document_no), toNumber(last)]))
      )

    const addClaims = (workspace: WorkspaceScope, added: ReadonlyArray<NameClaim>) =>
      Effect.gen(function* () {
        if (added.length === 0) return
        const documents = new Set(added.map(({ documentId }) => documentId))
        const numbers = yield* numbersFor(sql, counters, workspace, documents)
        const last = yield* lastPlaces(workspace, [...documents].map(numbers))
        const rows = added.map((claim) => {
          const document = numbers(claim.documentId)
          const ordinal = (last.get(document) ?? 0) + 1
          last.set(document, ordinal)
          return {
            workspace_id: workspace,
            document_no: document,
            ordinal,
            ...claimToRow(claim)
          }
        })
        yield* insertRows(sql, "graph_claim", rows)
      })

    return {
      claimsOfDocuments: (workspace, ids) =>
        claimsWhere(workspace, ids, (batch) => sql`document_no in ${idNos(sql, workspace, batch)}`),
      linkClaims: (workspace, ids) =>
        claimsWhere(
          workspace,
          ids,
          (batch) => sql`role = 'link' and document_no in ${idNos(sql, workspace, batch)}`
        ),
      changeClaims: (workspace, { added, removed }) =>
        Effect.gen(function* () {
          for (const claim of removed) {
            yield* sql`delete from graph_claim where workspace_id = ${workspace}
              and key = ${claim.key} and document_no = ${idNo(sql, workspace, claim.documentId)}
              and role = ${claim.role} and type = ${claim.type} and name = ${claim.name}
              and subject = ${claim.subject}`
          }
          yield* addClaims(workspace, added)
        }).pipe(Effect.orDie),
      claims: (workspace, keys) => claimsWhere(workspace, keys, (batch) => sql.in("key", batch)),
      aliasClaims: (workspace, subjects) =>
        claimsWhere(workspace, subjects, (batch) => sql`subject <> '' and ${sql.in("subject", batch)}`),
      claimants: (workspace, keys) =>
        inBatches(
          [...new Set(keys)],
          (batch) => sql<{
            document_id: DocumentId
            role: NameClaim["role"]
          }>`select d.id as document_id, c.role from (
              select distinct workspace_id, document_no, role from graph_claim
              where workspace_id = ${workspace} and role in ('self', 'tag', 'link', 'named')
                and ${sql.in("key", batch)}
            ) as c cross join id_number d where d.workspace_id = ${workspace} and d.number = c.document_no`
        ).pipe(readAll(({ document_id, role }) => ({ documentId: document_id, role }))),
      termsOfWords: (workspace, hashes) =>
        inBatches(
          [...new Set(hashes)],
          (batch) => sql<{ key: string }>`select distinct key from graph_claim
            where workspace_id = ${workspace} and role = 'term' and word_hash is not null
              and ${sql.in("word_hash", batch)}`
        ).pipe(readAll(({ key }) => key))
    }
  }
)
