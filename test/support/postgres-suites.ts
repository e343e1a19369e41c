/** Suites that are about either database, and run on Postgres too in each run of the tests. */
export const onBoth = [
  "cache-life",
  "curation-model",
  "curation-races",
  "engine-writes",
  "server-faults",
  "server-fuzz",
  "statement-faults",
  "transfer-roundtrip",
  "trash-model"
]

/** Those that the long run adds. */
export const onBothLong = [
  "engine-removal",
  "server-catalog",
  "server-reach",
  "documents-conventions",
  "engine-embedding",
  "engine-stop",
  "policy-floor",
  "agents-server",
  "evaluation-runs",
  "formats-vault",
  "reports",
  "server-livedata",
  "server-connectors",
  "answering-keep",
  "answering-languages",
  "cache-bytes",
  "cache-model",
  "curation-rules",
  "curation-transfer",
  "documents-move",
  "documents-verify",
  "documents-versions",
  "duplicates-meaning",
  "engine-events",
  "engine-ingest",
  "engine-life",
  "engine-models",
  "entity-duplicates",
  "evaluation",
  "events-unheard",
  "extraction-model",
  "governance-picture",
  "graph-increments",
  "job-leads",
  "jobs-feeds",
  "models-workspace",
  "policy-pipeline",
  "retrieval-governance",
  "retrieval-languages",
  "retrieval-spelling",
  "server-answers",
  "server-audit",
  "server-grounding",
  "server-mcp",
  "server-memory",
  "server-same",
  "server-sockets",
  "server-text",
  "server-tenancy",
  "server-tracing",
  "server-trash",
  "settings-change",
  "skos-import",
  "start-job",
  "start-job-broken",
  "transfer-concepts",
  "transfer-damage",
  "transfer-lost-text",
  "transfer-moment",
  "upkeep",
  "vault-links"
]

/**
 * Suites with an engine or a server that stay on SQLite, and why. Suites of ports run on both by themselves
 * (`test/contract`), and so do those that name Postgres; the built command is tried on Postgres by
 * `test/e2e/postgres.test.ts`, `chaos.test.ts`, the commands of docs/postgres.md and, in the long run, by its server,
 * its imports and what commands print as JSON, curation, people, keys and settings among them, by doctor, moves, pipes and signals, and how a workspace is found; what else of `test/e2e` is about words and options, about a folder that processes share, or about sockets.
 */
export const onSqliteAlone: Readonly<Record<string, string>> = {
  "agents-injection": "What a model reads and writes; the journal has its tests on both.",
  "agents-mcp": "MCP servers, not the database.",
  "agents-terminal": "What a terminal shows and asks.",
  "agents-watchers": "Streams of one process; agents-outages has Postgres.",
  "audit-storage": "It damages a file of SQLite; test/contract/audit-log.test.ts has both.",
  integrity: "test/integration/integrity/postgres-integrity.test.ts does the same damage on Postgres.",
  "integrity-concurrent":
    "It damages a file of SQLite; the rebuild lock has a contract on both (test/contract/inspections.test.ts).",
  "sqlite-fairness": "Processes and threads that share a file of SQLite.",
  "sqlite-foreign": "A file of SQLite of somebody else.",
  "statement-sync": "How a file of SQLite syncs its commits.",
  "vectors-damaged-files": "It copies data folders whole; the index on disk is the same on both."
}
