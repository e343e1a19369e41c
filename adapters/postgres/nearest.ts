import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { chosenLayer, type ServiceLayer, serviceLayer } from "../../core/platform/kernel/index.js"
import {
  type VectorBatch,
  type VectorFeed,
  type VectorFeedReader,
  VectorIndex,
  type VectorIndexInspection,
  type VectorIndexKey
} from "../../core/search/vectors/index.js"
import { vectorsInProcess } from "../engine/ports.js"
import { toNumber } from "../sql/codec.js"
import { checkVector } from "../vectors/flat-vectors.js"
import { nearestState, withoutNearest } from "./nearest-schema.js"

export interface NearestSettings {
  /** Maximum number of vectors per model that are searched exactly; above it a graph is built. */
  readonly crossover?: number
}

/** Default of `crossover`, as for the in-process index: up to here an exact search takes some milliseconds. */
const crossoverUsual = 5000

/** Up to this number, allowed labels are compared one by one. */
const allowedMax = 10_000

/** Maximum dimensions of a graph. */
const dimensionsMax = 4000

/**
 * Provides the vector index in the database by pgvector: exact up to the crossover, above it a graph per model of a
 * workspace, which the database maintains. Processes share it and hold nothing in memory.
 */
export const nearestIndex = ({ crossover = crossoverUsual }: NearestSettings = {}) =>
  serviceLayer(
    VectorIndex,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const stateOf = (key: VectorIndexKey) =>
        Effect.map(
          sql<{ position: unknown; begun_at: unknown; is_built: boolean }>`select position, begun_at, is_built
            from vector_nearest_state where workspace_id = ${key.workspace} and model = ${key.model}`,
          ([row]) => ({
            position: toNumber(row?.position),
            begunAt: toNumber(row?.begun_at),
            isBuilt: row?.is_built ?? false
          })
        )
      const drop = ({ model, workspace }: VectorIndexKey) =>
        Effect.asVoid(sql`select kanon_nearest_drop(${workspace}, ${model})`)
      const position = (key: VectorIndexKey, { floor, head }: VectorFeed) =>
        Effect.gen(function* () {
          const { begunAt, position: at } = yield* stateOf(key)
          const isSupported = at <= head && (at === 0 || at >= floor || begunAt >= floor)
          if (!isSupported) yield* drop(key)
          if (isSupported && (at > 0 || begunAt === floor)) return at
          // A follower from the beginning misses no removal up to this floor, wherever it is now.
          yield* sql`insert into vector_nearest_state
            ${sql.insert({ workspace_id: key.workspace, model: key.model, position: 0, begun_at: floor, is_built: false })}
            on conflict (workspace_id, model) do update set begun_at = excluded.begun_at
              where vector_nearest_state.position = 0`
          return 0
        })
      const count = ({ model, workspace }: VectorIndexKey, most: number) =>
        Effect.map(
          sql<{ n: unknown }>`select count(*) as n from (select 1 from vector_nearest
            where workspace_id = ${workspace} and model = ${model} limit ${most}) as first`,
          ([row]) => toNumber(row?.n)
        )
      const owes = (key: VectorIndexKey) =>
        Effect.gen(function* () {
          if (key.dimensions > dimensionsMax || (yield* stateOf(key)).isBuilt) return false
          return (yield* count(key, crossover + 1)) > crossover
        })
      const apply = (key: VectorIndexKey, batch: VectorBatch) =>
        Effect.gen(function* () {
          for (const { vector } of batch.changes) if (vector !== null) checkVector(vector, key.dimensions)
          yield* sql.withTransaction(applied(sql, key, batch))
        })
      const build = (key: VectorIndexKey, feed: VectorFeedReader) =>
        Effect.gen(function* () {
          let at = yield* position(key, feed)
          while (at < feed.head) {
            yield* apply(key, yield* feed.page(at))
            const reached = (yield* stateOf(key)).position
            if (reached <= at) break
            at = reached
          }
          // Removals that were truncated while the feed was read may have been missed.
          if ((yield* feed.now).floor !== feed.floor) return yield* drop(key)
          if (!(yield* owes(key))) return
          yield* sql.withTransaction(
            Effect.zipRight(
              sql`select kanon_nearest_build(${key.workspace}, ${key.model}, ${key.dimensions})`,
              sql`update vector_nearest_state set is_built = true
                where workspace_id = ${key.workspace} and model = ${key.model}`
            )
          )
        })
      return {
        position: (key, feed) => Effect.orDie(position(key, feed)),
        apply: (key, batch) => Effect.orDie(apply(key, batch)),
        search: (key, vector, limit, allow) => Effect.orDie(nearest(sql, key, vector, limit, allow)),
        isBuildDue: (key) => Effect.orDie(owes(key)),
        build: (key, feed) => Effect.orDie(build(key, feed)),
        forget: () => Effect.void,
        drop: (key) => Effect.orDie(drop(key)),
        inspection: nearestInspection(sql)
      }
    })
  )

/** Compares the vectors of the index with the stored ones, where the index has followed all of them. */
const nearestInspection = (sql: SqlClient.SqlClient): VectorIndexInspection => ({
  damage: ({ model, workspace }) =>
    Effect.map(
      sql<{ stored: unknown; missing: unknown; surplus: unknown }>`select count(v.label) as stored,
            count(v.label) filter (where n.label is null) as missing,
            count(n.label) filter (where v.label is null) as surplus
          from (select v.label from vector v join vector_model m on m.workspace_id = ${workspace} and m.model = v.model
              where v.workspace_id = ${workspace} and m.id = ${model} and m.state <> 'dropped'
                and v.vector is not null) v
            full join (select label from vector_nearest where workspace_id = ${workspace} and model = ${model}) n
              on n.label = v.label
          where exists (select 1 from vector_model m
            join vector_nearest_state s on s.workspace_id = m.workspace_id and s.model = m.id
            where m.workspace_id = ${workspace} and m.id = ${model} and m.state <> 'dropped'
              and s.position = m.feed_head)`,
      ([row]) => {
        const [stored, missing, surplus] = [row?.stored, row?.missing, row?.surplus].map(toNumber)
        return missing === 0 && surplus === 0
          ? null
          : `the index of vectors in the database lacks ${missing} of ${stored}, and has ${surplus} that are not stored`
      }
    ).pipe(Effect.orDie),
  // pgvector scans on until it has enough results, so the index of the database is not sampled.
  recall: () => Effect.succeed(null),
  memory: () => Effect.succeed(null),
  exactOnly: Effect.succeed(null)
})

type Vectors = ServiceLayer<VectorIndex, never, SqlClient.SqlClient | Scope.Scope>

/** Provides the vector index of this database: by pgvector if available, else in each process, which is logged. */
export const vectorsOn = (folder: string | null): Vectors =>
  chosenLayer(
    Effect.gen(function* (): Effect.fn.Return<Vectors, never, SqlClient.SqlClient> {
      const state = yield* Effect.orDie(nearestState(yield* SqlClient.SqlClient))
      const why = withoutNearest[state]
      if (why === null) return nearestIndex()
      yield* Effect.logInfo(`Vectors: ${why}.`)
      return vectorsInProcess(folder)
    })
  )

/** Applies a page of the feed if the index is at its beginning, in the caller's transaction. */
const applied = (
  sql: SqlClient.SqlClient,
  { model, workspace }: VectorIndexKey,
  { after, changes, position }: VectorBatch
) =>
  Effect.gen(function* () {
    if (after === 0)
      yield* sql`insert into vector_nearest_state ${sql.insert({ workspace_id: workspace, model, position: 0, begun_at: 0, is_built: false })}
        on conflict do nothing`
    const moved = yield* sql`update vector_nearest_state set position = ${position}
      where workspace_id = ${workspace} and model = ${model} and position = ${after} returning position`
    if (moved.length === 0 || changes.length === 0) return
    yield* sql`select kanon_nearest_hold(${workspace})`
    // The last of several changes of a label counts.
    const last = new Map(changes.map(({ label, vector }) => [label, vector]))
    const labels = [...last.keys()]
    yield* sql`delete from vector_nearest where workspace_id = ${workspace} and model = ${model}
      and label = any (${labels}::integer[])`
    const vectorChanges = [...last].flatMap(([label, vector]) => (vector === null ? [] : [{ label, vector }]))
    yield* sql`select kanon_nearest_put(${workspace}, ${model},
      ${vectorChanges.map(({ label }) => label)}::integer[], ${vectorChanges.map(({ vector }) => textOf(vector))}::text[])`
  })

const nearest = (
  sql: SqlClient.SqlClient,
  { dimensions, model, workspace }: VectorIndexKey,
  vector: Float32Array,
  limit: number,
  allow: ReadonlySet<number> | undefined
) =>
  Effect.gen(function* () {
    checkVector(vector, dimensions)
    if (limit <= 0) return []
    const allowed = allow === undefined ? null : [...allow]
    const look = (byGraph: boolean) =>
      Effect.map(
        sql<{ found: number; cosine: number }>`select found, cosine from kanon_nearest(${workspace}, ${model},
          ${textOf(vector)}, ${dimensions}, ${limit}, ${allowed}::integer[], ${byGraph} and coalesce(
            (select is_built from vector_nearest_state where workspace_id = ${workspace} and model = ${model}), false))`,
        (rows) => rows.map(({ cosine, found }) => ({ label: found, score: cosine }))
      )
    if (allowed !== null && allowed.length <= allowedMax) return yield* look(false)
    const found = yield* look(true)
    // A graph scan gives up after too many filtered rows; then every allowed vector is compared.
    return allowed !== null && found.length < limit ? yield* look(false) : found
  })

/** Returns a vector in pgvector's text format. */
const textOf = (vector: Float32Array): string => `[${vector.join(",")}]`
