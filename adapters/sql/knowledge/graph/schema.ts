import { migration } from "../../migration.js"

/** Facts extracted from each document, claims of names, mentions, relations, and the edges derived from them. */
export default migration(({ tellStatistics }) => [readings, mentions, relations, tellStatistics(statistics)])

const readings = migration(({ blob, clustered, sql }) => [
  sql`create table graph_state (
    workspace_id text not null primary key,
    document_cursor integer not null,
    entity_cursor integer not null,
    relink integer not null
  )`,
  // Not clustered: a row of more than a kilobyte takes a page of its own there.
  sql`create table graph_document (
    workspace_id text not null,
    document_id text not null,
    path text not null,
    title text not null,
    aliases text not null,
    name_key text not null,
    name_type text not null,
    entity_id text,
    facts ${blob} not null,
    targets text,
    words ${blob} not null,
    small ${blob} not null,
    stale integer not null,
    primary key (workspace_id, document_id)
  )`,
  sql`create index graph_document_stale on graph_document (workspace_id, document_id)
    where stale = 1`,
  sql`create index graph_document_unfollowed on graph_document (workspace_id, document_id)
    where targets is null`,
  sql`create index graph_document_name on graph_document (workspace_id, name_key)`,
  sql`create table graph_target (
    workspace_id text not null,
    target_id text not null,
    document_id text not null,
    primary key (workspace_id, target_id, document_id)
  ) ${clustered}`,
  sql`create index graph_target_document on graph_target (workspace_id, document_id)`,
  sql`create table graph_surface (
    workspace_id text not null,
    entity_id text not null,
    key text not null,
    head_id text not null,
    primary key (workspace_id, entity_id, key)
  ) ${clustered}`,
  sql`create table graph_undecided (
    workspace_id text not null,
    key text not null,
    primary key (workspace_id, key)
  ) ${clustered}`
])

/** Mentions and claims name documents and entities by numbers of this database; no export carries them. */
const mentions = migration(({ clustered, sql }) => [
  sql`create table id_number (
    workspace_id text not null,
    id text not null,
    number integer not null,
    primary key (workspace_id, id)
  ) ${clustered}`,
  sql`create unique index id_number_number on id_number (workspace_id, number)`,
  sql`create table extraction_run (
    workspace_id text not null,
    number integer not null,
    job_id text not null,
    primary key (workspace_id, number)
  ) ${clustered}`,
  sql`create unique index extraction_run_job on extraction_run (workspace_id, job_id)`,
  sql`create table mention (
    workspace_id text not null,
    document_no integer not null,
    label integer not null,
    start_offset integer not null,
    end_offset integer not null,
    entity_no integer not null,
    key text not null,
    confidence double precision not null,
    run integer,
    primary key (workspace_id, document_no, label, start_offset, entity_no)
  ) ${clustered}`,
  sql`create index mention_entity on mention (workspace_id, entity_no, document_no, label, start_offset)`,
  // The claims of a document are stored together, in the order of their arrival.
  sql`create table graph_claim (
    workspace_id text not null,
    document_no integer not null,
    ordinal integer not null,
    key text not null,
    role text not null,
    type text not null,
    name text not null,
    subject text not null,
    word_hash bigint,
    prose_count integer not null,
    heading_count integer not null,
    primary key (workspace_id, document_no, ordinal)
  ) ${clustered}`,
  sql`create index graph_claim_key on graph_claim (workspace_id, key)`,
  sql`create index graph_claim_word on graph_claim (workspace_id, word_hash)
    where role = 'term' and word_hash is not null`,
  sql`create index graph_claim_subject on graph_claim (workspace_id, subject)
    where subject <> ''`
])

/** The order of the edges of an entity. */
const rank = "workspace_id, src_id, mention_count desc, dst_id, type"

const relations = migration(({ clustered, onPostgres, rankedKey, sql }) => [
  sql`create table relation (
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
  )`,
  sql`create unique index relation_edge on relation (workspace_id, src_id, type, dst_id)`,
  sql`create index relation_dst on relation (workspace_id, dst_id)`,
  sql`create index relation_dst_head on relation (workspace_id, dst_head)`,
  sql`create index relation_along on relation (workspace_id, src_head, type, dst_head, deleted_at)`,
  sql`create index relation_trash on relation (workspace_id, deleted_at desc, id)
    where deleted_at is not null`,
  sql`create table relation_evidence (
    workspace_id text not null,
    document_id text not null,
    relation_id text not null,
    ordinal integer not null,
    label integer,
    quote text not null,
    primary key (workspace_id, document_id, relation_id, ordinal)
  ) ${clustered}`,
  sql`create index relation_evidence_relation on relation_evidence (workspace_id, relation_id)`,
  // In the order of rank alone: edges of a source are found there too. A key of Postgres cannot descend.
  sql`create table edge (
    workspace_id text not null,
    src_id text not null,
    type text not null,
    dst_id text not null,
    mention_count integer not null,
    ${rankedKey(rank, "workspace_id, src_id, type, dst_id")}
  ) ${clustered}`,
  onPostgres(sql`create index edge_out on edge (${sql.literal(rank)})`),
  sql`create index edge_in on edge (workspace_id, dst_id, mention_count desc, src_id, type)`,
  // The few edges that make a vocabulary a tree, in the order in which an export walks them.
  sql`create index edge_hierarchy on edge (workspace_id, src_id, type, dst_id)
    where type in ('broader', 'narrower')`,
  // How many mentions the edges of an entity have per type: a card reads these instead of the edges.
  sql`create table edge_type (
    workspace_id text not null,
    entity_id text not null,
    type text not null,
    mention_count bigint not null,
    primary key (workspace_id, entity_id, type)
  ) ${clustered}`
])

/**
 * Row counts of a large database for SQLite's planner. Without them it assumes ten rows per workspace and scans the
 * workspace instead of looking ids up.
 */
const statistics: ReadonlyArray<readonly [table: string, index: string, rows: string]> = [
  ["graph_document", "sqlite_autoindex_graph_document_1", "100000 25000 1"],
  ["graph_document", "graph_document_stale", "1000 250 1"],
  ["graph_document", "graph_document_unfollowed", "1000 250 1"],
  ["graph_document", "graph_document_name", "100000 25000 2"],
  ["graph_target", "graph_target", "200000 50000 5 1"],
  ["graph_target", "graph_target_document", "200000 50000 5"],
  ["graph_surface", "graph_surface", "200000 50000 2 1"],
  ["id_number", "id_number", "300000 75000 1"],
  ["id_number", "id_number_number", "300000 75000 1"],
  ["mention", "mention", "2000000 500000 25 4 2 1"],
  ["mention", "mention_entity", "2000000 500000 20 3 2 1"],
  ["graph_claim", "graph_claim", "1000000 250000 12 1"],
  ["graph_claim", "graph_claim_key", "1000000 250000 5"],
  ["graph_claim", "graph_claim_word", "1000000 250000 5"],
  ["graph_claim", "graph_claim_subject", "10000 2500 5"],
  ["relation", "sqlite_autoindex_relation_1", "200000 50000 1"],
  ["relation", "relation_edge", "200000 50000 5 3 1"],
  ["relation", "relation_dst", "200000 50000 5"],
  ["relation", "relation_dst_head", "200000 50000 5"],
  ["relation", "relation_along", "200000 50000 5 3 2 1"],
  ["relation", "relation_trash", "1000 250 1 1"],
  ["relation_evidence", "relation_evidence", "300000 75000 5 2 1"],
  ["relation_evidence", "relation_evidence_relation", "300000 75000 2"]
]
