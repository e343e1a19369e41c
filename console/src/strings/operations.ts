import { counted } from "../strings.js"

export const auditText = {
  title: "Audit",
  lead: "Who did what, through which door, since the beginning. Each event carries the hash of the one before.",
  filters: {
    action: "Action",
    actor: "Actor",
    subject: "Subject",
    from: "From",
    to: "Before",
    clear: "Clear the filters"
  },
  actionHint: "such as entity.certify",
  verified: "The shown part of the chain is intact.",
  broken: "The chain is broken here: an event was changed, removed or put in later.",
  head: "Head",
  via: "through",
  details: "Details",
  request: "Request",
  more: "Show older events",
  empty: "No event",
  emptyFiltered: "No event passes these filters",
  export: "Download as JSON lines",
  count: (count: number) => counted(count, "event", "events")
}

export const jobText = {
  title: "Jobs",
  lead: "Work in the background: reading files, indexing, syncs, evaluation.",
  statuses: {
    scheduled: "Scheduled",
    queued: "Waits",
    running: "Runs",
    succeeded: "Done",
    dead: "Failed",
    cancelled: "Cancelled"
  },
  filters: { status: "Status", kind: "Kind", any: "Any" },
  depth: (count: number) => `${counted(count, "job waits", "jobs wait")}`,
  oldest: "the oldest since",
  failed: (count: number) => counted(count, "job has failed", "jobs have failed"),
  retryAll: "Try all failed ones again",
  retryOne: "Try again",
  retryLabel: (kind: string) => `Try the job ${kind} again`,
  retried: (count: number) => `${counted(count, "job waits", "jobs wait")} to be tried again.`,
  noFailed: "No job has failed.",
  attempt: (attempt: number) => `attempt ${attempt}`,
  next: "next attempt",
  start: "Start work",
  startKind: "What",
  startHint: {
    ingest: "Bring the index in line with the files.",
    reindex: "Cut passages and make the text index anew.",
    reembed: "Make vectors anew.",
    reextract: "Read documents for the graph anew.",
    graph_analytics: "Compute ranks.",
    reconcile: "Mend what a crash left."
  },
  kinds: {
    ingest: "Read files in",
    reindex: "Index anew",
    reembed: "Embed anew",
    reextract: "Read for the graph anew",
    graph_analytics: "Rank the graph",
    reconcile: "Reconcile"
  },
  started: (count: number) => `${counted(count, "job was", "jobs were")} started, or wait already.`,
  empty: "No jobs",
  emptyHint: "Work that is started shows here with its progress.",
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
