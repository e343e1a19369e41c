import { family, leaf } from "./grammar.js"
import { run } from "./leaves.js"
import { argument, choice, common, flag, place, text } from "./options.js"

const transfer = () => import("./transfer.js")
const skos = () => import("./skos.js")

const out = place(
  "out",
  "FILE",
  "The file to write, replaced whole if it is there; the standard output by default."
)

const exportWorkspace = leaf(
  "workspace",
  "Write the whole workspace, history and trash included, as one file.",
  { ...common, out },
  (input) => run(transfer, (module) => module.exportTo(input))
)
const exportSkos = leaf(
  "skos",
  "Write the published and retired concepts as a SKOS vocabulary in JSON-LD.",
  { ...common, out },
  (input) => run(skos, (module) => module.exportTo(input))
)
const importWorkspace = leaf(
  "workspace",
  "Make a workspace of an export, in a new vault.",
  {
    ...common,
    file: argument("file", "The file that kanon export wrote; - for the standard input."),
    noWait: flag(
      "no-wait",
      "Return once the files are searchable; vectors and ranks follow with the next ingest or ask."
    ),
    acceptBrokenAudit: flag(
      "accept-broken-audit",
      "Take an audit trail in that was tampered with before the export; it goes on being told as broken."
    )
  },
  (input) => run(transfer, (module) => module.importFrom(input))
)
const importSkos = leaf(
  "skos",
  "Take a SKOS vocabulary in: proposals for its concepts, or the concepts at once.",
  {
    ...common,
    file: argument("file", "The vocabulary; - for the standard input."),
    format: choice(
      "format",
      ["json-ld", "turtle", "n-triples"],
      "What it is written in; by default what the end of its name says: .jsonld or .json, .ttl, .nt."
    ),
    mode: choice(
      "mode",
      ["propose", "apply"],
      "propose, the default: a change request for each new concept. apply: at once."
    ),
    language: text(
      "language",
      "TAG",
      "Whose preferred labels become the names, where there are some; en by default."
    ),
    type: text("type", "TYPE", "The type of concepts that name none; concept by default."),
    dryRun: flag("dry-run", "Only say what would happen.")
  },
  (input) => run(skos, (module) => module.importFrom(input))
)

const about = {
  export: "Write the workspace, or its concepts as a vocabulary, as one file.",
  import: "Make a workspace of an export, or take in a vocabulary."
}

export const exportCommands = family("export", about.export, [exportWorkspace, exportSkos], "workspace")

export const importCommands = family("import", about.import, [importWorkspace, importSkos], "workspace")
