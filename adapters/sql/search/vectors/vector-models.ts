import { promisify } from "node:util"
import { deflateRaw, inflateRaw } from "node:zlib"
import type * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Atomic, type WorkspaceScope } from "../../../../core/platform/kernel/index.js"
import { WorkspaceStore } from "../../../../core/platform/workspace/index.js"
import { slotStates, type VectorModel, type VectorStore } from "../../../../core/search/vectors/index.js"
import { toBytes, toNumber } from "../../codec.js"
import { changingContent } from "../../content-changes.js"
import { readAll } from "../../rows.js"

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

/** One counter for all models of a workspace, so that feed numbers never repeat. */
export const feedCounter = "vector_feed"

/** Returns the number of the live model of this id as a scalar expression; null without one. */
export const numberOf = (sql: SqlClient.SqlClient, workspace: WorkspaceScope, id: string): Fragment =>
  sql`(select model from vector_model where workspace_id = ${workspace} and id = ${id} and state <> 'dropped')`

type ModelCalls = Pick<
  VectorStore["Type"],
  "models" | "artefact" | "begin" | "activate" | "setTrust" | "drop" | "sweep" | "advance"
>

/** The calls about models: their rows, artefacts and states. */
export const vectorModels = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const { advance } = yield* WorkspaceStore
    const atomic = yield* Atomic

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
          where workspace_id = ${workspace} and model = ${numberOf(sql, workspace, model)}`.pipe(
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
          }).pipe(changingContent(sql, workspace), atomic.run, Effect.orDie)
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
        }).pipe(changingContent(sql, workspace), atomic.run, Effect.orDie),
      setTrust: (workspace, model, trust) =>
        sql`update vector_model set trust = ${trust}
          where workspace_id = ${workspace} and id = ${model} and state <> 'dropped'`.pipe(
          changingContent(sql, workspace),
          Effect.asVoid,
          Effect.orDie
        ),
      drop: (workspace, model) =>
        markDropped(workspace, sql.and([sql`id = ${model}`])).pipe(
          changingContent(sql, workspace),
          Effect.asVoid,
          Effect.orDie
        ),
      sweep: (workspace, limit) =>
        Effect.orDie(
          Effect.gen(function* () {
            while (true) {
              const freed = yield* sweepOne(workspace, limit).pipe(
                changingContent(sql, workspace),
                atomic.run
              )
              if (freed !== 0) return freed ?? 0
            }
          })
        ),
      advance: (workspace, model, { cursor, drift }) =>
        sql`update vector_model set document_seq = ${cursor}, drift_chunks = ${drift.chunks},
            drift_terms = ${drift.terms}, drift_unknown_terms = ${drift.unknownTerms}
          where workspace_id = ${workspace} and id = ${model} and state <> 'dropped'`.pipe(
          changingContent(sql, workspace),
          Effect.asVoid,
          Effect.orDie
        )
    } satisfies ModelCalls
  })

/** Compresses the artefact of a model in the thread pool, because it may be megabytes. */
const packedArtefact = (bytes: Uint8Array): Effect.Effect<Uint8Array> =>
  Effect.promise(() => promisify(deflateRaw)(bytes, { level: 1 }))

/** Decompresses bytes; returns damaged bytes unchanged, because readers verify them. */
const unpacked = (bytes: unknown): Effect.Effect<Uint8Array> => {
  const stored = toBytes(bytes)
  return Effect.promise(() => promisify(inflateRaw)(stored).then(toBytes, () => stored))
}

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
