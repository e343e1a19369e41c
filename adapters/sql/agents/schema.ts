import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { dialect } from "../dialect.js"

/** Agents with their versions; runs with journal, approvals, effects, citations, feedback; and what agents spend. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { clustered } = dialect(sql)
  yield* sql`create table agent (
    workspace_id text not null,
    id text not null,
    slug text not null,
    name text not null,
    description text not null,
    enabled integer not null,
    archived integer not null,
    created_at text not null,
    updated_at text not null,
    primary key (workspace_id, id)
  )`
  yield* sql`create unique index agent_slug on agent (workspace_id, slug)`
  yield* sql`create table agent_version (
    workspace_id text not null,
    agent_id text not null,
    number integer not null,
    id text not null,
    behaviour text not null,
    changed_by text not null,
    note text,
    created_at text not null,
    primary key (workspace_id, agent_id, number)
  )`
  yield* sql`create table agent_run (
    workspace_id text not null,
    id text not null,
    agent_id text not null,
    agent_version_id text not null,
    conversation_id text,
    status text not null,
    trigger_name text not null,
    input text not null,
    output text,
    error text,
    tokens_in bigint not null,
    tokens_out bigint not null,
    cost_usd_1e10 bigint not null,
    api_key_id text,
    config_id text not null,
    created_at text not null,
    started_at text,
    finished_at text,
    forked_from text,
    actor text not null,
    activity text not null,
    scopes text,
    config text not null,
    history text not null,
    cancel_requested integer not null,
    fence bigint not null,
    lease_owner text,
    lease_until text,
    primary key (workspace_id, id)
  )`
  yield* sql`create index agent_run_status on agent_run (workspace_id, status, id)`
  yield* sql`create index agent_run_agent on agent_run (workspace_id, agent_id, id)`
  yield* sql`create index agent_run_conversation on agent_run (workspace_id, conversation_id, id)`
  yield* sql`create table agent_step (
    workspace_id text not null,
    run_id text not null,
    idx integer not null,
    id text not null,
    kind text not null,
    name text,
    model_id text,
    status text not null,
    input text,
    output text,
    error text,
    tokens_in bigint not null,
    tokens_out bigint not null,
    cost_usd_1e10 bigint not null,
    reserved_usd_1e10 bigint not null,
    latency_ms bigint,
    started_at text not null,
    finished_at text,
    primary key (workspace_id, run_id, idx)
  ) ${clustered}`
  yield* sql`create table agent_approval (
    workspace_id text not null,
    id text not null,
    run_id text not null,
    step_id text not null,
    tool_name text not null,
    arguments text not null,
    digest text not null,
    targets text not null,
    status text not null,
    expires_at text not null,
    decided_by text,
    decided_at text,
    note text,
    primary key (workspace_id, id)
  )`
  yield* sql`create index agent_approval_run on agent_approval (workspace_id, run_id, id)`
  yield* sql`create index agent_approval_open on agent_approval (workspace_id, status, expires_at)`
  yield* sql`create table agent_effect (
    workspace_id text not null,
    step_id text not null,
    seq integer not null,
    action text not null,
    subject_id text not null,
    primary key (workspace_id, step_id, seq)
  ) ${clustered}`
  yield* sql`create table agent_citation (
    workspace_id text not null,
    document_id text not null,
    run_id text not null,
    chunk_id text not null,
    primary key (workspace_id, document_id, run_id, chunk_id)
  ) ${clustered}`
  yield* sql`create table agent_feedback (
    workspace_id text not null,
    id text not null,
    run_id text not null,
    kind text not null,
    value text not null,
    sentiment text,
    note text,
    created_by text not null,
    created_at text not null,
    primary key (workspace_id, id)
  )`
  yield* sql`create index agent_feedback_run on agent_feedback (workspace_id, run_id, id)`
  yield* sql`create table agent_spend (
    workspace_id text not null,
    month text not null,
    spent_usd_1e10 bigint not null,
    reserved_usd_1e10 bigint not null,
    primary key (workspace_id, month)
  ) ${clustered}`
})
