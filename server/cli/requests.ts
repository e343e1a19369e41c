import { z } from "zod"
import { type ChangeRequest, RequestKind } from "../../core/knowledge/entities/index.js"
import { operations } from "../../core/operations.js"
import { defined } from "../../core/platform/kernel/index.js"
import type { RequestOverview } from "../../core/upkeep/overview/index.js"
import { command, group, operationCommand } from "./command.js"
import { describeRevision, entityId } from "./curation.js"
import { differenceLines } from "./difference.js"
import { wrongUsage } from "./failure.js"
import { acting, switchFlag, textFlag } from "./flags.js"
import { actingAs, call, withWorkspace } from "./session.js"
import { dayOf, tableOf } from "./tables.js"
import { paint, proseColumns } from "./terminal.js"
import { cleanLine, counted, wrap } from "./text.js"

const id = { description: "Id of the change request (cr_…)." }

const list = operationCommand("list", operations.listChangeRequests, {
  description: "List change requests, newest first.",
  print: ({ requests }, { status }) =>
    requests.length === 0
      ? `No ${status === undefined ? "" : `${status} `}change requests.`
      : tableOf(
          requests,
          [
            ["subject", subjectOf],
            "kind",
            "status",
            ["proposed", ({ createdAt }) => dayOf(createdAt)],
            ["by", "proposedBy"],
            "id"
          ],
          { shrink: ["subject", "by"], paint: { kind: (cell) => cell, status: paintStatus } }
        )
})

const show = operationCommand("show", operations.getChangeRequest, {
  description: "Show a change request: what it would change now, its impact, and its discussion.",
  arguments: { id },
  acting: true,
  print: (found) => describeRequest(found)
})

const approve = operationCommand("approve", operations.approveChangeRequest, {
  description: "Approve a change request. If the entity has an owner, --as must be the owner or a steward.",
  arguments: { id },
  omit: ["reviewNote"],
  acting: true,
  print: ({ appliedEntityId, request }) =>
    `${decided(request)}${appliedEntityId === null ? "" : `: ${appliedEntityId}`}`
})

const reject = operationCommand("reject", operations.rejectChangeRequest, {
  description: "Reject a change request.",
  arguments: { id },
  omit: ["reviewNote"],
  acting: true,
  print: (request) => decided(request)
})

const withdraw = operationCommand("withdraw", operations.withdrawChangeRequest, {
  description: "Withdraw a change request.",
  arguments: { id },
  acting: true,
  print: (request) => decided(request)
})

const propose = command("propose", {
  description: "Propose a change; nothing changes before it is approved.",
  input: z.object({
    kind: RequestKind,
    ...acting,
    entity: textFlag("The entity, by id, name or alias; not for create.", "ID"),
    name: textFlag("Of a create or update: the name."),
    type: textFlag("Of a create or update: the type."),
    aliases: z
      .array(z.string())
      .optional()
      .describe("Of a create or update: an alias; replaces all aliases."),
    noAliases: switchFlag("Of an update: remove all aliases."),
    description: textFlag("Of a create or update: the description.", "TEXT"),
    lifecycle: z
      .enum(["draft", "pending_review", "published"])
      .optional()
      .describe("Of a create; published by default."),
    supersededBy: textFlag("Of a supersede: the entity that replaces it, by id or name.", "ID"),
    note: z.string().optional()
  }),
  arguments: { kind: {} },
  flags: {
    as: { placeholder: "MEMBER" },
    type: { description: "Of a create or update: the type." },
    aliases: { name: "alias", placeholder: "NAME" }
  },
  run: function* (input) {
    if (input.noAliases && input.aliases !== undefined)
      return yield* wrongUsage("--alias and --no-aliases exclude each other.")
    const missing = neededFor[input.kind].filter(([field]) => input[field] === undefined)
    if (missing.length > 0)
      return yield* wrongUsage(
        `To propose ${input.kind === "update" ? "an" : "a"} ${input.kind} takes ${missing.map(([, option]) => option).join(" and ")}.`
      )
    yield* withWorkspace(input, function* ({ engine }) {
      const aliases = input.noAliases ? [] : input.aliases
      const { description, entity, kind, lifecycle, name, note, supersededBy, type } = input
      const target = entity === undefined ? undefined : yield* entityId(engine, entity)
      const successor = supersededBy === undefined ? undefined : yield* entityId(engine, supersededBy)
      const payload = { name, type, aliases, description, lifecycle, supersededBy: successor }
      const request = yield* call(() =>
        actingAs(engine, input).changeRequests.propose({
          kind,
          payload: Object.fromEntries(Object.entries(payload).filter(([, value]) => value !== undefined)),
          ...defined({ entityId: target, note })
        })
      )
      return {
        output: request,
        text: () => `${paint.green("Proposed")} to ${kind} ${subjectOf(request)}: ${request.id}`
      }
    })
  }
})

export const requestCommands = group("requests", "Proposed changes and decisions about them.", [
  list,
  show,
  propose,
  approve,
  reject,
  withdraw
])

/** Why an approval would fail, by its code. */
const explainBlock = (code: string): string =>
  code === "reviewer_required"
    ? "--as must be the owner of the entity or one of its stewards (reviewer_required)."
    : code === "conflict"
      ? "it conflicts with the present state (conflict)."
      : code

/** The fields that a request of each kind needs. */
const neededFor: Readonly<
  Record<RequestKind, ReadonlyArray<readonly ["entity" | "name" | "type" | "supersededBy", string]>>
> = {
  create: [
    ["name", "--name NAME"],
    ["type", "--type TYPE"]
  ],
  update: [["entity", "--entity ID-OR-NAME"]],
  deprecate: [["entity", "--entity ID-OR-NAME"]],
  supersede: [
    ["entity", "--entity ID-OR-NAME"],
    ["supersededBy", "--superseded-by ID-OR-NAME"]
  ],
  delete: [["entity", "--entity ID-OR-NAME"]]
}

/** Returns the subject of a change request as text. */
const subjectOf = ({ entityId: id, entityName, payload }: ChangeRequest): string => {
  const proposed = payload["name"]
  return cleanLine(entityName ?? (id === null && typeof proposed === "string" ? proposed : (id ?? "")))
}

const decided = (request: ChangeRequest): string =>
  `${paintStatus(request.status)}: to ${request.kind} ${subjectOf(request)}`

const paintStatus = (status: string): string =>
  status.trim() === "open"
    ? paint.yellow(status)
    : status.trim() === "approved"
      ? paint.green(status)
      : paint.dim(status)

const describeRequest = ({ discussion, impact, preview, request }: RequestOverview): string => {
  const said = (who: string, at: string, note: string | null): ReadonlyArray<string> => [
    paint.dim(`${who} ${dayOf(at)}`),
    ...(note === null ? [] : [wrap(cleanLine(note), proseColumns(), "  ")])
  ]
  const { reviewedAt } = request
  const changes = differenceLines(preview.diff)
  return [
    `${paint.bold(`${request.kind} ${subjectOf(request)}`)}  ${paintStatus(request.status)}  ${paint.dim(request.id)}`,
    ...said(`proposed by ${cleanLine(request.proposedBy)}`, request.createdAt, request.note),
    ...(reviewedAt === null
      ? []
      : said(`${request.status} by ${cleanLine(request.reviewedBy ?? "")}`, reviewedAt, request.reviewNote)),
    ...(request.status === "open"
      ? [
          "",
          ...(changes.length === 0 ? ["It would change nothing now."] : changes),
          "",
          preview.applicable
            ? "It can be approved."
            : `${paint.yellow("An approval would fail now")}: ${explainBlock(preview.blockedBy ?? "")}`,
          paint.dim(
            `It affects ${counted(impact.relations, "relation")}, ${counted(impact.answers, "past answer")} ` +
              `and ${counted(impact.cacheEntries, "cached answer")}.`
          )
        ]
      : []),
    ...(discussion.length === 0 ? [] : ["", "Since it was proposed:", ...discussion.map(describeRevision)])
  ].join("\n")
}
