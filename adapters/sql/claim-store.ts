import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Claim, ClaimStore, wordHash } from "../../core/graph/index.js"
import type { WorkspaceScope } from "../../core/kernel/index.js"
import { toNumber } from "./codec.js"
import type { ClaimRow } from "./graph-rows.js"
import { inBatches, insertRows } from "./rows.js"

export const sqlClaimStore = Layer.effect(
  ClaimStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const claimsWhere = (workspace: WorkspaceScope, column: string, values: ReadonlyArray<string>) =>
      inBatches(
        [...new Set(values)],
        (batch) =>
          sql<ClaimRow>`select * from graph_claim where workspace_id = ${workspace} and ${sql.in(column, batch)}`
      ).pipe(
        Effect.map((rows) => rows.map(claimFromRow)),
        Effect.orDie
      )

    return {
      claimsOfDocuments: (workspace, ids) => claimsWhere(workspace, "document_id", ids),
      linkClaims: (workspace, ids) =>
        inBatches(
          ids,
          (batch) => sql<ClaimRow>`select * from graph_claim
            where workspace_id = ${workspace} and role = 'link' and ${sql.in("document_id", batch)}`
        ).pipe(
          Effect.map((rows) => rows.map(claimFromRow)),
          Effect.orDie
        ),
      changeClaims: (workspace, { added, removed }) =>
        Effect.gen(function* () {
          for (const claim of removed) {
            yield* sql`delete from graph_claim where workspace_id = ${workspace} and key = ${claim.key}
              and document_id = ${claim.documentId} and role = ${claim.role} and type = ${claim.type}
              and name = ${claim.name} and subject = ${claim.subject}`
          }
          yield* insertRows(
            sql,
            "graph_claim",
            added.map((claim) => claimToRow(workspace, claim))
          )
        }).pipe(Effect.orDie),
      claims: (workspace, keys) => claimsWhere(workspace, "key", keys),
      aliasClaims: (workspace, subjects) =>
        inBatches(
          [...new Set(subjects)],
          (batch) => sql<ClaimRow>`select * from graph_claim
            where workspace_id = ${workspace} and subject <> '' and ${sql.in("subject", batch)}`
        ).pipe(
          Effect.map((rows) => rows.map(claimFromRow)),
          Effect.orDie
        ),
      claimants: (workspace, keys) =>
        inBatches(
          [...new Set(keys)],
          (batch) => sql<
            Pick<ClaimRow, "document_id" | "role">
          >`select distinct document_id, role from graph_claim
            where workspace_id = ${workspace} and role in ('self', 'tag', 'link') and ${sql.in("key", batch)}`
        ).pipe(
          Effect.map((rows) => rows.map(({ document_id, role }) => ({ documentId: document_id, role }))),
          Effect.orDie
        ),
      termsOfWords: (workspace, hashes) =>
        inBatches(
          [...new Set(hashes)],
          (batch) => sql<{ key: string }>`select distinct key from graph_claim
            where workspace_id = ${workspace} and role = 'term' and ${sql.in("word_hash", batch)}`
        ).pipe(
          Effect.map((rows) => rows.map(({ key }) => key)),
          Effect.orDie
        ),
      addUndecided: (workspace, keys) =>
        Effect.gen(function* () {
          const wanted = [...new Set(keys)]
          const known = yield* inBatches(
            wanted,
            (batch) => sql<{ key: string }>`select key from graph_undecided
              where workspace_id = ${workspace} and ${sql.in("key", batch)}`
          )
          const have = new Set(known.map(({ key }) => key))
          yield* insertRows(
            sql,
            "graph_undecided",
            wanted.filter((key) => !have.has(key)).map((key) => ({ workspace_id: workspace, key }))
          )
        }).pipe(Effect.orDie),
      undecided: (workspace, limit) =>
        sql<{
          key: string
        }>`select key from graph_undecided where workspace_id = ${workspace} order by key limit ${limit}`.pipe(
          Effect.map((rows) => rows.map(({ key }) => key)),
          Effect.orDie
        ),
      removeUndecided: (workspace, keys) =>
        inBatches(
          keys,
          (batch) =>
            sql`delete from graph_undecided where workspace_id = ${workspace} and ${sql.in("key", batch)}`
        ).pipe(Effect.asVoid, Effect.orDie)
    }
  })
)

const claimFromRow = (row: ClaimRow): Claim => ({
  documentId: row.document_id,
  key: row.key,
  role: row.role,
  type: row.type,
  name: row.name,
  subject: row.subject,
  prose: toNumber(row.prose_count),
  headings: toNumber(row.heading_count)
})

const claimToRow = (workspace: WorkspaceScope, claim: Claim) => ({
  workspace_id: workspace,
  key: claim.key,
  document_id: claim.documentId,
  role: claim.role,
  type: claim.type,
  name: claim.name,
  subject: claim.subject,
  word_hash: wordHash(claim.key),
  prose_count: claim.prose,
  heading_count: claim.headings
})
