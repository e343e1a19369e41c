import { migration } from "../../migration.js"

/** Feedback on answers, and the way from an answer to its decision. */
export default migration(({ sql }) => [
  sql`create table answer_feedback (
    workspace_id text not null,
    id text not null,
    answer_id text not null,
    kind text not null,
    value text not null,
    sentiment text,
    note text,
    created_by text not null,
    created_at text not null,
    primary key (workspace_id, id)
  )`,
  sql`create index answer_feedback_answer on answer_feedback (workspace_id, answer_id, id)`,
  sql`create index policy_decision_answer on policy_decision (workspace_id, answer_id)`
])
