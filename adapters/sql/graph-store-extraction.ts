import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import {
  type Claim,
  ExtractionStore,
  includes,
  type KnownSurface,
  mayHold,
  type Reading,
  soughtPhrase,
  wordHash
} from "../../core/graph/index.js"
import type { DocumentId, EntityId, WorkspaceScope } from "../../core/kernel/index.js"
import { fromJson, toBytes, toJson, toNumber } from "./codec.js"
import { drawRelations, rebuildEdges, writeMentions } from "./graph-drawing.js"
import { inBatches, insertRows } from "./rows.js"

interface ReadingRow {
  readonly document_id: DocumentId
  readonly path: string
  readonly title: string
  readonly aliases: string
  readonly name_key: string
  readonly name_type: string
  readonly entity_id: EntityId | null
  readonly facts: string
  readonly targets: string | null
}

interface ClaimRow {
  readonly document_id: DocumentId
  readonly key: string
  readonly role: Claim["role"]
  readonly type: string
  readonly name: string
  readonly subject: string
  readonly prose_count: number
  readonly heading_count: number
}

/** Documents whose words are looked at in one go. */
const wordsPerPage = 500

export const sqlExtractionStore = Layer.effect(
  ExtractionStore,
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

    const removeFor = (table: string, workspace: WorkspaceScope, ids: ReadonlyArray<DocumentId>) =>
      inBatches(
        ids,
        (batch) =>
          sql`delete from ${sql(table)} where workspace_id = ${workspace} and ${sql.in("document_id", batch)}`
      )

    const putTargets = (
      workspace: WorkspaceScope,
      readings: ReadonlyArray<Pick<Reading, "documentId" | "targets">>
    ) =>
      Effect.gen(function* () {
        yield* removeFor(
          "graph_target",
          workspace,
          readings.map(({ documentId }) => documentId)
        )
        yield* insertRows(
          sql,
          "graph_target",
          readings.flatMap(({ documentId, targets }) =>
            [...new Set(targets ?? [])].flatMap((target) =>
              target === null ? [] : [{ workspace_id: workspace, target_id: target, document_id: documentId }]
            )
          )
        )
      })

    const setStale = (workspace: WorkspaceScope, ids: ReadonlyArray<DocumentId>, stale: 0 | 1) =>
      inBatches(
        [...new Set(ids)],
        (batch) => sql`update graph_document set stale = ${stale}
          where workspace_id = ${workspace} and stale <> ${stale} and ${sql.in("document_id", batch)}`
      ).pipe(Effect.asVoid, Effect.orDie)

    return {
      state: (workspace) =>
        sql<{ document_cursor: number; entity_cursor: number; relink: number }>`
          select * from graph_state where workspace_id = ${workspace}`.pipe(
          Effect.map(([row]) => ({
            documentCursor: toNumber(row?.document_cursor),
            entityCursor: toNumber(row?.entity_cursor),
            relink: row?.relink === 1
          })),
          Effect.orDie
        ),
      setState: (workspace, { documentCursor, entityCursor, relink }) => {
        const row = { document_cursor: documentCursor, entity_cursor: entityCursor, relink: relink ? 1 : 0 }
        return sql`insert into graph_state ${sql.insert({ workspace_id: workspace, ...row })}
          on conflict (workspace_id) do update set ${sql.update(row)}`.pipe(Effect.asVoid, Effect.orDie)
      },
      clear: (workspace) =>
        Effect.gen(function* () {
          for (const table of cleared) yield* sql`delete from ${sql(table)} where workspace_id = ${workspace}`
          yield* sql`delete from relation
            where workspace_id = ${workspace} and origin = 'extraction' and deleted_at is null`
          yield* sql`update relation set evidence_count = 0 where workspace_id = ${workspace}`
          yield* sql`delete from edge where workspace_id = ${workspace}`
          const stated = yield* sql<{ src_head: EntityId }>`select distinct src_head from relation
            where workspace_id = ${workspace} and src_head is not null`
          yield* rebuildEdges(
            sql,
            workspace,
            stated.map(({ src_head }) => src_head)
          )
        }).pipe(Effect.orDie),
      readings: (workspace, ids) =>
        inBatches(
          [...new Set(ids)],
          (
            batch
          ) => sql<ReadingRow>`select document_id, path, title, aliases, name_key, name_type, entity_id, facts, targets
            from graph_document where workspace_id = ${workspace} and ${sql.in("document_id", batch)}`
        ).pipe(
          Effect.map((rows) => rows.map(readingFromRow)),
          Effect.orDie
        ),
      readingsAfter: (workspace, after, limit) =>
        sql<ReadingRow>`select document_id, path, title, aliases, name_key, name_type, entity_id, facts, targets
          from graph_document where workspace_id = ${workspace} and document_id > ${after}
          order by document_id limit ${limit}`.pipe(
          Effect.map((rows) => rows.map(readingFromRow)),
          Effect.orDie
        ),
      unfollowed: (workspace, limit) =>
        sql<ReadingRow>`select document_id, path, title, aliases, name_key, name_type, entity_id, facts, targets
          from graph_document where workspace_id = ${workspace} and targets is null
          order by document_id limit ${limit}`.pipe(
          Effect.map((rows) => rows.map(readingFromRow)),
          Effect.orDie
        ),
      addresses: (workspace) =>
        sql<Pick<ReadingRow, "document_id" | "path" | "title" | "aliases">>`
          select document_id, path, title, aliases from graph_document where workspace_id = ${workspace}`.pipe(
          Effect.map((rows) =>
            rows.map(({ aliases, document_id, path, title }) => ({
              id: document_id,
              path,
              title,
              aliases: fromJson<ReadonlyArray<string>>(aliases)
            }))
          ),
          Effect.orDie
        ),
      putReadings: (workspace, readings) =>
        Effect.gen(function* () {
          yield* removeFor(
            "graph_document",
            workspace,
            readings.map(({ documentId }) => documentId)
          )
          yield* insertRows(
            sql,
            "graph_document",
            readings.map((reading) => ({
              workspace_id: workspace,
              document_id: reading.documentId,
              path: reading.path,
              title: reading.title,
              aliases: toJson(reading.aliases),
              name_key: reading.nameKey,
              name_type: reading.nameType,
              entity_id: reading.entityId,
              facts: toJson({
                references: reading.references,
                tags: reading.tags,
                hidden: reading.hidden,
                ...(reading.named === undefined ? {} : { named: reading.named })
              }),
              targets: reading.targets === null ? null : toJson(reading.targets),
              words: hashBytes(reading.words),
              small: hashBytes(reading.small),
              stale: 1
            }))
          )
          yield* putTargets(workspace, readings)
        }).pipe(Effect.orDie),
      removeReadings: (workspace, ids) =>
        Effect.forEach(
          ["graph_document", "graph_target", "graph_claim"],
          (table) => removeFor(table, workspace, ids),
          {
            discard: true
          }
        ).pipe(Effect.orDie),
      setTargets: (workspace, changes) =>
        Effect.gen(function* () {
          for (const { documentId, targets } of changes) {
            yield* sql`update graph_document set targets = ${toJson(targets)}
              where workspace_id = ${workspace} and document_id = ${documentId}`
          }
          yield* putTargets(workspace, changes)
        }).pipe(Effect.orDie),
      setEntities: (workspace, changes) =>
        Effect.forEach(
          changes,
          ({ documentId, entityId }) => sql`update graph_document set entity_id = ${entityId}
            where workspace_id = ${workspace} and document_id = ${documentId}`,
          { discard: true }
        ).pipe(Effect.orDie),
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
      linkers: (workspace, ids) =>
        inBatches(
          [...new Set(ids)],
          (batch) => sql<{ document_id: DocumentId }>`select distinct document_id from graph_target
            where workspace_id = ${workspace} and ${sql.in("target_id", batch)}`
        ).pipe(
          Effect.map((rows) => rows.map(({ document_id }) => document_id)),
          Effect.orDie
        ),
      holders: (workspace, keys) =>
        Effect.gen(function* () {
          if (keys.length === 0) return []
          const phrases = [...new Set(keys)].map(soughtPhrase)
          const found: Array<DocumentId> = []
          for (let after = ""; ; ) {
            const rows = yield* sql<{ document_id: DocumentId; words: unknown }>`
              select document_id, words from graph_document
              where workspace_id = ${workspace} and document_id > ${after} and stale = 0
              order by document_id limit ${wordsPerPage}`
            for (const { document_id, words } of rows) {
              const hashes = hashesFrom(words)
              if (phrases.some((phrase) => mayHold(hashes, phrase))) found.push(document_id)
            }
            const last = rows.at(-1)
            if (last === undefined || rows.length < wordsPerPage) return found
            after = last.document_id
          }
        }).pipe(Effect.orDie),
      smallWords: (workspace, ids) =>
        inBatches(
          ids,
          (batch) => sql<{
            document_id: DocumentId
            small: unknown
          }>`select document_id, small from graph_document
            where workspace_id = ${workspace} and ${sql.in("document_id", batch)}`
        ).pipe(
          Effect.map(
            (rows) => new Map(rows.map(({ document_id, small }) => [document_id, hashesFrom(small)]))
          ),
          Effect.orDie
        ),
      smallCounts: (workspace, hashes) =>
        Effect.gen(function* () {
          const counts = new Map(hashes.map((hash) => [hash, 0]))
          for (let after = ""; counts.size > 0; ) {
            const rows = yield* sql<{ document_id: DocumentId; small: unknown }>`
              select document_id, small from graph_document
              where workspace_id = ${workspace} and document_id > ${after}
              order by document_id limit ${wordsPerPage}`
            for (const { small } of rows) {
              const own = hashesFrom(small)
              for (const [hash, count] of counts) if (includes(own, hash)) counts.set(hash, count + 1)
            }
            const last = rows.at(-1)
            if (last === undefined || rows.length < wordsPerPage) break
            after = last.document_id
          }
          return counts
        }).pipe(Effect.orDie),
      termsOfWords: (workspace, hashes) =>
        inBatches(
          [...new Set(hashes)],
          (batch) => sql<{ key: string }>`select distinct key from graph_claim
            where workspace_id = ${workspace} and role = 'term' and ${sql.in("word_hash", batch)}`
        ).pipe(
          Effect.map((rows) => rows.map(({ key }) => key)),
          Effect.orDie
        ),
      markStale: (workspace, ids) => setStale(workspace, ids, 1),
      clearStale: (workspace, ids) => setStale(workspace, ids, 0),
      stale: (workspace, limit) =>
        sql<{ document_id: DocumentId }>`select document_id from graph_document
          where workspace_id = ${workspace} and stale = 1 order by document_id limit ${limit}`.pipe(
          Effect.map((rows) => rows.map(({ document_id }) => document_id)),
          Effect.orDie
        ),
      staleCount: (workspace) =>
        sql<{
          n: unknown
        }>`select count(*) as n from graph_document where workspace_id = ${workspace} and stale = 1`.pipe(
          Effect.map((rows) => toNumber(rows[0]?.n)),
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
        ).pipe(Effect.asVoid, Effect.orDie),
      surfaces: (workspace, ids) =>
        inBatches(
          [...new Set(ids)],
          (batch) => sql<{ entity_id: EntityId; key: string; head_id: EntityId }>`
            select entity_id, key, head_id from graph_surface
            where workspace_id = ${workspace} and ${sql.in("entity_id", batch)}`
        ).pipe(
          Effect.map((rows) =>
            rows.map(
              ({ entity_id, head_id, key }): KnownSurface => ({ entityId: entity_id, key, headId: head_id })
            )
          ),
          Effect.orDie
        ),
      changeSurfaces: (workspace, { added, removed }) =>
        Effect.gen(function* () {
          for (const { entityId, key } of removed) {
            yield* sql`delete from graph_surface
              where workspace_id = ${workspace} and entity_id = ${entityId} and key = ${key}`
          }
          yield* insertRows(
            sql,
            "graph_surface",
            added.map(({ entityId, headId, key }) => ({
              workspace_id: workspace,
              entity_id: entityId,
              key,
              head_id: headId
            }))
          )
        }).pipe(Effect.orDie),
      mentioning: (workspace, surfaces) =>
        Effect.forEach(
          surfaces,
          ({ entityId, key }) => sql<{ document_id: DocumentId }>`select distinct document_id from mention
            where workspace_id = ${workspace} and entity_id = ${entityId} and key = ${key}`
        ).pipe(
          Effect.map((pages) => [...new Set(pages.flat().map(({ document_id }) => document_id))]),
          Effect.orDie
        ),
      setMentions: writeMentions(sql),
      setRelations: drawRelations(sql)
    }
  })
)

/** Tables that hold nothing but what extraction made. */
const cleared = [
  "graph_state",
  "graph_document",
  "graph_target",
  "graph_claim",
  "graph_surface",
  "graph_undecided",
  "mention",
  "extraction_run",
  "relation_evidence"
]

const hashBytes = (hashes: Uint32Array): Uint8Array =>
  new Uint8Array(hashes.buffer, hashes.byteOffset, hashes.byteLength)

const hashesFrom = (bytes: unknown): Uint32Array => new Uint32Array(toBytes(bytes).buffer)

const readingFromRow = (row: ReadingRow): Reading => ({
  documentId: row.document_id,
  path: row.path,
  title: row.title,
  aliases: fromJson(row.aliases),
  nameKey: row.name_key,
  nameType: row.name_type,
  entityId: row.entity_id,
  ...fromJson<Pick<Reading, "references" | "tags" | "hidden" | "named">>(row.facts),
  targets: row.targets === null ? null : fromJson(row.targets)
})

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
