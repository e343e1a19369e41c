import { family, leaf } from "./grammar.js"
import { run } from "./leaves.js"
import { common, number, text } from "./options.js"

const audit = () => import("./audit.js")

const list = leaf(
  "list",
  "List who did what, newest first.",
  {
    ...common,
    action: text("action", "ACTION", "Only this action, such as document.replace."),
    subject: text("subject", "ID", "Only what is about this document, entity or other thing."),
    actor: text("actor", "ID", "Only what was done by this key or member, by local or by system."),
    from: text(
      "from",
      "TIME",
      "Only at this moment or later: a timestamp, or a day such as 2027-01-31 (UTC)."
    ),
    to: text("to", "TIME", "Only before this moment."),
    cursor: text("cursor", "ID", "Go on behind this event: the next cursor of a page."),
    limit: number("limit", "Most events to list", { from: 1, to: 200, usual: 50 })
  },
  (input) => run(audit, (module) => module.list(input))
)
const verify = leaf(
  "verify",
  "Check the whole trail, and name whatever was changed, removed, inserted or moved.",
  {
    ...common,
    head: text("head", "HASH", "A head that was kept elsewhere: it must still stand in the trail.")
  },
  (input) => run(audit, (module) => module.verify(input))
)
const head = leaf("head", "Show the hash of the newest event, to be kept elsewhere.", common, (input) =>
  run(audit, (module) => module.head(input))
)

const about = "Who did what, newest first by default: a trail that shows when somebody tampers with it."

export const auditCommands = family("audit", about, [list, verify, head], "list")
