import * as Args from "@effect/cli/Args"
import { auditCommands } from "./commands-audit.js"
import { cacheCommands } from "./commands-cache.js"
import { requestCommands } from "./commands-curation.js"
import { decisionCommands } from "./commands-decisions.js"
import { evalCommands } from "./commands-eval.js"
import { stewardship } from "./commands-governance.js"
import { groundingCommands } from "./commands-grounding.js"
import { documentCommands, entityCommands, trashCommands } from "./commands-knowledge.js"
import { keyCommands, memberCommands, userCommands, workspaceCommands } from "./commands-people.js"
import { secretsCommands, settingsCommands } from "./commands-settings.js"
import { exportCommands, importCommands } from "./commands-transfer.js"
import { family, leaf, type Shape } from "./grammar.js"
import { page, run } from "./leaves.js"
import { argument, choice, common, filter, flag, number, optionalArgument, text } from "./options.js"

const init = leaf(
  "init",
  "Make a workspace for a folder of Markdown files, by default the current one.",
  { ...common, name: text("name", "NAME", "Name of the workspace; the vault's folder name by default.") },
  (input) =>
    run(
      () => import("./init.js"),
      (module) => module.init(input)
    )
)

const ingest = leaf(
  "ingest",
  "Bring the index in line with the files of the vault.",
  {
    ...common,
    path: optionalArgument("path", "Only the files at or under this path."),
    noWait: flag(
      "no-wait",
      "Return once the files are searchable; vectors and graph follow with the next ingest or ask."
    )
  },
  (input) =>
    run(
      () => import("./ingest.js"),
      (module) => module.ingest(input)
    )
)

const search = leaf(
  "search",
  "Find passages by their words and their meaning.",
  {
    ...common,
    query: argument("query", "What to look for: plain text, no syntax."),
    limit: number("limit", "Most passages to show", { from: 1, to: 50, usual: 10 }),
    rerank: flag("rerank", "Let the reranker order the passages, and drop near-duplicates."),
    ...filter
  },
  (input) =>
    run(
      () => import("./search.js"),
      (module) => module.search(input)
    )
)

const ask = leaf(
  "ask",
  "Answer a question with the passages that carry the answer.",
  {
    ...common,
    question: argument("question", "The question, 1 to 4,000 characters."),
    maxSources: number("max-sources", "Most passages to answer from", { from: 1, to: 20, usual: 8 }),
    noSync: flag("no-sync", "Answer from what is indexed, without a look at the files."),
    policy: choice(
      "policy",
      ["off", "shadow", "enforce"],
      "How the gate takes part, in the place of the workspace's setting."
    ),
    explain: flag("explain", "Show the path of the question: candidates, features, rules, stages.")
  },
  (input) =>
    run(
      () => import("./ask.js"),
      (module) => module.ask(input)
    )
)
const jobs = () => import("./jobs.js")
const startable = [
  "ingest",
  "reindex",
  "reembed",
  "reextract",
  "graph_analytics",
  "reconcile",
  "retry"
] as const
const jobsList = leaf(
  "list",
  "List background jobs, newest first.",
  {
    ...common,
    status: choice(
      "status",
      ["scheduled", "queued", "running", "succeeded", "dead", "cancelled"],
      "Only jobs of this status."
    ),
    kind: text("kind", "KIND", "Only jobs of this kind."),
    ...page
  },
  (input) => run(jobs, (module) => module.list(input))
)
const jobsStart = leaf(
  "start",
  "Start background work over documents or the whole workspace; the next ingest or ask works on it.",
  {
    ...common,
    kind: Args.choice(
      startable.map((kind) => [kind, kind] as const),
      { name: "kind" }
    ).pipe(
      Args.withDescription(
        "What to do: ingest, reindex, reembed, reextract, graph_analytics, reconcile, retry."
      )
    ),
    ids: argument("id", "Ids of documents (doc_…), or of dead jobs (job_…) for retry.").pipe(Args.repeated),
    all: flag("all", "The whole workspace, or every dead job."),
    wait: flag("wait", "Work on it now, and return when all background work is done.")
  },
  (input) => run(jobs, (module) => module.start(input))
)
const jobsRetry = leaf(
  "retry",
  "Put dead jobs back into the queue; the next ingest or ask works on them.",
  {
    ...common,
    ids: argument("id", "Ids of dead jobs (job_…); without any, all of them.").pipe(Args.repeated)
  },
  (input) => run(jobs, (module) => module.retry(input))
)

const status = leaf(
  "status",
  "Show what the workspace holds, the background work, and how fast searches are.",
  common,
  (input) =>
    run(
      () => import("./status.js"),
      (module) => module.status(input)
    )
)

const doctor = leaf(
  "doctor",
  "Find every difference between files, database and indexes, and mend them with --repair.",
  { ...common, repair: flag("repair", "Mend what is found.") },
  (input) =>
    run(
      () => import("./doctor.js"),
      (module) => module.doctor(input)
    )
)

const migrate = leaf(
  "migrate",
  "Bring the schema of the database to what this program knows, as every command does that opens it.",
  {
    ...common,
    dryRun: flag("dry-run", "Only say what would be applied."),
    serverRole: text(
      "server-role",
      "ROLE",
      "On Postgres: grant this role what a server needs. By default KANON_SERVER_ROLE."
    )
  },
  (input) =>
    run(
      () => import("./migrate.js"),
      (module) => module.migrate(input)
    )
)

const configFile = text("config", "FILE", "A JSON file of settings; KANON_CONFIG by default.")
const serve = leaf(
  "serve",
  "Serve the workspaces of the data over HTTP and MCP, until a signal stops it.",
  {
    ...common,
    host: text("host", "ADDRESS", "The address to listen on; 127.0.0.1 by default."),
    port: text("port", "N", "The port, 7420 by default; 0 takes a free one."),
    config: configFile,
    noWorker: flag("no-worker", "Leave background jobs to another process."),
    noBuiltInModels: flag(
      "no-built-in-models",
      "Refuse questions rather than answer without a chat model, and search by words alone without an embedder."
    )
  },
  (input) =>
    run(
      () => import("./serve.js"),
      (module) => module.serve(input)
    )
)
const worker = leaf(
  "worker",
  "Work on the background jobs of all workspaces of the data, until a signal stops it.",
  {
    ...common,
    host: text("host", "ADDRESS", "The address to tell health at; 127.0.0.1 by default."),
    healthPort: text("health-port", "N", "Tell health and metrics at this port; 0 takes a free one."),
    slots: text("slots", "N", "Jobs of each kind at once; 4 by default."),
    config: configFile
  },
  (input) =>
    run(
      () => import("./worker.js"),
      (module) => module.worker(input)
    )
)
const mcp = leaf(
  "mcp",
  "Serve one workspace to a language model over the standard input and output (MCP).",
  {
    ...common,
    readOnly: flag("read-only", "Offer only tools that change nothing.")
  },
  (input) =>
    run(
      () => import("./mcp.js"),
      (module) => module.mcp(input)
    )
)
const showConfig = leaf(
  "config",
  "Show the effective configuration of the server.",
  { ...common, config: configFile },
  (input) =>
    run(
      () => import("./serve.js"),
      (module) => module.showConfig(input)
    )
)

const about = {
  jobCommands: "Background work: vectors, graph, ranks.",
  all: "Cited answers over a folder of Markdown files."
}

const jobCommands = family("jobs", about.jobCommands, [jobsList, jobsStart, jobsRetry])

/** Everything that the command line can do, in the order of its help. */
const all = family("kanon", about.all, [
  init,
  ingest,
  search,
  ask,
  status,
  serve,
  worker,
  mcp,
  showConfig,
  doctor,
  migrate,
  exportCommands,
  importCommands,
  documentCommands,
  entityCommands,
  requestCommands,
  stewardship,
  auditCommands,
  cacheCommands,
  decisionCommands,
  evalCommands,
  groundingCommands,
  trashCommands,
  jobCommands,
  workspaceCommands,
  settingsCommands,
  userCommands,
  memberCommands,
  keyCommands,
  secretsCommands
])

/** The whole command line, for the parser. */
export const kanon = all.command

/** The same, for putting words in order and for help. */
export const shape: Shape = all.shape

/** The options that every command has. */
export const commonNames: ReadonlyArray<string> = ["--data", "--vault", "--workspace", "--json"]
