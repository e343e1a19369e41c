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
    name: "quality-spelling",
    summary:
      "How much is still found when a word of the query is misspelt, beside packages that allow for it.",
    load: async () => (await import("./quality-spelling.js")).qualitySpelling
  },
  {
    name: "quality-hybrid",
    summary: "What the built-in vectors add to words, stage by stage.",
    load: async () => (await import("./quality-hybrid.js")).qualityHybrid
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
    name: "query-stub",
    summary: "What a whole question costs beside a search, with a model that answers at once.",
    load: async () => (await import("./query-stub.js")).queryStub
  },
  {
    name: "search-library",
    also: "search-hybrid",
    summary: "How long a search for ten passages with snippets takes in the same process.",
    load: async () => (await import("./search-library.js")).searchLibrary
  },
  {
    name: "search-rights",
    summary: "What a search costs a caller with rights, beside one who reads all of 10,000 documents.",
    load: async () => (await import("./search-rights.js")).searchRights
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
    name: "scans",
    summary: "Wrong characters and numbers of printed pages that are read as pictures.",
    load: async () => (await import("./scans.js")).scansBench
  },
  {
    name: "command",
    summary: "What ingest, ask and search cost as commands, from start to exit, beside bare FTS5.",
    load: async () => (await import("./command.js")).command
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
    name: "not-found",
    summary: "Whether a 404 for another workspace's id takes as long as for one that nothing has.",
    load: async () => (await import("./not-found.js")).notFound
  },
  {
    name: "forty",
    summary: "Forty questions of eight kinds, asked with the gate enforcing.",
    load: async () => (await import("./forty.js")).forty
  },
  {
    name: "dated",
    summary: "What held when, asked of twelve vaults with histories in three languages.",
    load: async () => (await import("./dated.js")).dated
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
