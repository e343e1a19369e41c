import type { Bench } from "./result.js"

/** Loaded when they are run: listing them needs no engine. */
export const benches: ReadonlyArray<Bench> = [
  {
    name: "quality-lexical",
    summary: "How well words alone find what was judged relevant, beside other full-text searches.",
    load: async () => (await import("./quality-lexical.js")).qualityLexical
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
    name: "grounding",
    summary: "How many edited claims the built-in verifier refuses, and how many true ones; conflicts found.",
    load: async () => (await import("./grounding.js")).grounding
  },
  {
    name: "search-library",
    summary: "How long a search for ten passages with snippets takes in the same process.",
    load: async () => (await import("./search-library.js")).searchLibrary
  },
  {
    name: "search-rights",
    summary: "What a search costs a caller with rights, beside one who reads all of 10,000 documents.",
    load: async () => (await import("./search-rights.js")).searchRights
  },
  {
    name: "scale",
    summary:
      "What one large workspace costs on SQLite, on Postgres and on Citus, and what a replica takes off the primary.",
    load: async () => (await import("./scale.js")).scale
  },
  {
    name: "ingest-vault",
    summary: "How fast a vault is taken in, for the first time and when nothing has changed.",
    load: async () => (await import("./ingest-vault.js")).ingestVault
  },
  {
    name: "ingest-one",
    summary: "How long one document takes that is created or replaced durably.",
    load: async () => (await import("./ingest-one.js")).ingestOne
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
    name: "search-http",
    summary: "What a search over HTTP costs the server beside the same search in-process and a bare server.",
    load: async () => (await import("./search-http.js")).searchHttp
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
    name: "memory",
    summary: "What a process weighs after an ingest and a thousand searches, beside arithmetic.",
    load: async () => (await import("./memory.js")).memory
  },
  {
    name: "disk",
    summary: "Bytes a passage of everything on disk, beside the text with an FTS5 index and plain vectors.",
    load: async () => (await import("./disk.js")).disk
  },
  {
    name: "mixed-load",
    summary: "How much slower a search is while documents are taken in, in this process and in another.",
    load: async () => (await import("./mixed-load.js")).mixedLoad
  }
]
