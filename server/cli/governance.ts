import * as Effect from "effect/Effect"
import type { Verification } from "../../core/documents/index.js"
import type {
  DocumentLineage,
  DuplicatePage,
  StewardshipPage,
  StewardshipView
} from "../../core/overview/index.js"
import { dayOf, find, listing, paintCell } from "./documents.js"
import { entityId } from "./entities.js"
import type { Failure } from "./failure.js"
import type { ActingInput, CommonInput } from "./options.js"
import { actingAs, call, withWorkspace } from "./session.js"
import { answer, paint, tableColumns } from "./terminal.js"
import { cleanLine, counted, table } from "./text.js"

export const verify = (
  input: ActingInput & { readonly document: string; readonly verification: Verification }
): Effect.Effect<void, Failure> =>
  withWorkspace(input, { worker: false }, ({ engine }) =>
    Effect.gen(function* () {
      const { id, path } = yield* find(engine, input.document)
      const done = yield* call(() => actingAs(engine, input).documents.verify(id, input.verification))
      yield* answer(input.json, done, () => {
        const until = done.nextVerifyAt === null ? "" : `, until ${dayOf(done.nextVerifyAt)}`
        return `${paint.green(cleanLine(path))} is ${done.verification}${until}.`
      })
    })
  )

export const lineage = (input: CommonInput & { readonly document: string }): Effect.Effect<void, Failure> =>
  withWorkspace(input, { worker: false }, ({ engine }) =>
    Effect.gen(function* () {
      const { id, path } = yield* find(engine, input.document)
      const found = yield* call(() => engine.documents.lineage(id))
      yield* answer(input.json, found, () => [paint.bold(cleanLine(path)), ...lineageLines(found)].join("\n"))
    })
  )

const conceptsShown = 10
const eventsShown = 10

const lineageLines = ({ audit, derived, downstream, governance, origin }: DocumentLineage) => {
  const vouched = [
    governance.verification,
    governance.verifiedBy === null ? "" : `by ${cleanLine(governance.verifiedBy)}`,
    governance.verifiedAt === null ? "" : `on ${dayOf(governance.verifiedAt)}`,
    governance.nextVerifyAt === null ? "" : `until ${dayOf(governance.nextVerifyAt)}`,
    governance.reviewDue ? "(due)" : ""
  ]
  const facts: ReadonlyArray<readonly [string, string]> = [
    ["origin", origin.kind],
    ["verification", vouched.filter((word) => word !== "").join(" ")],
    ["passages", `${derived.chunkCount}`],
    ["concepts", `${derived.concepts.length}`],
    ["relations", `${derived.relationCount}`],
    ["cited by", counted(downstream.answerCount, "answer")],
    ["grounds", counted(downstream.groundedEntityCount, "entity", "entities")]
  ]
  const concepts = derived.concepts
    .slice(0, conceptsShown)
    .map(({ authority, lifecycleStatus, mentionCount, name, type }) => [
      cleanLine(name),
      cleanLine(type),
      authority.replaceAll("_", " "),
      lifecycleStatus.replaceAll("_", " "),
      `${mentionCount}`
    ])
  const events = audit
    .slice(0, eventsShown)
    .map(({ action, actor, at }) => [action, cleanLine(actor), at.slice(0, 19).replace("T", " ")])
  return [
    ...facts.map(([name, value]) => `${paint.dim(name.padEnd(12))}  ${value}`),
    ...titled("Concepts", conceptColumns, concepts),
    ...(derived.concepts.length > conceptsShown
      ? [paint.dim(`and ${derived.concepts.length - conceptsShown} more, which --json tells`)]
      : []),
    ...titled("What was done", eventColumns, events)
  ]
}

const conceptColumns = [
  { title: "name", shrink: true },
  { title: "type", shrink: true },
  { title: "authority" },
  { title: "life cycle" },
  { title: "places", align: "right" as const }
]
const eventColumns = [{ title: "action" }, { title: "by", shrink: true }, { title: "when" }]

const titled = (
  title: string,
  columns: Parameters<typeof table>[0],
  rows: ReadonlyArray<ReadonlyArray<string>>
): ReadonlyArray<string> =>
  rows.length === 0 ? [] : ["", paint.bold(title), table(columns, rows, tableColumns(), paintCell)]

export const stewardship = (
  input: CommonInput & {
    readonly view: StewardshipView | undefined
    readonly owner: string | undefined
    readonly limit: number
    readonly offset: number
  }
): Effect.Effect<void, Failure> =>
  withWorkspace(input, { worker: false }, ({ engine }) =>
    Effect.gen(function* () {
      const { limit, offset, owner, view } = input
      const found = yield* call(() =>
        engine.stewardship({
          limit,
          offset,
          ...(view === undefined ? {} : { view }),
          ...(owner === undefined ? {} : { ownerId: owner })
        })
      )
      yield* answer(input.json, found, () => shownStewardship(found))
    })
  )

const shownStewardship = (page: StewardshipPage): string => {
  const { contested, documentsDue, neverReviewed, overdue, ownerless } = page.counts
  const counts = [
    `overdue ${overdue}`,
    `never reviewed ${neverReviewed}`,
    `ownerless ${ownerless}`,
    `contested ${contested}`,
    `documents due ${documentsDue}`
  ].join(" · ")
  const rows = page.items.map((item) =>
    item.kind === "entity"
      ? [
          cleanLine(item.name),
          item.authority.replaceAll("_", " "),
          cleanLine(item.ownerId ?? ""),
          item.nextReviewAt === null ? "" : dayOf(item.nextReviewAt),
          `${item.openRequests}`,
          item.id
        ]
      : [
          cleanLine(item.path),
          item.verification,
          cleanLine(item.verifiedBy ?? ""),
          item.nextVerifyAt === null ? "" : dayOf(item.nextVerifyAt),
          "",
          item.id
        ]
  )
  const columns = [
    { title: page.view === "documents_due" ? "path" : "name", shrink: true },
    { title: page.view === "documents_due" ? "verification" : "authority" },
    { title: page.view === "documents_due" ? "verified by" : "owner", shrink: true },
    { title: "due" },
    { title: "requests", align: "right" as const },
    { title: "id" }
  ]
  const [one, many] =
    page.view === "documents_due" ? (["document", "documents"] as const) : (["entity", "entities"] as const)
  return [
    paint.dim(counts),
    "",
    page.total === 0
      ? `Nothing in the view ${page.view}; --view shows another.`
      : listing(table(columns, rows, tableColumns(), paintCell), page, page.items.length, one, many)
  ].join("\n")
}

export const duplicates = (
  input: CommonInput & {
    readonly entity: string | undefined
    readonly minScore: number
    readonly limit: number
    readonly offset: number
  }
): Effect.Effect<void, Failure> =>
  withWorkspace(input, { worker: false }, ({ engine }) =>
    Effect.gen(function* () {
      const { entity, limit, minScore, offset } = input
      const id = entity === undefined ? undefined : yield* entityId(engine, entity)
      const found = yield* call(() =>
        engine.entities.duplicates({ limit, minScore, offset, ...(id === undefined ? {} : { id }) })
      )
      yield* answer(input.json, found, () => shownDuplicates(found))
    })
  )

const shownDuplicates = (page: DuplicatePage): string => {
  const pairs = page.items.map(({ duplicate, head, reasons, score }) =>
    [
      `${paint.bold(score.toFixed(2))}  ${cleanLine(head.name)} ${paint.dim(`(${cleanLine(head.type)})`)} = ${cleanLine(duplicate.name)} ${paint.dim(`(${cleanLine(duplicate.type)})`)}`,
      ...reasons.map(({ detail }) => `      ${cleanLine(detail)}`),
      paint.dim(`      kanon entities merge ${duplicate.id} ${head.id}`)
    ].join("\n")
  )
  return listing(pairs.join("\n"), page, page.items.length, "likely duplicate")
}
