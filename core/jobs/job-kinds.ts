import { embeddingJob } from "../vectors/index.js"
import { vocabularyJobs } from "../vocabulary/index.js"
import type { LeadsTo } from "./index.js"

/** The kinds of background work: what follows changes by itself, and what is asked for (`startJob`). */
export const jobKinds = {
  extraction: "extraction",
  embedding: embeddingJob,
  analytics: "graph_analytics",
  merging: "index_merge",
  ingest: "ingest",
  reindex: "reindex",
  reembed: "reembed",
  reextract: "reextract",
  reconcile: "reconcile",
  retention: "retention",
  staleness: "staleness",
  vocabulary: vocabularyJobs.import,
  vocabularySettling: vocabularyJobs.settle
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
  [ingest]: followers,
  [reconcile]: followers,
  [reindex]: followers,
  [jobKinds.reextract]: [extraction],
  [jobKinds.vocabulary]: [extraction],
  [jobKinds.vocabularySettling]: [extraction]
}
