import { migration } from "../../migration.js"

/** Entities, their aliases and their revisions. */
export default migration(({ clustered, sql }) => [
  sql`create table entity (
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
  ) ${clustered}`,
  sql`create unique index entity_name on entity (workspace_id, type, name_norm)
    where deleted_at is null and merged_into is null`,
  sql`create index entity_key on entity (workspace_id, name_key)`,
  sql`create index entity_claim on entity (workspace_id, claim_key)
    where claim_key is not null`,
  sql`create index entity_head on entity (workspace_id, head_id)`,
  sql`create index entity_seq on entity (workspace_id, seq)`,
  sql`create index entity_rank on entity (workspace_id, coalesce(pagerank, -1) desc, name_norm, type, id)
    where deleted_at is null and merged_into is null`,
  sql`create index entity_type_rank on entity (workspace_id, type, coalesce(pagerank, -1) desc, name_norm, id)
    where deleted_at is null and merged_into is null`,
  sql`create index entity_trash on entity (workspace_id, deleted_at desc, id)
    where deleted_at is not null and retired = 0`,
  sql`create index entity_merged on entity (workspace_id, merged_into)
    where merged_into is not null and deleted_at is null`,
  // Names the columns of its condition, or SQLite walks along the table instead.
  sql`create index entity_members on entity (workspace_id, head_id, merged_into)
    where merged_into is not null`,
  // Stewardship and the manifest. Columns that the condition fixes are in the index too: without statistics SQLite
  // uses it as covering only then. None holds the rank, so that a new ranking does not write them.
  sql`create index entity_counts on entity
    (workspace_id, deleted_at, merged_into, type, authority, lifecycle, last_reviewed_at, next_review_at)
    where deleted_at is null and merged_into is null`,
  sql`create index entity_due on entity (workspace_id, next_review_at, id)
    where deleted_at is null and merged_into is null and next_review_at is not null`,
  sql`create index entity_ownerless on entity
    (workspace_id, owner_id, steward_ids, deleted_at, merged_into, id)
    where deleted_at is null and merged_into is null and owner_id is null and steward_ids = '[]'`,
  sql`create index entity_owner on entity
    (workspace_id, owner_id, deleted_at, merged_into, last_reviewed_at, next_review_at, id)
    where owner_id is not null`,
  sql`create table entity_alias (
    workspace_id text not null,
    entity_id text not null,
    alias_norm text not null,
    alias text not null,
    alias_key text not null,
    extracted integer not null,
    primary key (workspace_id, entity_id, extracted, alias_norm)
  ) ${clustered}`,
  sql`create index entity_alias_key on entity_alias (workspace_id, alias_key)`,
  // Not clustered: a row of more than a kilobyte takes a page of its own there. A diff is null where all is new.
  sql`create table entity_revision (
    workspace_id text not null,
    entity_id text not null,
    version integer not null,
    change_kind text not null,
    snapshot text not null,
    diff text,
    activity text not null,
    changed_by text not null,
    note text,
    created_at text not null,
    primary key (workspace_id, entity_id, version)
  )`
])
