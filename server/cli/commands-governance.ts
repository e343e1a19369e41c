import * as Args from "@effect/cli/Args"
import * as Options from "@effect/cli/Options"
import * as Option from "effect/Option"
import { leaf } from "./grammar.js"
import { page, run } from "./leaves.js"
import { acting, argument, choice, common, text } from "./options.js"

const governance = () => import("./governance.js")
const document = argument("id-or-path", "Id of the document (doc_…) or its path in the vault.")
const verifications = ["unverified", "verified", "certified", "deprecated"] as const

/** What people say of documents, and what comes of that. */
export const documentVerbs = [
  leaf(
    "verify",
    "Say what a document is worth.",
    {
      ...common,
      ...acting,
      document,
      verification: Args.choice(
        verifications.map((value) => [value, value] as const),
        { name: "verification" }
      ).pipe(Args.withDescription("What it is worth: unverified, verified, certified, deprecated."))
    },
    (input) => run(governance, (module) => module.verify(input))
  ),
  leaf(
    "lineage",
    "Show where a document comes from, who vouches for it, and what rests on it.",
    { ...common, document },
    (input) => run(governance, (module) => module.lineage(input))
  )
] as const

const share = (name: string, description: string, usual: number): Options.Options<number> =>
  Options.text(name).pipe(
    Options.withPseudoName("SCORE"),
    Options.filterMap(
      (given) => (/^(?:0?\.\d+|[01](?:\.0+)?)$/.test(given) ? Option.some(Number(given)) : Option.none()),
      `--${name} takes a number from 0 to 1.`
    ),
    Options.withDefault(usual),
    Options.withDescription(`${description}: 0 to 1, ${usual} by default.`)
  )

export const entityDuplicates = leaf(
  "duplicates",
  "List pairs of entities that may be the same, with the reasons; merges nothing.",
  {
    ...common,
    entity: text("entity", "ID-OR-NAME", "Only pairs with this entity."),
    minScore: share("min-score", "Least score of a pair", 0.5),
    ...page
  },
  (input) => run(governance, (module) => module.duplicates(input))
)

export const stewardship = leaf(
  "stewardship",
  "List what needs a steward.",
  {
    ...common,
    view: choice(
      "view",
      ["overdue", "never_reviewed", "ownerless", "contested", "documents_due"],
      "What to list; overdue by default."
    ),
    owner: text("owner", "ID", "Only what is in this person's care."),
    ...page
  },
  (input) => run(governance, (module) => module.stewardship(input))
)
