import { migration } from "../../migration.js"

/** IRIs and texts of entities that came from vocabularies, their schemes and collections, and imports under way. */
export default migration(({ clustered, sql }) => [
  sql`create table concept (
    workspace_id text not null,
    entity_id text not null,
    iri text not null,
    details text not null,
    primary key (workspace_id, entity_id)
  ) ${clustered}`,
  sql`create unique index concept_iri on concept (workspace_id, iri)`,
  sql`create table vocabulary_grouping (
    workspace_id text not null,
    iri text not null,
    details text not null,
    primary key (workspace_id, iri)
  ) ${clustered}`,
  sql`create table vocabulary_import (
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
  ) ${clustered}`,
  sql`create table vocabulary_staged (
    workspace_id text not null,
    import_id text not null,
    place integer not null,
    iri text not null,
    concept text not null,
    request_id text,
    made integer not null,
    primary key (workspace_id, import_id, place)
  ) ${clustered}`,
  sql`create index vocabulary_staged_proposed on vocabulary_staged (workspace_id, iri)
    where request_id is not null`
])
