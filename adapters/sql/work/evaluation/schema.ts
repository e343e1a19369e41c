import { migration } from "../../migration.js"

/** Relevance judgments, the labels of each judge, evaluation runs with their topics, and reports. */
export default migration(({ clustered, sql }) => [
  sql`create table judgment (
    workspace_id text not null,
    set_name text not null,
    query_id text not null,
    document_id text not null,
    id text not null,
    query text not null,
    chunk_id text,
    quote text,
    grade integer,
    expect_abstain integer not null,
    answers text not null,
    judge text not null,
    note text,
    created_at text not null,
    updated_at text not null,
    primary key (workspace_id, set_name, query_id, document_id)
  ) ${clustered}`,
  sql`create unique index judgment_id on judgment (workspace_id, id)`,
  sql`create index judgment_document on judgment (workspace_id, document_id)`,
  sql`create table judgment_label (
    workspace_id text not null,
    set_name text not null,
    query_id text not null,
    document_id text not null,
    judge text not null,
    grade integer not null,
    updated_at text not null,
    primary key (workspace_id, set_name, query_id, document_id, judge)
  ) ${clustered}`,
  sql`create table eval_run (
    workspace_id text not null,
    id text not null,
    suite text not null,
    set_name text not null,
    status text not null,
    created_at text not null,
    detail text not null,
    primary key (workspace_id, id)
  ) ${clustered}`,
  sql`create index eval_run_status on eval_run (workspace_id, status, id)`,
  sql`create table eval_topic (
    workspace_id text not null,
    eval_id text not null,
    place integer not null,
    topic text not null,
    result text,
    detail text,
    primary key (workspace_id, eval_id, place)
  ) ${clustered}`,
  sql`create table report (
    workspace_id text not null,
    id text not null,
    kind text not null,
    title text not null,
    status text not null,
    generated_at text not null,
    created_by text,
    layout_version integer not null,
    body text not null,
    primary key (workspace_id, id)
  ) ${clustered}`,
  sql`create index report_title on report (workspace_id, kind, title, status)`
])
