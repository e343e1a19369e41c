import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Effect from "effect/Effect"
import type { Failure } from "./failure.js"
import { branch, leaf, type Shape } from "./grammar.js"
import { argument, choice, common, filter, flag, number, optionalArgument, text } from "./options.js"

/** The work of a command is loaded when it is run, so that help is there at once. */
const run = <Module>(
  load: () => Promise<Module>,
  work: (module: Module) => Effect.Effect<void, Failure>
): Effect.Effect<void, Failure> => Effect.flatMap(Effect.promise(load), work)

const page = {
  limit: number("limit", "Most items to list", { from: 1, to: 200, usual: 50 }),
  offset: number("offset", "How many to leave out at the start", {
    from: 0,
    to: Number.MAX_SAFE_INTEGER,
    usual: 0
  })
}

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
    noSync: flag("no-sync", "Answer from what is indexed, without a look at the files.")
  },
  (input) =>
    run(
      () => import("./ask.js"),
      (module) => module.ask(input)
    )
)

const document = argument("id-or-path", "Id of the document (doc_…) or its path in the vault.")
const documents = () => import("./documents.js")
const documentsList = leaf(
  "list",
  "List documents in path order.",
  { ...common, ...page, ...filter },
  (input) => run(documents, (module) => module.list(input))
)
const documentsShow = leaf("show", "Show one document with its text.", { ...common, document }, (input) =>
  run(documents, (module) => module.show(input))
)
const documentsRemove = leaf(
  "rm",
  "Move a document and its file to the trash.",
  { ...common, document },
  (input) => run(documents, (module) => module.remove(input))
)
const documentsRestore = leaf(
  "restore",
  "Bring a document back from the trash.",
  { ...common, id: argument("id", "Id of the document (doc_…).") },
  (input) => run(documents, (module) => module.restore(input))
)

const entity = argument("id-or-name", "Id of the entity (ent_…), its name or an alias.")
const entities = () => import("./entities.js")
const entitiesList = leaf(
  "list",
  "List entities, the most central first.",
  { ...common, type: text("type", "TYPE", "Only entities of this type."), ...page },
  (input) => run(entities, (module) => module.list(input))
)
const entitiesShow = leaf("show", "Show one entity with its curation.", { ...common, entity }, (input) =>
  run(entities, (module) => module.show(input))
)
const entitiesNeighborhood = leaf(
  "neighborhood",
  "Show what an entity is related to.",
  {
    ...common,
    entity,
    depth: number("depth", "How many steps away", { from: 1, to: 3, usual: 1 }),
    perHopCap: number("per-hop-cap", "Most neighbours of one entity", { from: 1, to: 100, usual: 25 }),
    totalCap: number("total-cap", "Most entities in all", { from: 1, to: 500, usual: 200 })
  },
  (input) => run(entities, (module) => module.neighborhood(input))
)

const jobs = () => import("./jobs.js")
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
const jobsRetry = leaf(
  "retry",
  "Put dead jobs back into the queue; the next ingest or ask works on them.",
  {
    ...common,
    ids: argument("id", "Ids of dead jobs (job_…); without any, all of them.").pipe(Args.repeated)
  },
  (input) => run(jobs, (module) => module.retry(input))
)

const aboutDocuments = "The documents of the vault."
const aboutEntities = "What the documents are about."
const aboutJobs = "Background work: vectors, graph, ranks."
const group = <const Name extends string>(name: Name, description: string) =>
  Command.make(name).pipe(Command.withDescription(description))

/** The whole command line, for the parser. */
export const kanon = Command.make("kanon").pipe(
  Command.withSubcommands([
    init.command,
    ingest.command,
    search.command,
    ask.command,
    group("documents", aboutDocuments).pipe(
      Command.withSubcommands([
        documentsList.command,
        documentsShow.command,
        documentsRemove.command,
        documentsRestore.command
      ])
    ),
    group("entities", aboutEntities).pipe(
      Command.withSubcommands([entitiesList.command, entitiesShow.command, entitiesNeighborhood.command])
    ),
    group("jobs", aboutJobs).pipe(Command.withSubcommands([jobsList.command, jobsRetry.command]))
  ])
)

/** The same, for putting words in order and for help. */
export const shape: Shape = branch("kanon", "Cited answers over a folder of Markdown files.", [
  init,
  ingest,
  search,
  ask,
  {
    shape: branch("documents", aboutDocuments, [
      documentsList,
      documentsShow,
      documentsRemove,
      documentsRestore
    ])
  },
  { shape: branch("entities", aboutEntities, [entitiesList, entitiesShow, entitiesNeighborhood]) },
  { shape: branch("jobs", aboutJobs, [jobsList, jobsRetry]) }
])

/** The options that every command has. */
export const commonNames: ReadonlyArray<string> = ["--data", "--vault", "--json"]
