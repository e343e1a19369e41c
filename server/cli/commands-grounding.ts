import { family, leaf } from "./grammar.js"
import { run } from "./leaves.js"
import { choice, common, optionalArgument, texts } from "./options.js"

const check = leaf(
  "check",
  "Check a text, whoever wrote it, against the workspace: statement by statement, with what carries each.",
  {
    ...common,
    text: optionalArgument("text", "The text; without it, or with -, the standard input is read."),
    doc: texts("doc", "ID", "Check against this document (doc_…) alone; may be given again."),
    entity: texts("entity", "ID", "Check against what mentions this entity (ent_…); may be given again."),
    policy: choice("policy", ["off", "shadow", "enforce"], "What the gate does with it."),
    judge: choice("judge", ["yes", "no"], "Ask the judge model, too; where one is enabled unless said.")
  },
  (input) =>
    run(
      () => import("./grounding.js"),
      (module) => module.check(input)
    )
)

const about = "What the workspace carries of a text."

export const groundingCommands = family("grounding", about, [check], "check")
