import * as Effect from "effect/Effect"
import type { ChangeRequest, RequestKind, RequestStatus } from "../../core/curation/index.js"
import type { RequestOverview } from "../../core/overview/index.js"
import { shownRevision } from "./curation.js"
import { differenceLines } from "./difference.js"
import { dayOf } from "./documents.js"
import { entityId } from "./entities.js"
import { type Failure, wrongUsage } from "./failure.js"
import type { ActingInput, CommonInput } from "./options.js"
import { actingAs, call, withWorkspace } from "./session.js"
import { answer, paint, proseColumns, tableColumns } from "./terminal.js"
import { cleanLine, counted, table, wrap } from "./text.js"

type OnRequest = ActingInput & { readonly id: string }
type Deciding = OnRequest & { readonly note: string | undefined }

export const list = (
  input: CommonInput & { readonly status: RequestStatus | undefined }
): Effect.Effect<void, Failure> =>
  withWorkspace(input, { worker: false }, ({ engine }) =>
    Effect.gen(function* () {
      const { status } = input
      const requests = yield* call(() => engine.changeRequests.list(status === undefined ? {} : { status }))
      yield* answer(input.json, { requests }, () => {
        if (requests.length === 0) return `No ${status === undefined ? "" : `${status} `}change requests.`
        const rows = requests.map((request) => [
          aboutOf(request),
          request.kind,
          request.status,
          dayOf(request.createdAt),
          cleanLine(request.proposedBy),
          request.id
        ])
        const columns = [
          { title: "about", shrink: true },
          { title: "kind" },
          { title: "status" },
          { title: "proposed" },
          { title: "by", shrink: true },
          { title: "id" }
        ]
        return table(columns, rows, tableColumns(), (cell, column, isTitle) =>
          isTitle ? paint.dim(cell) : column === 2 ? paintStatus(cell) : column < 2 ? cell : paint.dim(cell)
        )
      })
    })
  )

export const show = (input: OnRequest): Effect.Effect<void, Failure> =>
  withWorkspace(input, { worker: false }, ({ engine }) =>
    Effect.gen(function* () {
      const found = yield* call(() => actingAs(engine, input).changeRequests.get(input.id))
      yield* answer(input.json, found, () => shownRequest(found))
    })
  )

export const propose = (
  input: ActingInput & {
    readonly kind: RequestKind
    readonly entity: string | undefined
    readonly name: string | undefined
    readonly type: string | undefined
    readonly aliases: ReadonlyArray<string> | undefined
    readonly noAliases: boolean
    readonly description: string | undefined
    readonly lifecycle: string | undefined
    readonly supersededBy: string | undefined
    readonly note: string | undefined
  }
): Effect.Effect<void, Failure> =>
  Effect.gen(function* () {
    if (input.noAliases && input.aliases !== undefined)
      return yield* wrongUsage("--alias and --no-aliases exclude each other.")
    const lacking = neededFor[input.kind].filter(([field]) => input[field] === undefined)
    if (lacking.length > 0)
      return yield* wrongUsage(
        `To propose ${article(input.kind)} takes ${lacking.map(([, option]) => option).join(" and ")}.`
      )
    yield* withWorkspace(input, { worker: false }, ({ engine }) =>
      Effect.gen(function* () {
        const aliases = input.noAliases ? [] : input.aliases
        const { description, entity, kind, lifecycle, name, note, supersededBy, type } = input
        const target = entity === undefined ? undefined : yield* entityId(engine, entity)
        const successor = supersededBy === undefined ? undefined : yield* entityId(engine, supersededBy)
        const payload = { name, type, aliases, description, lifecycle, supersededBy: successor }
        const request = yield* call(() =>
          actingAs(engine, input).changeRequests.propose({
            kind,
            payload: Object.fromEntries(Object.entries(payload).filter(([, value]) => value !== undefined)),
            ...(target === undefined ? {} : { entityId: target }),
            ...(note === undefined ? {} : { note })
          })
        )
        yield* answer(
          input.json,
          request,
          () => `${paint.green("Proposed")} to ${kind} ${aboutOf(request)}: ${request.id}`
        )
      })
    )
  })

/** What is in the way of an approval, by its code. */
const obstacle = (code: string): string =>
  code === "reviewer_required"
    ? "it takes --as the owner of the entity or one of its stewards (reviewer_required)."
    : code === "conflict"
      ? "what it asks for cannot be done as things stand (conflict)."
      : code

/** What a request of a kind cannot do without. */
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

const article = (kind: RequestKind): string => `${kind === "update" ? "an" : "a"} ${kind}`

export const approve = (input: Deciding): Effect.Effect<void, Failure> =>
  withWorkspace(input, { worker: false }, ({ engine }) =>
    Effect.gen(function* () {
      const done = yield* call(() => actingAs(engine, input).changeRequests.approve(input.id, input.note))
      const on = done.appliedEntityId === null ? "" : `: ${done.appliedEntityId}`
      yield* answer(input.json, done, () => `${decided(done.request)}${on}`)
    })
  )

export const reject = (input: Deciding): Effect.Effect<void, Failure> =>
  withWorkspace(input, { worker: false }, ({ engine }) =>
    Effect.gen(function* () {
      const request = yield* call(() => actingAs(engine, input).changeRequests.reject(input.id, input.note))
      yield* answer(input.json, request, () => decided(request))
    })
  )

export const withdraw = (input: OnRequest): Effect.Effect<void, Failure> =>
  withWorkspace(input, { worker: false }, ({ engine }) =>
    Effect.gen(function* () {
      const request = yield* call(() => actingAs(engine, input).changeRequests.withdraw(input.id))
      yield* answer(input.json, request, () => decided(request))
    })
  )

/** What a request is about, in words. */
const aboutOf = ({ entityId: id, entityName, payload }: ChangeRequest): string => {
  const proposed = payload["name"]
  return cleanLine(entityName ?? (id === null && typeof proposed === "string" ? proposed : (id ?? "")))
}

const decided = (request: ChangeRequest): string =>
  `${paintStatus(request.status)}: to ${request.kind} ${aboutOf(request)}`

const paintStatus = (status: string): string =>
  status.trim() === "open"
    ? paint.yellow(status)
    : status.trim() === "approved"
      ? paint.green(status)
      : paint.dim(status)

const shownRequest = ({ discussion, impact, preview, request }: RequestOverview): string => {
  const said = (who: string, at: string, note: string | null): ReadonlyArray<string> => [
    paint.dim(`${who} ${dayOf(at)}`),
    ...(note === null ? [] : [wrap(cleanLine(note), proseColumns(), "  ")])
  ]
  const { reviewedAt } = request
  const changes = differenceLines(preview.diff)
  return [
    `${paint.bold(`${request.kind} ${aboutOf(request)}`)}  ${paintStatus(request.status)}  ${paint.dim(request.id)}`,
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
            : `${paint.yellow("An approval would fail now")}: ${obstacle(preview.blockedBy ?? "")}`,
          paint.dim(
            `On it hang ${counted(impact.relations, "relation")}, ${counted(impact.answers, "past answer")} ` +
              `and ${counted(impact.cacheEntries, "cached answer")}.`
          )
        ]
      : []),
    ...(discussion.length === 0 ? [] : ["", "Since it was proposed:", ...discussion.map(shownRevision)])
  ].join("\n")
}
