import type * as SqlClient from "@effect/sql/SqlClient"
import * as Rows from "effect/Array"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Atomic, type DocumentId, type WorkspaceScope } from "../../../../core/platform/kernel/index.js"
import { WorkspaceStore } from "../../../../core/platform/workspace/index.js"
import {
  bytesToVector,
  bytesToVectors,
  type VectorStore,
  vectorToBytes
} from "../../../../core/search/vectors/index.js"
import { toBytes, toNumber } from "../../codec.js"
import { changingContent } from "../../content-changes.js"
import { inBatches, readCount } from "../../rows.js"
import { feedCounter, numberOf } from "./vector-models.js"

/** Minimum number of removals in the feed; it is truncated at twice as many. */
const removalsMin = 1000

/** Rows per insert: seven values each, and 400 bytes of vector. */
const rowsPerStatement = 500

/** A row of the feed; null bytes are a removal. */
interface FeedRow {
  readonly label: number
  readonly document_id: DocumentId
  readonly text_hash: string
  readonly vector: Uint8Array | null
}

type FeedReads = Pick<VectorStore["Type"], "ofDocuments" | "since" | "count" | "feed" | "vectors">

/** The calls that read vectors and their feed. */
export const vectorReads = (sql: SqlClient.SqlClient): FeedReads => ({
  // Unordered, because sorting by label would make SQLite scan every vector of the model.
  ofDocuments: (workspace, model, documents) =>
    inBatches(
      documents,
      (batch) =>
        sql<{ label: unknown; document_id: DocumentId; text_hash: string }>`
        select label, document_id, text_hash from vector
        where workspace_id = ${workspace} and model = ${numberOf(sql, workspace, model)}
          and ${sql.in("document_id", batch)} and vector is not null`
    ).pipe(
      Effect.map((rows) =>
        rows.map(({ document_id, label, text_hash }) => ({
          label: toNumber(label),
          documentId: document_id,
          textHash: text_hash
        }))
      ),
      Effect.orDie
    ),
  since: (workspace, model, seq, limit) =>
    sql<{ seq: unknown; label: unknown; vector: unknown }>`select seq, label, vector from vector
      where workspace_id = ${workspace} and model = ${numberOf(sql, workspace, model)} and seq > ${seq}
        ${sql.literal(seq === 0 ? "and vector is not null" : "")} order by seq limit ${limit}`.pipe(
      Effect.map((rows) =>
        rows.map((row) => ({
          seq: toNumber(row.seq),
          label: toNumber(row.label),
          vector: row.vector === null ? null : bytesToVector(toBytes(row.vector))
        }))
      ),
      Effect.orDie
    ),
  count: (workspace, model, seq) =>
    sql<{ n: unknown }>`select count(*) as n from vector
      where workspace_id = ${workspace} and model = ${numberOf(sql, workspace, model)} and seq > ${seq}
        ${sql.literal(seq === 0 ? "and vector is not null" : "")}`.pipe(readCount),
  feed: (workspace, model) =>
    sql<{ feed_head: unknown; feed_floor: unknown }>`select feed_head, feed_floor from vector_model
      where workspace_id = ${workspace} and id = ${model} and state <> 'dropped'`.pipe(
      Effect.map(([row]) => ({ head: toNumber(row?.feed_head), floor: toNumber(row?.feed_floor) })),
      Effect.orDie
    ),
  vectors: (workspace, model, labels) =>
    inBatches(
      labels,
      (batch) =>
        sql<{ label: unknown; vector: unknown }>`select label, vector from vector
        where workspace_id = ${workspace} and model = ${numberOf(sql, workspace, model)}
          and ${sql.in("label", batch)} and vector is not null order by label`
    ).pipe(
      Effect.map((rows) => {
        const vectors = bytesToVectors(rows.map(({ vector }) => toBytes(vector)))
        return rows.map(({ label }, place) => ({
          label: toNumber(label),
          vector: vectors[place] ?? new Float32Array()
        }))
      }),
      Effect.orDie
    )
})

type FeedWrites = Pick<VectorStore["Type"], "put" | "remove">

/** The calls that write vectors, each with the next numbers of the feed. */
export const vectorWrites = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const { advance } = yield* WorkspaceStore
    const atomic = yield* Atomic

    const findNumber = (workspace: WorkspaceScope, id: string) =>
      Effect.map(
        sql<{ model: unknown }>`select model from vector_model
          where workspace_id = ${workspace} and id = ${id} and state <> 'dropped'`,
        ([row]) => Option.map(Option.fromNullable(row), ({ model }) => toNumber(model))
      )

    /** Writes rows with the next feed numbers in the caller's unit of work. */
    const feed = (workspace: WorkspaceScope, model: number, rows: ReadonlyArray<FeedRow>) =>
      Effect.gen(function* () {
        if (rows.length === 0) return
        const head = yield* advance(workspace, feedCounter, rows.length)
        const first = head - rows.length + 1
        const numbered = rows.map((row, place) => ({
          workspace_id: workspace,
          model,
          ...row,
          seq: first + place
        }))
        for (const batch of Rows.chunksOf(numbered, rowsPerStatement)) {
          yield* sql`insert into vector ${sql.insert(batch)}
            on conflict (workspace_id, model, label) do update set document_id = excluded.document_id,
              text_hash = excluded.text_hash, seq = excluded.seq, vector = excluded.vector`
        }
        yield* sql`update vector_model set feed_head = ${head} where workspace_id = ${workspace} and model = ${model}`
      })

    const cutRemovals = (workspace: WorkspaceScope, model: number) =>
      Effect.gen(function* () {
        const removed = sql`workspace_id = ${workspace} and model = ${model} and vector is null`
        const [counted] = yield* sql<{ n: unknown }>`select count(*) as n from vector where ${removed}`
        if (toNumber(counted?.n) <= 2 * removalsMin) return
        const [last] = yield* sql<{ seq: unknown }>`select seq from vector where ${removed}
          order by seq desc limit 1 offset ${removalsMin}`
        const floor = toNumber(last?.seq)
        yield* sql`delete from vector where ${removed} and seq <= ${floor}`
        yield* sql`update vector_model set feed_floor = ${floor} where workspace_id = ${workspace} and model = ${model}`
      })

    return {
      put: (workspace, model, vectors) =>
        Effect.gen(function* () {
          const found = yield* findNumber(workspace, model)
          if (Option.isNone(found)) return false
          yield* feed(
            workspace,
            found.value,
            vectors.map(({ documentId, label, textHash, vector }) => ({
              label,
              document_id: documentId,
              text_hash: textHash,
              vector: vectorToBytes(vector)
            }))
          )
          return true
        }).pipe(changingContent(sql, workspace), atomic.run, Effect.orDie),
      remove: (workspace, model, labels) =>
        Effect.gen(function* () {
          const found = yield* findNumber(workspace, model)
          if (Option.isNone(found)) return
          const there = yield* inBatches(
            labels,
            (batch) =>
              sql<{ label: unknown; document_id: DocumentId }>`select label, document_id from vector
              where workspace_id = ${workspace} and model = ${found.value} and ${sql.in("label", batch)}
                and vector is not null order by label`
          )
          const removals = there.map((row) => ({
            ...row,
            label: toNumber(row.label),
            text_hash: "",
            vector: null
          }))
          yield* feed(workspace, found.value, removals)
          if (removals.length > 0) yield* cutRemovals(workspace, found.value)
        }).pipe(changingContent(sql, workspace), atomic.run, Effect.orDie)
    } satisfies FeedWrites
  })
