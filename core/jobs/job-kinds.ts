import type { LeadsTo } from "./service.js"

/** The kinds of background jobs: those that follow changes and those that `startJob` or a schedule starts. */
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
  retention: "retention",
  staleness: "staleness",
  agentRun: "agent_run",
  agentRuns: "agent_runs",
  vocabulary: "skos_import",
  vocabularySettling: "skos_settle"
} as const

const { analytics, embedding, extraction, ingest, merging, reconcile, reindex } = jobKinds
/** They follow the documents. */
const followers = [extraction, embedding, merging]

/**
 * What a job of a kind leads to: what its handler asks for, and who listens to what it tells. Nothing leads to itself. Whoever
 * waits for work goes by it; test/integration/jobs/job-leads.test.ts has every kind at work, and finds this and nothing else.
 */
export const leadsTo: LeadsTo = {
  [extraction]: [analytics],
  [jobKinds.agentRuns]: [jobKinds.agentRun],
  [ingest]: followers,
  [reconcile]: followers,
  [reindex]: followers,
  [jobKinds.reextract]: [extraction],
  [jobKinds.vocabulary]: [extraction],
  [jobKinds.vocabularySettling]: [extraction]
}
