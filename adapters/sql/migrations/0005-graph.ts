import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { dialect } from "../dialect.js"

/** Entities with aliases and revisions; what extraction read of each document; mentions, relations and edges. */
export default Effect.gen(function* () {
  yield* entities
  yield* readings
  yield* graph
})

const entities = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { clustered } = dialect(sql)
  yield* sql`create table entity (
    workspace_id text not null,
    id text not null,
    seq integer not null,
    name text not null,
    type text not null,
    name_norm text not null,
    name_key text not null,
    origin text not null,
    description text,
    authority text not null,
    lifecycle text not null,
    owner_id text,
    steward_ids text not null,
    version integer not null,
    last_reviewed_at text,
    next_review_at text,
    superseded_by text,
    editorial_note text not null,
    person_fields text not null,
    touched integer not null,
    claim_type text,
    claim_key text,
    merged_ids text not null,
    merged_into text,
    head_id text not null,
    deleted_at text,
    retired integer not null,
    pagerank double precision,
    created_at text not null,
    updated_at text not null,
    primary key (workspace_id, id)
  ) ${clustered}`
  yield* sql`create unique index entity_name on entity (workspace_id, type, name_norm)
    where deleted_at is null and merged_into is null`
  yield* sql`create index entity_key on entity (workspace_id, name_key)`
  yield* sql`create index entity_claim on entity (workspace_id, claim_key) where claim_key is not null`
  yield* sql`create index entity_head on entity (workspace_id, head_id)`
  yield* sql`create index entity_seq on entity (workspace_id, seq)`
  yield* sql`create index entity_rank on entity (workspace_id, coalesce(pagerank, -1) desc, name_norm, type, id)
    where deleted_at is null and merged_into is null`
  yield* sql`create index entity_type_rank on entity (workspace_id, type, coalesce(pagerank, -1) desc, name_norm, id)
    where deleted_at is null and merged_into is null`
  yield* sql`create table entity_alias (
    workspace_id text not null,
    entity_id text not null,
    alias_norm text not null,
    alias text not null,
    alias_key text not null,
    extracted integer not null,
    primary key (workspace_id, entity_id, extracted, alias_norm)
  ) ${clustered}`
  yield* sql`create index entity_alias_key on entity_alias (workspace_id, alias_key)`
  yield* sql`create table entity_revision (
    workspace_id text not null,
    entity_id text not null,
    version integer not null,
    change_kind text not null,
    snapshot text not null,
    diff text not null,
    activity text not null,
    changed_by text not null,
    note text,
    created_at text not null,
    primary key (workspace_id, entity_id, version)
  ) ${clustered}`
})

const readings = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { blob, clustered } = dialect(sql)
  yield* sql`create table graph_state (
    workspace_id text primary key,
    document_cursor integer not null,
    entity_cursor integer not null,
    relink integer not null
  )`
  yield* sql`create table graph_document (
    workspace_id text not null,
    document_id text not null,
    path text not null,
    title text not null,
    aliases text not null,
    name_key text not null,
    name_type text not null,
    entity_id text,
    facts text not null,
    targets text,
    words ${blob} not null,
    small ${blob} not null,
    stale integer not null,
    primary key (workspace_id, document_id)
  ) ${clustered}`
  yield* sql`create index graph_document_stale on graph_document (workspace_id, document_id) where stale = 1`
  yield* sql`create index graph_document_unfollowed on graph_document (workspace_id, document_id)
    where targets is null`
  yield* sql`create index graph_document_name on graph_document (workspace_id, name_key)`
  yield* sql`create table graph_target (
    workspace_id text not null,
    target_id text not null,
    document_id text not null,
    primary key (workspace_id, target_id, document_id)
  ) ${clustered}`
  yield* sql`create index graph_target_document on graph_target (workspace_id, document_id)`
  yield* sql`create table graph_claim (
    workspace_id text not null,
    key text not null,
    document_id text not null,
    role text not null,
    type text not null,
    name text not null,
    subject text not null,
    word_hash bigint,
    prose_count integer not null,
    heading_count integer not null,
    primary key (workspace_id, key, document_id, role, type, name, subject)
  ) ${clustered}`
  yield* sql`create index graph_claim_document on graph_claim (workspace_id, document_id)`
  yield* sql`create index graph_claim_link on graph_claim (workspace_id, document_id) where role = 'link'`
  yield* sql`create index graph_claim_word on graph_claim (workspace_id, word_hash) where role = 'term'`
  yield* sql`create index graph_claim_subject on graph_claim (workspace_id, subject) where subject <> ''`
  yield* sql`create table graph_surface (
    workspace_id text not null,
    entity_id text not null,
    key text not null,
    head_id text not null,
    primary key (workspace_id, entity_id, key)
  ) ${clustered}`
  yield* sql`create table graph_undecided (
    workspace_id text not null,
    key text not null,
    primary key (workspace_id, key)
  ) ${clustered}`
})

const graph = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { clustered } = dialect(sql)
  yield* sql`create table mention (
    workspace_id text not null,
    document_id text not null,
    label integer not null,
    start_offset integer not null,
    end_offset integer not null,
    entity_id text not null,
    key text not null,
    confidence double precision not null,
    primary key (workspace_id, document_id, label, start_offset, entity_id)
  ) ${clustered}`
  yield* sql`create index mention_entity on mention (workspace_id, entity_id, document_id, label, start_offset)`
  yield* sql`create table relation (
    workspace_id text not null,
    id text not null,
    src_id text not null,
    type text not null,
    dst_id text not null,
    origin text not null,
    note text,
    src_head text,
    dst_head text,
    evidence_count integer not null,
    deleted_at text,
    created_at text not null,
    primary key (workspace_id, id)
  ) ${clustered}`
  yield* sql`create unique index relation_edge on relation (workspace_id, src_id, type, dst_id)`
  yield* sql`create index relation_dst on relation (workspace_id, dst_id)`
  yield* sql`create index relation_src_head on relation (workspace_id, src_head)`
  yield* sql`create index relation_dst_head on relation (workspace_id, dst_head)`
  yield* sql`create table relation_evidence (
    workspace_id text not null,
    document_id text not null,
    relation_id text not null,
    ordinal integer not null,
    label integer,
    quote text not null,
    primary key (workspace_id, document_id, relation_id, ordinal)
  ) ${clustered}`
  yield* sql`create index relation_evidence_relation on relation_evidence (workspace_id, relation_id)`
  yield* sql`create table edge (
    workspace_id text not null,
    src_id text not null,
    type text not null,
    dst_id text not null,
    mention_count integer not null,
    primary key (workspace_id, src_id, type, dst_id)
  ) ${clustered}`
  yield* sql`create index edge_out on edge (workspace_id, src_id, mention_count desc, dst_id, type)`
  yield* sql`create index edge_in on edge (workspace_id, dst_id, mention_count desc, src_id, type)`
})
