import type { Bench } from "./result.js"

/** Loaded when they are run: listing them needs no engine. */
export const benches: ReadonlyArray<Bench> = [
  {
    name: "quality-lexical",
    summary: "How well words alone find what was judged relevant, beside other full-text searches.",
    load: async () => (await import("./quality-lexical.js")).qualityLexical
  },
  {
    name: "quality-published",
    summary: "Published figures of BM25, rebuilt, and what leads from them to ours.",
    load: async () => (await import("./quality-published.js")).qualityPublished
  },
  {
    name: "quality-hybrid",
    summary: "What the built-in vectors add to words, stage by stage.",
    load: async () => (await import("./quality-hybrid.js")).qualityHybrid
  },
  {
    name: "quality-neural",
    summary: "What a neural embedder, which is installed for this bench, adds beside the built-in vectors.",
    load: async () => (await import("./quality-neural.js")).qualityNeural
  },
  {
    name: "quality-spelling",
    summary:
      "How much is still found when a word of the query is misspelt, beside packages that allow for it.",
    load: async () => (await import("./quality-spelling.js")).qualitySpelling
  },
  {
    name: "quality-adapters",
    summary:
      "Whether SQLite and Postgres find the same, and what each takes for it, in turns in one process.",
    load: async () => (await import("./quality-adapters.js")).qualityAdapters
  },
  {
    name: "quality-answers",
    summary: "How many questions, looked up before, the built-in model answers rightly from a real vault.",
    load: async () => (await import("./quality-answers.js")).qualityAnswers
  },
  {
    name: "extraction",
    summary: "Names, types and relations in marked prose, beside compromise alone and rules for capitals.",
    load: async () => (await import("./extraction.js")).extraction
  },
  {
    name: "grounding",
    summary: "How many edited claims the built-in verifier refuses, and how many true ones; conflicts found.",
    load: async () => (await import("./grounding.js")).grounding
  },
  {
    name: "answer-cache",
    summary: "What the answer cache saves, and whether it takes questions of other meaning for the same.",
    load: async () => (await import("./answer-cache.js")).answerCache
  },
  {
    name: "policy-gate",
    summary: "What the gate costs beside the question that it judges.",
    load: async () => (await import("./policy-gate.js")).policyGate
  },
  {
    name: "query-stub",
    summary: "What a whole question costs beside a search, with a model that answers at once.",
    load: async () => (await import("./policy-gate.js")).queryStub
  },
  {
    name: "search-library",
    also: "search-hybrid",
    summary: "How long a search for ten passages with snippets takes in the same process.",
    load: async () => (await import("./search-library.js")).searchLibrary
  },
  {
    name: "index-upkeep",
    summary: "What updates, removals and merges of the text index cost, and searches right after them.",
    load: async () => (await import("./index-upkeep.js")).indexUpkeep
  },
  {
    name: "growth",
    summary:
      "How search, reading, the graph and writing grow with the workspace (--documents N adds a size).",
    load: async () => (await import("./growth.js")).growth
  },
  {
    name: "scale",
    summary:
      "What one large workspace costs on SQLite, on Postgres and on Citus, and what a replica takes off the primary.",
    load: async () => (await import("./scale.js")).scale
  },
  {
    name: "effect-overhead",
    summary: "What a search through the services costs beside the same functions called bare.",
    load: async () => (await import("./effect-overhead.js")).effectOverhead
  },
  {
    name: "ingest-vault",
    also: "ingest-unchanged",
    summary: "How fast a vault is taken in, for the first time and when nothing has changed.",
    load: async () => (await import("./ingest-vault.js")).ingestVault
  },
  {
    name: "ingest-one",
    summary: "How long one document takes that is created or replaced durably.",
    load: async () => (await import("./ingest-one.js")).ingestOne
  },
  {
    name: "formats",
    summary: "Files of other formats that are converted in a second, beside the bare libraries.",
    load: async () => (await import("./formats.js")).formatsBench
  },
  {
    name: "formats-truth",
    summary: "Whether what files of other formats say is what is read of them, value by value.",
    load: async () => (await import("./formats-truth.js")).formatsTruth
  },
  {
    name: "sync",
    summary: "How long a sync of a content connector takes in which nothing changed, and the first one.",
    load: async () => (await import("./sync.js")).syncBench
  },
  {
    name: "markdown-chunk",
    summary: "How fast Markdown is cut into passages and its links are found, beside parsers.",
    load: async () => (await import("./markdown-chunk.js")).markdownChunk
  },
  {
    name: "entity-detect",
    summary: "How fast known names are found in questions and in documents.",
    load: async () => (await import("./entity-detect.js")).entityDetect
  },
  {
    name: "pagerank",
    summary: "How long ranking the nodes of a graph takes, with reading it and without.",
    load: async () => (await import("./pagerank.js")).pagerank
  },
  {
    name: "command",
    summary: "What ingest, ask and search cost as commands, from start to exit, beside bare FTS5.",
    load: async () => (await import("./command.js")).command
  },
  {
    name: "startup-library",
    summary: "How long a program takes from its start to an open workspace.",
    load: async () => (await import("./startup-library.js")).startupLibrary
  },
  {
    name: "startup-server",
    summary: "How long a server takes from its start to its first answer, with much data and with little.",
    load: async () => (await import("./startup-server.js")).startupServer
  },
  {
    name: "search-http",
    summary: "What a search over HTTP costs the server beside the same search in-process and a bare server.",
    load: async () => (await import("./search-http.js")).searchHttp
  },
  {
    name: "http",
    summary: "Lists, questions and a mixed load over HTTP, beside the same in-process and a bare server.",
    load: async () => (await import("./http.js")).http
  },
  {
    name: "not-found",
    summary: "Whether a 404 for another workspace's id takes as long as for one that nothing has.",
    load: async () => (await import("./not-found.js")).notFound
  },
  {
    name: "neighbourhood",
    summary: "How long walking a graph with hubs takes, one to three hops.",
    load: async () => (await import("./neighbourhood.js")).neighbourhood
  },
  {
    name: "manifest",
    summary: "How long counting a workspace takes.",
    load: async () => (await import("./manifest.js")).manifest
  },
  {
    name: "curation-write",
    summary: "What vouching for an entity costs beside the three rows that it has to write.",
    load: async () => (await import("./curation-write.js")).curationWrite
  },
  {
    name: "audit-write",
    summary: "What the audit event adds to operations that read much and write little.",
    load: async () => (await import("./audit-write.js")).auditWrite
  },
  {
    name: "forty",
    summary: "Forty questions of eight kinds, asked with the gate enforcing.",
    load: async () => (await import("./forty.js")).forty
  },
  {
    name: "answers",
    summary: "What answers, citations and confidences are worth on questions that were kept apart.",
    load: async () => (await import("./answers.js")).answers
  },
  {
    name: "answer-sets",
    summary: "Every question of every set of answers, with the change since the stored result.",
    load: async () => (await import("./answer-sets-table.js")).answerSetsTable
  },
  {
    name: "vector-ann",
    summary: "Recall, query, build and upkeep of the vector index beside the bare library and an exact scan.",
    load: async () => (await import("./vector-ann.js")).vectorAnn
  },
  {
    name: "vector-growth",
    summary:
      "What a changed document costs the built-in vectors, and what folding documents in costs in quality.",
    load: async () => (await import("./vector-growth.js")).vectorGrowth
  },
  {
    name: "memory",
    summary:
      "What a process weighs after an ingest and a thousand searches, beside arithmetic and minisearch.",
    load: async () => (await import("./memory.js")).memory
  },
  {
    name: "disk",
    summary: "Bytes a passage of everything on disk, beside the text with an FTS5 index and plain vectors.",
    load: async () => (await import("./disk.js")).disk
  },
  {
    name: "livedata",
    summary: "What a named query on a live database costs beside the bare client, and what its guard takes.",
    load: async () => (await import("./livedata.js")).livedata
  },
  {
    name: "runs",
    summary: "What the journal of agent runs costs, how many runs end in a second, and what watchers take.",
    load: async () => (await import("./runs.js")).runs
  },
  {
    name: "jobs",
    summary:
      "How soon a job begins and how many are done, beside a kept queue; and one tenant beside another.",
    load: async () => (await import("./jobs.js")).jobs
  },
  {
    name: "mixed-load",
    summary: "How much slower a search is while documents are taken in, in this process and in another.",
    load: async () => (await import("./mixed-load.js")).mixedLoad
  }
]
