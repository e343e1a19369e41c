import { migration } from "../../migration.js"

/** Decisions of the gate, one row per judged question. Columns hold what is counted and searched, `detail` the rest. */
export default migration(({ clustered, sql }) => [
  sql`create table policy_decision (
    workspace_id text not null,
    id text not null,
    decided_at text not null,
    answer_id text,
    question text,
    mode text not null,
    verdict text not null,
    gate text not null,
    applied integer not null,
    confidence_bin integer not null,
    confidence double precision not null,
    reason_kinds text not null,
    caveat_codes text not null,
    conflicting integer not null,
    claims integer not null,
    verified integer not null,
    detail text not null,
    primary key (workspace_id, id)
  )`,
  sql`create index policy_decision_time on policy_decision (workspace_id, decided_at, id)`,
  sql`create index policy_decision_question on policy_decision (workspace_id, id)
    where question is not null`,
  sql`create table policy_decision_source (
    workspace_id text not null,
    document_id text not null,
    decision_id text not null,
    primary key (workspace_id, document_id, decision_id)
  ) ${clustered}`,
  sql`create index policy_decision_source_decision on policy_decision_source (workspace_id, decision_id)`
])
