import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { includes, mayHold, soughtPhrase } from "../../../../core/knowledge/extraction/index.js"
import type { ExtractionRecord, ExtractionRecordStore } from "../../../../core/knowledge/graph/index.js"
import type { DocumentId, WorkspaceScope } from "../../../../core/platform/kernel/index.js"
import { toJson } from "../../codec.js"
import { columnsOf, json, text } from "../../columns.js"
import { idNos } from "../../id-numbers.js"
import { inBatches, insertRows, readAll, readCount } from "../../rows.js"
import {
  factsToBytes,
  type ReadingRow,
  readingColumns,
  readingFromRow,
  smallFromBytes,
  smallToBytes,
  wordsFromBytes,
  wordsToBytes
} from "./extraction-record-rows.js"

/** Documents whose words are scanned at a time. */
const wordsPerPage = 500

const addressColumns = columnsOf<Pick<ExtractionRecord, "path" | "title" | "aliases"> & { id: DocumentId }>({
  id: text("document_id"),
  path: text(),
  title: text(),
  aliases: json()
})

export const extractionRecords: Effect.Effect<ExtractionRecordStore, never, SqlClient.SqlClient> = Effect.gen(
  function* () {
    const sql = yield* SqlClient.SqlClient
    /** All but the words. */
    const columns = sql.literal(
      "document_id, path, title, aliases, name_key, name_type, entity_id, facts, targets"
    )

    const removeFor = (table: string, workspace: WorkspaceScope, ids: ReadonlyArray<DocumentId>) =>
      inBatches(
        ids,
        (batch) =>
          sql`delete from ${sql(table)} where workspace_id = ${workspace} and ${sql.in("document_id", batch)}`
      )

    const putTargets = (
      workspace: WorkspaceScope,
      readings: ReadonlyArray<Pick<ExtractionRecord, "documentId" | "targets">>
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
      readings: (workspace, ids) =>
        inBatches(
          [...new Set(ids)],
          (batch) => sql<ReadingRow>`select ${columns}
            from graph_document where workspace_id = ${workspace} and ${sql.in("document_id", batch)}`
        ).pipe(readAll(readingFromRow)),
      readingsAfter: (workspace, after, limit) =>
        sql<ReadingRow>`select ${columns}
          from graph_document where workspace_id = ${workspace} and document_id > ${after}
          order by document_id limit ${limit}`.pipe(readAll(readingFromRow)),
      unfollowed: (workspace, limit) =>
        sql<ReadingRow>`select ${columns}
          from graph_document where workspace_id = ${workspace} and targets is null
          order by document_id limit ${limit}`.pipe(readAll(readingFromRow)),
      addresses: (workspace) =>
        sql`select document_id, path, title, aliases from graph_document where workspace_id = ${workspace}`.pipe(
          readAll(addressColumns.read)
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
              ...readingColumns.write(reading),
              facts: factsToBytes(reading),
              words: wordsToBytes(reading.words),
              small: smallToBytes(reading.words, reading.small),
              stale: 1
            }))
          )
          yield* putTargets(workspace, readings)
        }).pipe(Effect.orDie),
      removeReadings: (workspace, ids) =>
        Effect.gen(function* () {
          for (const table of ["graph_document", "graph_target"]) yield* removeFor(table, workspace, ids)
          yield* inBatches(
            ids,
            (batch) => sql`delete from graph_claim where workspace_id = ${workspace}
              and document_no in ${idNos(sql, workspace, batch)}`
          )
          // A number belongs to a document as long as any row refers to it.
          yield* inBatches(
            ids,
            (batch) => sql`delete from id_number where workspace_id = ${workspace}
              and ${sql.in("id", batch)} and not exists (select 1 from mention m
                where m.workspace_id = ${workspace} and m.document_no = id_number.number)`
          )
        }).pipe(Effect.orDie),
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
      linkers: (workspace, ids) =>
        inBatches(
          [...new Set(ids)],
          (batch) => sql<{ document_id: DocumentId }>`select distinct document_id from graph_target
            where workspace_id = ${workspace} and ${sql.in("target_id", batch)}`
        ).pipe(readAll(({ document_id }) => document_id)),
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
              const hashes = wordsFromBytes(words)
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
            words: unknown
            small: unknown
          }>`select document_id, words, small from graph_document
            where workspace_id = ${workspace} and ${sql.in("document_id", batch)}`
        ).pipe(
          Effect.map(
            (rows) =>
              new Map(
                rows.map(({ document_id, small, words }) => [
                  document_id,
                  smallFromBytes(wordsFromBytes(words), small)
                ])
              )
          ),
          Effect.orDie
        ),
      smallCounts: (workspace, hashes) =>
        Effect.gen(function* () {
          const counts = new Map(hashes.map((hash) => [hash, 0]))
          for (let after = ""; counts.size > 0; ) {
            const rows = yield* sql<{ document_id: DocumentId; words: unknown; small: unknown }>`
              select document_id, words, small from graph_document
              where workspace_id = ${workspace} and document_id > ${after}
              order by document_id limit ${wordsPerPage}`
            for (const { small, words } of rows) {
              const own = smallFromBytes(wordsFromBytes(words), small)
              for (const [hash, count] of counts) if (includes(own, hash)) counts.set(hash, count + 1)
            }
            const last = rows.at(-1)
            if (last === undefined || rows.length < wordsPerPage) break
            after = last.document_id
          }
          return counts
        }).pipe(Effect.orDie),
      markStale: (workspace, ids) => setStale(workspace, ids, 1),
      clearStale: (workspace, ids) => setStale(workspace, ids, 0),
      stale: (workspace, limit) =>
        sql<{ document_id: DocumentId }>`select document_id from graph_document
          where workspace_id = ${workspace} and stale = 1 order by document_id limit ${limit}`.pipe(
          readAll(({ document_id }) => document_id)
        ),
      staleCount: (workspace) =>
        sql<{
          n: unknown
        }>`select count(*) as n from graph_document where workspace_id = ${workspace} and stale = 1`.pipe(
          readCount
        )
    }
  }
)
