import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { dialect } from "../dialect.js"

/**
 * Models, what they need to embed, and their vectors. A model has a number of its own (`model`), new each time
 * that it is begun, so rows of a dropped one can be freed later and never come back with its name. A vector row
 * without a vector tells that it was removed. Artefacts stand apart, since every change of a row writes it whole.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { blob, clustered } = dialect(sql)
  yield* sql`create table vector_model (
    workspace_id text not null,
    model integer not null,
    id text not null,
    dimensions integer not null,
    state text not null,
    document_seq integer not null,
    fitted_chunks integer not null,
    drift_chunks integer not null,
    drift_terms integer not null,
    drift_unknown_terms integer not null,
    feed_head integer not null,
    feed_floor integer not null,
    created_at text not null,
    primary key (workspace_id, model)
  ) ${clustered}`
  yield* sql`create unique index vector_model_state on vector_model (workspace_id, state) where state <> 'dropped'`
  yield* sql`create unique index vector_model_id on vector_model (workspace_id, id) where state <> 'dropped'`
  yield* sql`create table vector_artefact (
    workspace_id text not null,
    model integer not null,
    bytes ${blob} not null,
    primary key (workspace_id, model)
  )`
  yield* sql`create table vector (
    workspace_id text not null,
    model integer not null,
    label integer not null,
    document_id text not null,
    text_hash text not null,
    seq integer not null,
    vector ${blob},
    primary key (workspace_id, model, label)
  )`
  yield* sql`create index vector_seq on vector (workspace_id, model, seq)`
  yield* sql`create index vector_document on vector (workspace_id, model, document_id)`
  yield* sql`create index vector_removed on vector (workspace_id, model, seq) where vector is null`
})
