import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { dialect } from "../dialect.js"

/** IRIs and texts of entities that came from vocabularies, their schemes and collections, and imports under way. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { clustered } = dialect(sql)
  yield* sql`create table concept (
    workspace_id text not null,
    entity_id text not null,
    iri text not null,
    details text not null,
    primary key (workspace_id, entity_id)
  ) ${clustered}`
  yield* sql`create unique index concept_iri on concept (workspace_id, iri)`
  yield* sql`create table vocabulary_grouping (
    workspace_id text not null,
    iri text not null,
    details text not null,
    primary key (workspace_id, iri)
  ) ${clustered}`
  yield* sql`create table vocabulary_import (
    workspace_id text not null,
    id text not null,
    options text not null,
    total integer not null,
    asked_by text not null,
    activity text not null,
    next_concept integer not null,
    next_link integer not null,
    report text not null,
    primary key (workspace_id, id)
  ) ${clustered}`
  yield* sql`create table vocabulary_staged (
    workspace_id text not null,
    import_id text not null,
    place integer not null,
    iri text not null,
    concept text not null,
    request_id text,
    made integer not null,
    primary key (workspace_id, import_id, place)
  ) ${clustered}`
  yield* sql`create index vocabulary_staged_proposed on vocabulary_staged (workspace_id, iri)
    where request_id is not null`
})
