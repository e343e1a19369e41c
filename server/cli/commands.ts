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

const transfer = () => import("./transfer.js")
const exportAll = leaf(
  "export",
  "Write the whole workspace, history and trash included, as one file.",
  {
    ...common,
    out: text(
      "out",
      "FILE",
      "The file to write, replaced whole if it is there; the standard output by default."
    )
  },
  (input) => run(transfer, (module) => module.exportTo(input))
)
const importAll = leaf(
  "import",
  "Make a workspace of an export, in a new vault.",
  {
    ...common,
    file: argument("file", "The file that kanon export wrote; - for the standard input."),
    noWait: flag(
      "no-wait",
      "Return once the files are searchable; vectors and ranks follow with the next ingest or ask."
    )
  },
  (input) => run(transfer, (module) => module.importFrom(input))
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
    noWorker: flag("no-worker", "Leave background jobs to another process.")
  },
  (input) =>
    run(
      () => import("./serve.js"),
      (module) => module.serve(input)
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

const keys = () => import("./keys.js")
const key = argument("id", "Id of the key (key_…).")
const keysCreate = leaf(
  "create",
  "Make a key; its secret is shown this once.",
  {
    ...common,
    kind: choice("kind", ["workspace", "user"], "What the key belongs to; a workspace by default."),
    name: text("name", "NAME", "By which people know it; its kind by default."),
    scopes: text("scopes", "A,B", "What it may do. Without any it acts as keys from before scopes do."),
    workspaces: text("workspaces", "ID,ID", "Which workspaces it reaches, or all; --workspace by default."),
    expires: text("expires", "TIMESTAMP", "When it ends, such as 2027-01-31T00:00:00Z; never by default."),
    user: text("user", "ID", "The owner of a user key (usr_…).")
  },
  (input) => run(keys, (module) => module.create(input))
)
const keysList = leaf("list", "List keys, newest first; their secrets are nowhere.", common, (input) =>
  run(keys, (module) => module.list(input))
)
const keysRevoke = leaf("revoke", "Take a key out of use, at once.", { ...common, id: key }, (input) =>
  run(keys, (module) => module.revoke(input))
)
const keysRotate = leaf(
  "rotate",
  "Make a key of the same rights in place of this one.",
  {
    ...common,
    id: key,
    grace: number("grace", "Seconds for which the old key stays good", { from: 0, to: 604_800, usual: 0 })
  },
  (input) => run(keys, (module) => module.rotate(input))
)

const people = () => import("./people.js")
const user = text("user", "ID", "Id of the user (usr_…).")
const usersCreate = leaf(
  "create",
  "Add a user.",
  { ...common, name: text("name", "NAME", "The name to show.") },
  (input) => run(people, (module) => module.createPerson(input))
)
const usersList = leaf("list", "List users.", common, (input) =>
  run(people, (module) => module.listPeople(input))
)
const membersAdd = leaf(
  "add",
  "Make a user a member of the workspace.",
  { ...common, user, role: choice("role", ["admin", "member"], "It informs; member by default.") },
  (input) => run(people, (module) => module.add(input))
)
const membersRemove = leaf("remove", "End a membership, at once.", { ...common, user }, (input) =>
  run(people, (module) => module.remove(input))
)
const membersList = leaf("list", "List the members of the workspace.", common, (input) =>
  run(people, (module) => module.listMembers(input))
)

const workspaces = () => import("./workspaces.js")
const workspacesCreate = leaf(
  "create",
  "Make another workspace in the same data.",
  {
    ...common,
    name: text("name", "NAME", "Its name."),
    vault: text("vault", "DIR", "The folder of its files; one within the data by default.")
  },
  ({ vault: files, ...input }) =>
    run(workspaces, (module) => module.create({ ...input, vault: undefined, files }))
)
const workspacesList = leaf("list", "List the workspaces of the data.", common, (input) =>
  run(workspaces, (module) => module.list(input))
)

const aboutKeys = "Keys of the server."
const aboutUsers = "People whom the server knows."
const aboutMembers = "Who belongs to a workspace."
const aboutWorkspaces = "The workspaces of the data."
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
    status.command,
    serve.command,
    showConfig.command,
    doctor.command,
    exportAll.command,
    importAll.command,
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
    group("jobs", aboutJobs).pipe(Command.withSubcommands([jobsList.command, jobsRetry.command])),
    group("workspaces", aboutWorkspaces).pipe(
      Command.withSubcommands([workspacesCreate.command, workspacesList.command])
    ),
    group("users", aboutUsers).pipe(Command.withSubcommands([usersCreate.command, usersList.command])),
    group("members", aboutMembers).pipe(
      Command.withSubcommands([membersAdd.command, membersRemove.command, membersList.command])
    ),
    group("keys", aboutKeys).pipe(
      Command.withSubcommands([keysCreate.command, keysList.command, keysRevoke.command, keysRotate.command])
    )
  ])
)

/** The same, for putting words in order and for help. */
export const shape: Shape = branch("kanon", "Cited answers over a folder of Markdown files.", [
  init,
  ingest,
  search,
  ask,
  status,
  serve,
  showConfig,
  doctor,
  exportAll,
  importAll,
  {
    shape: branch("documents", aboutDocuments, [
      documentsList,
      documentsShow,
      documentsRemove,
      documentsRestore
    ])
  },
  { shape: branch("entities", aboutEntities, [entitiesList, entitiesShow, entitiesNeighborhood]) },
  { shape: branch("jobs", aboutJobs, [jobsList, jobsRetry]) },
  { shape: branch("workspaces", aboutWorkspaces, [workspacesCreate, workspacesList]) },
  { shape: branch("users", aboutUsers, [usersCreate, usersList]) },
  { shape: branch("members", aboutMembers, [membersAdd, membersRemove, membersList]) },
  { shape: branch("keys", aboutKeys, [keysCreate, keysList, keysRevoke, keysRotate]) }
])

/** The options that every command has. */
export const commonNames: ReadonlyArray<string> = ["--data", "--vault", "--workspace", "--json"]
