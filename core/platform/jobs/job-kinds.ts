import type { LeadsTo } from "./service.js"

/** The kinds of background jobs: those that follow changes, and those started by `startJob` or a schedule. */
export const jobKinds = {
  extraction: "extraction",
  embedding: "embedding",
  analytics: "graph_analytics",
  merging: "index_merge",
  ingest: "ingest",
  reindex: "reindex",
  reembed: "reembed",
  reextract: "reextract",
  reconcile: "reconcile",
  evaluation: "evaluation",
  retention: "retention",
  staleness: "staleness",
  agentRun: "agent_run",
  agentRuns: "agent_runs",
  vocabulary: "skos_import",
  vocabularySettling: "skos_settle",
  sync: "connector_sync",
  syncSchedule: "connector_schedule",
  contradictions: "contradictions",
  topicPages: "topic_pages"
} as const

const { analytics, embedding, extraction, ingest, merging, reconcile, reindex } = jobKinds
/** Kinds that follow document changes. */
const followers = [extraction, embedding, merging]

/**
 * The kinds that each kind may enqueue, directly or through announcements; there are no cycles. Used to wait for
 * follow-up work; test/integration/platform/jobs/job-leads.test.ts verifies the table.
 */
export const leadsTo: LeadsTo = {
  [extraction]: [analytics, jobKinds.topicPages],
  [jobKinds.agentRuns]: [jobKinds.agentRun],
  [ingest]: followers,
  [jobKinds.sync]: followers,
  [jobKinds.syncSchedule]: [jobKinds.sync],
  [reconcile]: followers,
  [reindex]: followers,
  [jobKinds.reextract]: [extraction],
  [jobKinds.vocabulary]: [extraction],
  [jobKinds.vocabularySettling]: [extraction]
}
