import { entityVerbs } from "./commands-curation.js"
import { documentVerbs, entityDuplicates } from "./commands-governance.js"
import { family, leaf } from "./grammar.js"
import { page, run } from "./leaves.js"
import { argument, choice, common, filter, flag, number, optionalNumber, text } from "./options.js"

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
const documentsVersions = leaf(
  "versions",
  "List the versions of a document's text, or show one of them.",
  { ...common, document, number: optionalNumber("number", "Show the text of this version."), ...page },
  (input) => run(documents, (module) => module.versions(input))
)
const documentsMove = leaf(
  "move",
  "Give a document another path; links go on leading to it.",
  {
    ...common,
    document,
    path: argument("path", "Its new path in the vault."),
    noRewriteLinks: flag("no-rewrite-links", "Leave links as they are, also those that break.")
  },
  (input) => run(documents, (module) => module.move(input))
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

const trash = () => import("./trash.js")
const trashList = leaf(
  "list",
  "List what was deleted or merged away, newest first, and what is in the way of a restore.",
  {
    ...common,
    kind: choice("kind", ["document", "entity", "relation", "merged_entity"], "Only things of this kind."),
    ...page
  },
  (input) => run(trash, (module) => module.list(input))
)
const trashRestore = leaf(
  "restore",
  "Bring back what was deleted; split a merged entity out again.",
  {
    ...common,
    id: argument("id", "Id of what is to come back (doc_…, ent_… or rel_…)."),
    path: text("path", "PATH", "Where a document goes when its old path is taken.")
  },
  (input) => run(trash, (module) => module.restore(input))
)

const about = {
  documentCommands: "The documents of the vault.",
  entityCommands: "What the documents are about.",
  trashCommands: "What was deleted, and bringing it back."
}

export const documentCommands = family("documents", about.documentCommands, [
  documentsList,
  documentsShow,
  documentsVersions,
  documentsMove,
  documentsRemove,
  documentsRestore,
  ...documentVerbs
])
export const entityCommands = family("entities", about.entityCommands, [
  entitiesList,
  entitiesShow,
  entitiesNeighborhood,
  entityDuplicates,
  ...entityVerbs
])
export const trashCommands = family("trash", about.trashCommands, [trashList, trashRestore])
