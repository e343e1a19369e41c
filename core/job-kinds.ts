import { embeddingJob } from "./vectors/index.js"
import { vocabularyJobs } from "./vocabulary/index.js"

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
