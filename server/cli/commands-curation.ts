import * as Args from "@effect/cli/Args"
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as Effect from "effect/Effect"
import { family, leaf } from "./grammar.js"
import { run } from "./leaves.js"
import { acting, argument, choice, common, flag, number, text, texts } from "./options.js"

const entity = argument("id-or-name", "Id of the entity (ent_…), its name or an alias.")
const note = text("note", "TEXT", "Why; at most 4,000 characters, kept in the history.")
const curation = () => import("./curation.js")
const authorities = ["machine_extracted", "asserted", "curated", "certified"] as const
const lifecycles = ["draft", "pending_review", "published"] as const

const oneOf = <const Word extends string>(name: string, words: ReadonlyArray<Word>) =>
  Args.choice(
    words.map((word) => [word, word] as const),
    { name }
  ).pipe(Args.withDescription(`${words.slice(0, -1).join(", ")} or ${words.at(-1) ?? ""}.`))

const certify = leaf(
  "certify",
  "Vouch for an entity as it stands; its review is due anew.",
  { ...common, ...acting, entity, note },
  (input) => run(curation, (module) => module.certify(input))
)
const review = leaf(
  "review",
  "Say that you looked at an entity; what was only extracted becomes curated.",
  { ...common, ...acting, entity },
  (input) => run(curation, (module) => module.review(input))
)
const authority = leaf(
  "authority",
  "Set the authority of an entity.",
  { ...common, ...acting, entity, authority: oneOf("authority", authorities) },
  (input) => run(curation, (module) => module.authority(input))
)
const owner = leaf(
  "owner",
  "Put an entity into somebody's care.",
  {
    ...common,
    ...acting,
    entity,
    owner: text("owner", "ID", "Who owns it; left out, the owner stays."),
    nobody: flag("nobody", "Nobody owns it."),
    stewards: texts("steward", "ID", "Who may decide about it too; they replace those there were."),
    noStewards: flag("no-stewards", "Nobody may decide beside the owner.")
  },
  (input) => run(curation, (module) => module.owner(input))
)
const lifecycle = leaf(
  "lifecycle",
  "Move an entity between draft, review and publication.",
  { ...common, ...acting, entity, lifecycle: oneOf("lifecycle", lifecycles), note },
  (input) => run(curation, (module) => module.lifecycle(input))
)
const deprecate = leaf(
  "deprecate",
  "Retire an entity, for good; it stays findable, demoted and labelled.",
  {
    ...common,
    ...acting,
    entity,
    supersededBy: text("superseded-by", "ID", "The published entity that takes its place, by id or name."),
    note
  },
  (input) => run(curation, (module) => module.deprecate(input))
)
const merge = leaf(
  "merge",
  "Merge a duplicate into the entity that it means; kanon trash restore splits it out again.",
  {
    ...common,
    ...acting,
    entity,
    into: argument("into", "The entity that stays, by id, name or alias."),
    dryRun: flag("dry-run", "Only say what it would bring."),
    note
  },
  (input) => run(curation, (module) => module.merge(input))
)
const history = leaf(
  "history",
  "Show the versions of an entity, newest first, and what each one changed.",
  { ...common, entity, limit: number("limit", "Most versions to show", { from: 1, to: 200, usual: 50 }) },
  (input) => run(curation, (module) => module.history(input))
)
const restoreRevision = leaf(
  "restore-revision",
  "Give an entity the fields of an earlier version, as a new one.",
  {
    ...common,
    ...acting,
    entity,
    version: Args.text({ name: "version" }).pipe(
      Args.mapEffect((given) =>
        /^\d{1,15}$/.test(given)
          ? Effect.succeed(Number(given))
          : Effect.fail(HelpDoc.p(`<version> is a whole number, as the history shows it, not '${given}'.`))
      ),
      Args.withDescription("The version, from its history.")
    )
  },
  (input) => run(curation, (module) => module.restoreRevision(input))
)

/** What is done to entities by those who answer for them. */
export const entityVerbs = [
  certify,
  review,
  authority,
  owner,
  lifecycle,
  deprecate,
  merge,
  history,
  restoreRevision
] as const

const requests = () => import("./requests.js")
const id = argument("id", "Id of the change request (cr_…).")
const requestsList = leaf(
  "list",
  "List proposed changes, newest first.",
  {
    ...common,
    status: choice("status", ["open", "approved", "rejected", "withdrawn"], "Only those of this status.")
  },
  (input) => run(requests, (module) => module.list(input))
)
const requestsShow = leaf(
  "show",
  "Show a proposed change: what it would change now, what hangs on it, and what happened since.",
  { ...common, ...acting, id },
  (input) => run(requests, (module) => module.show(input))
)
const requestsPropose = leaf(
  "propose",
  "Propose a change; nothing changes before it is approved.",
  {
    ...common,
    ...acting,
    kind: oneOf("kind", ["create", "update", "deprecate", "supersede", "delete"]),
    entity: text("entity", "ID", "The entity that it is about, by id, name or alias; not for create."),
    name: text("name", "NAME", "Of a create or update: its name."),
    type: text("type", "TYPE", "Likewise: its type."),
    aliases: texts("alias", "NAME", "Likewise: its aliases, all of them."),
    noAliases: flag("no-aliases", "Of an update: it has no aliases any more."),
    description: text("description", "TEXT", "Likewise: its description."),
    lifecycle: choice("lifecycle", lifecycles, "Of a create; published by default."),
    supersededBy: text(
      "superseded-by",
      "ID",
      "Of a supersede: the entity that takes its place, by id or name."
    ),
    note
  },
  (input) => run(requests, (module) => module.propose(input))
)
const requestsApprove = leaf(
  "approve",
  "Take a proposed change over. Where somebody has the entity in care, that takes --as one of them.",
  { ...common, ...acting, id, note },
  (input) => run(requests, (module) => module.approve(input))
)
const requestsReject = leaf(
  "reject",
  "Decline a proposed change.",
  { ...common, ...acting, id, note },
  (input) => run(requests, (module) => module.reject(input))
)
const requestsWithdraw = leaf(
  "withdraw",
  "Take a proposed change back.",
  { ...common, ...acting, id },
  (input) => run(requests, (module) => module.withdraw(input))
)

const about = "Changes that somebody proposes and others decide about."

export const requestCommands = family("requests", about, [
  requestsList,
  requestsShow,
  requestsPropose,
  requestsApprove,
  requestsReject,
  requestsWithdraw
])
