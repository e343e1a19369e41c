import { migration } from "../../migration.js"

/** Lists of readers, the documents that have one, groups of users, and what a key was made for. */
export default migration(({ clustered, sql }) => [
  // Named by a hash of its principals, so a row never changes its meaning.
  sql`create table access_list (
    workspace_id text not null,
    id text not null,
    principals text not null,
    primary key (workspace_id, id)
  ) ${clustered}`,
  // Documents that are open to everybody have no row. `list_id` follows from the others and the rules of folders. Rows
  // outlive their document: what quotes it stays hidden.
  sql`create table document_access (
    workspace_id text not null,
    document_id text not null,
    list_id text,
    own text,
    source text,
    primary key (workspace_id, document_id)
  ) ${clustered}`,
  sql`create index document_access_list on document_access (workspace_id, list_id)`,
  sql`create table user_group (
    workspace_id text not null,
    user_id text not null,
    name text not null,
    primary key (workspace_id, user_id, name)
  ) ${clustered}`,
  sql`alter table api_key add column access text`,
  // The principals of a run that an embedding program started for a caller without a key or a membership.
  sql`alter table agent_run add column principals text`
])
