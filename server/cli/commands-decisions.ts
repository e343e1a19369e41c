import { family, leaf } from "./grammar.js"
import { page, run } from "./leaves.js"
import { argument, choice, common, text } from "./options.js"

const decisions = () => import("./decisions.js")

const list = leaf(
  "list",
  "List what the gate decided, newest first.",
  {
    ...common,
    verdict: choice(
      "verdict",
      ["answer", "answer_with_caveats", "clarify", "abstain_with_pointers"],
      "Only with this verdict."
    ),
    mode: choice("mode", ["shadow", "enforce"], "Only in this mode."),
    document: text("document", "ID", "Only of answers that listed this document."),
    from: text(
      "from",
      "TIME",
      "Only at this moment or later: a timestamp, or a day such as 2027-01-31 (UTC)."
    ),
    to: text("to", "TIME", "Only before this moment."),
    ...page
  },
  (input) => run(decisions, (module) => module.list(input))
)
const show = leaf(
  "show",
  "Show one decision: what it was made of, the path of the question, and which citations still stand.",
  { ...common, id: argument("id", "The id of the decision.") },
  (input) => run(decisions, (module) => module.show(input))
)
const stats = leaf("stats", "Sum up the decisions of the last thirty days.", common, (input) =>
  run(decisions, (module) => module.stats(input))
)

const about = "What the gate decided of each question."

export const decisionCommands = family("decisions", about, [list, show, stats], "list")
