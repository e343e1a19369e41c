import { counted, inLanguage } from "../language.js"

export const englishAudit = {
  title: "Audit",
  lead: "Who did what, when and through which interface. Each event contains the hash of the previous one.",
  filters: {
    action: "Action",
    actor: "Actor",
    subject: "Subject",
    from: "From",
    to: "Before",
    clear: "Clear the filters"
  },
  actionHint: "such as entity.certify",
  verified: "The chain is intact in the events shown.",
  broken: "The chain is broken here: an event was changed, removed or inserted.",
  head: "Head",
  via: "through",
  details: "Details",
  request: "Request",
  more: "Show older events",
  empty: "No events",
  emptyFiltered: "No events match these filters",
  export: "Download as JSON lines",
  count: (count: number) => counted(count, "event", "events")
}

export const auditText = inLanguage("audit", englishAudit)

export const englishJobs = {
  title: "Jobs",
  lead: "Work in the background: reading files, indexing, syncs, evaluation.",
  statuses: {
    scheduled: "Scheduled",
    queued: "Queued",
    running: "Running",
    succeeded: "Done",
    dead: "Failed",
    cancelled: "Cancelled"
  },
  filters: { status: "Status", kind: "Kind", any: "Any" },
  depth: (count: number) => `${counted(count, "job waits", "jobs wait")}`,
  oldest: "the oldest since",
  failed: (count: number) => counted(count, "job has failed", "jobs have failed"),
  retryAll: "Retry all failed jobs",
  retryOne: "Try again",
  retryLabel: (kind: string) => `Try the job ${kind} again`,
  retried: (count: number) => `${counted(count, "job waits", "jobs")} queued for another attempt.`,
  noFailed: "No job has failed.",
  attempt: (attempt: number) => `attempt ${attempt}`,
  next: "next attempt",
  start: "Start work",
  startKind: "What",
  startHint: {
    ingest: "Update the index from the files.",
    reindex: "Split passages and rebuild the text index.",
    reembed: "Rebuild the vectors.",
    reextract: "Read all documents for the graph again.",
    graph_analytics: "Compute ranks.",
    reconcile: "Repair what a crash left behind."
  },
  kinds: {
    ingest: "Read files in",
    reindex: "Rebuild the index",
    reembed: "Rebuild the vectors",
    reextract: "Rebuild the graph",
    graph_analytics: "Rank the graph",
    reconcile: "Reconcile"
  },
  /** Work that nobody starts from the page. */
  own: {
    extraction: "Read for the graph",
    embedding: "Make vectors",
    index_merge: "Merge the index",
    evaluation: "Evaluation",
    retention: "Retention",
    staleness: "Look for overdue reviews",
    agent_run: "Agent run",
    agent_runs: "Start agent runs",
    skos_import: "Import a vocabulary",
    skos_settle: "Settle a vocabulary",
    connector_sync: "Sync a connector",
    connector_schedule: "Schedule syncs",
    contradictions: "Compare documents",
    topic_pages: "Refresh compiled pages"
  } as Readonly<Record<string, string>>,
  started: (count: number) => `${counted(count, "job was", "jobs were")} started or already queued.`,
  empty: "No jobs",
  emptyHint: "Jobs appear here with their progress.",
  health: {
    title: "Health",
    documents: "Documents",
    passages: "Passages",
    entities: "Entities",
    relations: "Relations",
    vectors: "Vectors",
    upToDate: "up to date",
    behind: "behind",
    vault: "Vault",
    readable: "readable",
    version: "Version"
  }
}

export const jobText = inLanguage("jobs", englishJobs)
