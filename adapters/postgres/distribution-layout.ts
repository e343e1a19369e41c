import { migrationsTable, programTable } from "../sql/migration-state.js"

/**
 * Where each table lies in a database that is distributed by Citus. A test compares these lists with the migrations:
 * each table is in exactly one of them.
 */

/** Tables distributed by `workspace_id` and placed together, so that all rows of a workspace are on one node. */
export const distributedTables = [
  "agent",
  "agent_approval",
  "agent_citation",
  "agent_effect",
  "agent_feedback",
  "agent_run",
  "agent_spend",
  "agent_step",
  "agent_version",
  "answer",
  "answer_cache_count",
  "answer_cache_entry",
  "answer_cache_document",
  "answer_cache_entity",
  "answer_conversation",
  "answer_feedback",
  "answer_source",
  "audit",
  "audit_head",
  "calibration",
  "change_request",
  "chunk",
  "concept",
  "content_change",
  "content_connector",
  "counter",
  "data_call",
  "data_connector",
  "data_query",
  "data_query_revision",
  "document",
  "document_content",
  "document_tag",
  "document_text",
  "document_version",
  "edge",
  "edge_type",
  "entity",
  "entity_alias",
  "entity_revision",
  "eval_run",
  "eval_topic",
  "external_item",
  "extraction_run",
  "file_intent",
  "graph_claim",
  "graph_document",
  "graph_state",
  "graph_surface",
  "graph_target",
  "graph_undecided",
  "id_number",
  "indexing_progress",
  "judgment",
  "judgment_label",
  "mention",
  "model_usage",
  "policy_decision",
  "policy_decision_source",
  "posting_block",
  "posting_dead",
  "posting_directory",
  "posting_segment",
  "relation",
  "relation_evidence",
  "report",
  "secret",
  "sync_file",
  "sync_finding",
  "sync_run",
  "vault_file",
  "vector",
  "vector_artefact",
  "vector_model",
  "vocabulary_grouping",
  "vocabulary_import",
  "vocabulary_staged"
] as const

/** Distributed tables that exist only beside pgvector. */
export const distributedVectorTables = ["vector_nearest_state", "vector_nearest"] as const

/**
 * Tables that stay on the coordinator and are known to Citus, which then commits changes of them and of distributed
 * tables in two phases. They are read before a workspace is known, or across workspaces as the job queue is.
 */
export const localTables = [
  "api_key",
  "console_session",
  "host_user",
  "job",
  "job_cron",
  "key_grant",
  "membership",
  "user_login",
  "vault_home",
  "workspace",
  "workspace_vault",
  migrationsTable,
  programTable
] as const
