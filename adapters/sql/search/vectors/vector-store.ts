import { promisify } from "node:util"
import { deflateRaw, inflateRaw } from "node:zlib"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Rows from "effect/Array"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import {
  Atomic,
  type DocumentId,
  serviceLayer,
  type WorkspaceScope
} from "../../../../core/platform/kernel/index.js"
import { WorkspaceStore } from "../../../../core/platform/workspace/index.js"
import {
  bytesToVector,
  bytesToVectors,
  slotStates,
  type VectorModel,
  VectorStore,
  vectorToBytes
} from "../../../../core/search/vectors/index.js"
import { toBytes, toNumber } from "../../codec.js"
import { changing } from "../../content-changes.js"
import { inBatches, readAll, readCount } from "../../rows.js"

/** Minimum number of removals in the feed; it is truncated at twice as many. */
const removalsMin = 1000

/** Rows per insert: seven values each, and 400 bytes of vector. */
const rowsPerStatement = 500

interface ModelRow {
  readonly id: string
  readonly dimensions: unknown
  readonly state: VectorModel["state"]
  readonly document_seq: unknown
  readonly fitted_chunks: unknown
  readonly drift_chunks: unknown
  readonly drift_terms: unknown
  readonly drift_unknown_terms: unknown
  readonly trust: number | null
  readonly created_at: string
}

/** A row of the feed; null bytes are a removal. */
interface FeedRow {
  readonly label: number
  readonly document_id: DocumentId
  readonly text_hash: string
  readonly vector: Uint8Array | null
}

export const sqlVectorStore = serviceLayer(
  VectorStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { advance } = yield* WorkspaceStore
    const atomic = yield* Atomic

    /** Runs a write of a model, all of which change what searches read. */
    const written = <A, E>(workspace: WorkspaceScope, write: Effect.Effect<A, E>) =>
      changing(sql, workspace, { content: true }, write)

    /** Returns the number of the live model of this id as a scalar expression; null without one. */
    const numberOf = (workspace: WorkspaceScope, id: string) =>
      sql`(select model from vector_model where workspace_id = ${workspace} and id = ${id} and state <> 'dropped')`

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

    const markDropped = (workspace: WorkspaceScope, which: ReturnType<typeof sql.and>) =>
      sql`update vector_model set state = 'dropped'
        where workspace_id = ${workspace} and state <> 'dropped' and ${which}`

    /**
     * Deletes vectors of the oldest dropped model; returns their number, 0 when the model itself was deleted, null
     * when there is none.
     */
    const sweepOne = (workspace: WorkspaceScope, limit: number) =>
      Effect.gen(function* () {
        const [dropped] = yield* sql<{ model: unknown }>`select model from vector_model
          where workspace_id = ${workspace} and state = 'dropped' order by model limit 1`
        if (dropped === undefined) return null
        const model = toNumber(dropped.model)
        const vectors = sql`workspace_id = ${workspace} and model = ${model}`
        const freed = yield* sql`delete from vector where ${vectors}
          and label in (select label from vector where ${vectors} limit ${limit}) returning label`
        if (freed.length > 0) return freed.length
        const own = sql`workspace_id = ${workspace} and model = ${model}`
        yield* sql`delete from vector_artefact where ${own}`
        yield* sql`delete from vector_model where ${own}`
        return 0
      })

    return {
      models: (workspace) =>
        sql<ModelRow>`select * from vector_model where workspace_id = ${workspace} and state <> 'dropped'
          order by model`.pipe(readAll(modelFromRow)),
      artefact: (workspace, model) =>
        sql<{ bytes: unknown }>`select bytes from vector_artefact
          where workspace_id = ${workspace} and model = ${numberOf(workspace, model)}`.pipe(
          Effect.flatMap(([row]) =>
            Effect.transposeMapOption(Option.fromNullable(row), ({ bytes }) => unpacked(bytes))
          ),
          Effect.orDie
        ),
      begin: (workspace, model, artefact, slot = "main") =>
        Effect.flatMap(packedArtefact(artefact), (bytes) =>
          Effect.gen(function* () {
            const number = yield* advance(workspace, "vector_model", 1)
            // An index of a former model of this id is below the floor and therefore not used.
            const floor = yield* advance(workspace, feedCounter, 1)
            const state = slotStates[slot].building
            yield* markDropped(workspace, sql.and([sql`state = ${state}`]))
            yield* sql`insert into vector_model ${sql.insert({
              ...rowFromModel(workspace, model),
              model: number,
              state,
              feed_head: floor,
              feed_floor: floor
            })}`
            yield* sql`insert into vector_artefact ${sql.insert({ workspace_id: workspace, model: number, bytes })}`
          }).pipe((write) => written(workspace, write), atomic.run, Effect.orDie)
        ),
      activate: (workspace, model) =>
        Effect.gen(function* () {
          const [found] = yield* sql<Pick<ModelRow, "state"> & { model: unknown }>`
            select model, state from vector_model
            where workspace_id = ${workspace} and id = ${model} and state <> 'dropped'`
          const slot = Object.values(slotStates).find(({ building }) => building === found?.state)
          if (found === undefined || slot === undefined) return false
          yield* markDropped(workspace, sql.and([sql`state = ${slot.active}`]))
          yield* sql`update vector_model set state = ${slot.active}
            where workspace_id = ${workspace} and model = ${toNumber(found.model)}`
          return true
        }).pipe((write) => written(workspace, write), atomic.run, Effect.orDie),
      setTrust: (workspace, model, trust) =>
        sql`update vector_model set trust = ${trust}
          where workspace_id = ${workspace} and id = ${model} and state <> 'dropped'`.pipe(
          (write) => written(workspace, write),
          Effect.asVoid,
          Effect.orDie
        ),
      drop: (workspace, model) =>
        written(workspace, markDropped(workspace, sql.and([sql`id = ${model}`]))).pipe(
          Effect.asVoid,
          Effect.orDie
        ),
      sweep: (workspace, limit) =>
        Effect.orDie(
          Effect.gen(function* () {
            while (true) {
              const freed = yield* atomic.run(written(workspace, sweepOne(workspace, limit)))
              if (freed !== 0) return freed ?? 0
            }
          })
        ),
      advance: (workspace, model, { cursor, drift }) =>
        sql`update vector_model set document_seq = ${cursor}, drift_chunks = ${drift.chunks},
            drift_terms = ${drift.terms}, drift_unknown_terms = ${drift.unknownTerms}
          where workspace_id = ${workspace} and id = ${model} and state <> 'dropped'`.pipe(
          (write) => written(workspace, write),
          Effect.asVoid,
          Effect.orDie
        ),
      // Unordered, because sorting by label would make SQLite scan every vector of the model.
      ofDocuments: (workspace, model, documents) =>
        inBatches(
          documents,
          (batch) =>
            sql<{ label: unknown; document_id: DocumentId; text_hash: string }>`
            select label, document_id, text_hash from vector
            where workspace_id = ${workspace} and model = ${numberOf(workspace, model)}
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
        }).pipe((write) => written(workspace, write), atomic.run, Effect.orDie),
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
        }).pipe((write) => written(workspace, write), atomic.run, Effect.orDie),
      since: (workspace, model, seq, limit) =>
        sql<{ seq: unknown; label: unknown; vector: unknown }>`select seq, label, vector from vector
          where workspace_id = ${workspace} and model = ${numberOf(workspace, model)} and seq > ${seq}
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
          where workspace_id = ${workspace} and model = ${numberOf(workspace, model)} and seq > ${seq}
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
            where workspace_id = ${workspace} and model = ${numberOf(workspace, model)}
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
    }
  })
)

/** Compresses the artefact of a model in the thread pool, because it may be megabytes. */
const packedArtefact = (bytes: Uint8Array): Effect.Effect<Uint8Array> =>
  Effect.promise(() => promisify(deflateRaw)(bytes, { level: 1 }))

/** Decompresses bytes; returns damaged bytes unchanged, because readers verify them. */
const unpacked = (bytes: unknown): Effect.Effect<Uint8Array> => {
  const stored = toBytes(bytes)
  return Effect.promise(() => promisify(inflateRaw)(stored).then(toBytes, () => stored))
}

/** One counter for all models of a workspace, so that feed numbers never repeat. */
const feedCounter = "vector_feed"

const modelFromRow = (row: ModelRow): VectorModel => ({
  id: row.id,
  dimensions: toNumber(row.dimensions),
  state: row.state,
  cursor: toNumber(row.document_seq),
  fittedChunks: toNumber(row.fitted_chunks),
  drift: {
    chunks: toNumber(row.drift_chunks),
    terms: toNumber(row.drift_terms),
    unknownTerms: toNumber(row.drift_unknown_terms)
  },
  ...(row.trust === null ? {} : { trust: row.trust }),
  createdAt: row.created_at
})

const rowFromModel = (workspace: WorkspaceScope, model: Omit<VectorModel, "state" | "trust">) => ({
  workspace_id: workspace,
  id: model.id,
  dimensions: model.dimensions,
  document_seq: model.cursor,
  fitted_chunks: model.fittedChunks,
  drift_chunks: model.drift.chunks,
  drift_terms: model.drift.terms,
  drift_unknown_terms: model.drift.unknownTerms,
  created_at: model.createdAt
})
