import { migration } from "../../migration.js"

/** Embedding models, what they need to embed, and their vectors. A model gets a new number (`model`) each time that it
 * begins, so rows of a dropped one can be freed later and never come back with its name. */
export default migration(({ blob, clustered, sql, tellStatistics }) => [
  sql`create table vector_model (
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
    trust double precision,
    feed_head integer not null,
    feed_floor integer not null,
    created_at text not null,
    primary key (workspace_id, model)
  ) ${clustered}`,
  sql`create unique index vector_model_state on vector_model (workspace_id, state)
    where state <> 'dropped'`,
  sql`create unique index vector_model_id on vector_model (workspace_id, id)
    where state <> 'dropped'`,
  // Artefacts are apart: every change of a model row writes the row whole.
  sql`create table vector_artefact (
    workspace_id text not null,
    model integer not null,
    bytes ${blob} not null,
    primary key (workspace_id, model)
  )`,
  // A row without a vector is a removal in the feed of changes.
  sql`create table vector (
    workspace_id text not null,
    model integer not null,
    label integer not null,
    document_id text not null,
    text_hash text not null,
    seq integer not null,
    vector ${blob},
    primary key (workspace_id, model, label)
  )`,
  sql`create index vector_seq on vector (workspace_id, model, seq)`,
  sql`create index vector_document on vector (workspace_id, model, document_id)`,
  sql`create index vector_removed on vector (workspace_id, model, seq)
    where vector is null`,
  tellStatistics([
    ["vector", "sqlite_autoindex_vector_1", "1000000 250000 250000 1"],
    ["vector", "vector_seq", "1000000 250000 250000 1"],
    ["vector", "vector_document", "1000000 250000 250000 12"],
    ["vector", "vector_removed", "1000 250 250 1"]
  ])
])
