import * as Effect from "effect/Effect"
import { z } from "zod"
import { DocumentStore, mayOnlyPropose } from "../../core/files/documents/index.js"
import { EntityStore, headOf, mayReview } from "../../core/knowledge/entities/index.js"
import { operations } from "../../core/operations.js"
import {
  Caller,
  type CallerShape,
  EntityId,
  millisOf,
  NotFound,
  now,
  operation,
  pageLimit,
  pageOffset,
  type Scope,
  scopes,
  Timestamp,
  timestampOf
} from "../../core/platform/kernel/index.js"
import {
  foreignChanges,
  InboxMark,
  inboxMarks,
  InboxKind as Kinds,
  listAnswers,
  markInbox,
  pairId
} from "../../core/upkeep/overview/index.js"
import { sentimentOf } from "../../core/work/agent-runs/index.js"
import { row } from "../catalog/row.js"
import { type DuplicatePairs, duplicatePairs } from "./duplicate-pairs.js"
import type { InboxItem, InboxKind, WaitingItem } from "./inbox-model.js"

const kinds = Kinds.options satisfies ReadonlyArray<InboxKind>

/** Items of a kind that are read at most. */
const readMax = 200
const page = { limit: readMax, offset: 0 }
/** Feedback is answered by nobody in particular, so it leaves the inbox after so long. */
const feedbackDays = 30
/** The set of judgments that feedback feeds. */
const feedbackSet = "feedback"

const holds = ({ scopes: held }: CallerShape, ...wanted: ReadonlyArray<Scope>): boolean =>
  held === undefined || wanted.some((scope) => held.includes(scope))

const Item = z.looseObject({
  kind: z.enum(kinds),
  id: z.string(),
  title: z.string(),
  mine: z.boolean(),
  assignedTo: z.string().nullable(),
  at: Timestamp
})

const Counts = z.record(z.enum([...kinds, "mine", "total"]), z.int())

/** Lists everything that waits for a person, over all rooms, and takes what people say about it. */
export const inboxRows = () => {
  const pairs = duplicatePairs()
  const inbox = operation({
    name: "inbox",
    summary: "List items that wait for a person, the caller's own first, then oldest first.",
    scopes,
    effect: "read",
    input: z.object({
      mine: z.boolean().optional(),
      kind: z.enum(kinds).optional(),
      limit: pageLimit,
      offset: pageOffset
    }),
    output: z.object({
      items: z.array(Item),
      total: z.int(),
      limit: z.int(),
      offset: z.int(),
      counts: Counts
    }),
    faults: ["NotFound", "InvalidInput", "InsufficientScope"],
    run: ({ kind, limit, mine, offset }) =>
      Effect.gen(function* () {
        const all = yield* inboxOf(pairs)
        const counts: Record<string, number> = {
          mine: all.filter((one) => one.mine).length,
          total: all.length
        }
        for (const one of kinds) counts[one] = all.filter((item) => item.kind === one).length
        const found = all
          .filter((one) => (kind === undefined || one.kind === kind) && (mine !== true || one.mine))
          .sort((a, b) => Number(b.mine) - Number(a.mine) || (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
        return {
          items: found.slice(offset, offset + limit).map((one) => ({ ...one })),
          total: found.length,
          limit,
          offset,
          counts: Counts.parse(counts)
        }
      })
  })
  const mark = operation({
    name: "markInbox",
    summary: "Mark an item of the inbox as done, rejected or open again, or assign it to a member.",
    scopes: ["kb:write"],
    effect: "idempotent",
    input: z.object({
      kind: z.enum(kinds),
      id: z.string().min(1).max(400),
      state: InboxMark.shape.state.optional(),
      assignedTo: z.string().max(200).nullable().optional()
    }),
    output: InboxMark,
    faults: ["NotFound", "InvalidInput", "InsufficientScope"],
    run: ({ assignedTo, id, kind, state }) =>
      Effect.gen(function* () {
        const item =
          kind === "duplicate"
            ? yield* pairOf(id)
            : (yield* waiting(pairs)).find((one) => one.kind === kind && one.id === id)
        if (item === undefined) return yield* new NotFound({ what: "item of the inbox" })
        return yield* markInbox(item, { state, assignedTo })
      })
  })
  return [row(inbox, "GET", "/console/inbox"), row(mark, "POST", "/console/inbox/marks")]
}

/** A pair of live entities; pages of entities show more of them than the inbox, and sooner. */
const pairOf = (id: string) =>
  Effect.gen(function* () {
    const ids = z.tuple([EntityId, EntityId]).safeParse(id.split(" "))
    if (!ids.success) return undefined
    const [a, b] = [yield* headOf(ids.data[0]), yield* headOf(ids.data[1])]
    return a.id === b.id ? undefined : { kind: "duplicate" as const, id: pairId(a.id, b.id), at: yield* now }
  })

/** What waits and is not settled, with whom it is assigned to. */
const inboxOf = Effect.fnUntraced(function* (pairs: DuplicatePairs) {
  const { actor } = yield* Caller
  const all = yield* waiting(pairs)
  const marks = yield* inboxMarks(all)
  return all
    .filter((item) => !marks.isSettled(item))
    .map((item): InboxItem => {
      const assignedTo = marks.assigneeOf(item)
      return { ...item, assignedTo, mine: assignedTo === null ? item.mine : assignedTo === actor }
    })
})

const waiting = Effect.fnUntraced(function* (pairs: DuplicatePairs) {
  const caller = yield* Caller
  const items: Array<WaitingItem> = []
  if (holds(caller, "kb:read")) {
    items.push(...(yield* changeRequests), ...(yield* stewardship), ...(yield* contradictions))
    items.push(...(yield* proposals), ...(yield* changes))
    items.push(...(yield* pairs.items))
  }
  if (holds(caller, "runs:read")) items.push(...(yield* runsAndFeedback))
  if (holds(caller, "kb:read", "runs:read")) items.push(...(yield* answerFeedback))
  if (holds(caller, "data:read")) items.push(...(yield* syncConflicts))
  if (holds(caller, "kb:write")) items.push(...(yield* judgments))
  return onePerEvent(items)
})

/** Judgments that feedback suggests belong to the feedback, where that is shown itself. */
const onePerEvent = (items: ReadonlyArray<WaitingItem>): ReadonlyArray<WaitingItem> => {
  const shown = new Set(items.flatMap((one) => (one.kind === "feedback" ? [one.id] : [])))
  const suggested = items.flatMap((one) => (one.kind === "judgment" ? [one.data] : []))
  return items.flatMap((one): ReadonlyArray<WaitingItem> => {
    if (one.kind === "judgment" && one.data.feedbackIds.every((id) => shown.has(id))) return []
    if (one.kind !== "feedback") return [one]
    const judgments = suggested.filter(({ feedbackIds }) => feedbackIds.includes(one.id))
    return [{ ...one, data: { ...one.data, judgments } }]
  })
}

/** What others changed of the entities that the caller answers for. */
const changes = Effect.gen(function* () {
  const found = yield* foreignChanges()
  return found.map(
    ({ authority, changeKind, changedBy, createdAt, entityId, name, version }): WaitingItem => ({
      kind: "change",
      id: entityId,
      title: name,
      mine: true,
      at: createdAt,
      data: { entityId, version, changeKind, changedBy, authority }
    })
  )
})

const changeRequests = Effect.gen(function* () {
  const caller = yield* Caller
  const { requests } = yield* operations.listChangeRequests.run({ status: "open", ...page })
  const ids = requests.flatMap(({ entityId }) => entityId ?? [])
  const entities = new Map(
    (yield* (yield* EntityStore).findMany(caller.workspace, ids)).map((one) => [one.id, one])
  )
  return requests.map((request): WaitingItem => {
    const entity = request.entityId === null ? undefined : entities.get(request.entityId)
    const cares =
      entity !== undefined && (entity.ownerId === caller.actor || entity.stewardIds.includes(caller.actor))
    return {
      kind: "change_request",
      id: request.id,
      title: request.entityName ?? nameIn(request.payload) ?? request.kind,
      mine: cares,
      at: request.createdAt,
      data: {
        requestId: request.id,
        requestKind: request.kind,
        entityId: request.entityId,
        proposedBy: request.proposedBy,
        note: request.note,
        blocked: entity === undefined || mayReview(entity, caller) ? null : "reviewer_required"
      }
    }
  })
})

/** Contradictions that nobody has settled; they are theirs who verified one of the two documents. */
const contradictions = Effect.gen(function* () {
  const { actor, workspace } = yield* Caller
  const { items } = yield* operations.listContradictions.run({ status: "open", ...page })
  const ids = [
    ...new Set(items.flatMap(({ sides }) => sides.flatMap((side) => ("docId" in side ? [side.docId] : []))))
  ]
  const documents = new Map(
    (yield* (yield* DocumentStore).findMany(workspace, ids)).map((one) => [one.id, one])
  )
  // One side may be out of use before documents are compared again.
  const isInUse = (side: (typeof items)[number]["sides"][number]): boolean => {
    if (!("docId" in side)) return true
    const document = documents.get(side.docId)
    return document?.deletedAt === null && document.verification !== "deprecated"
  }
  return items
    .filter(({ sides }) => sides.every(isInUse))
    .map(
      ({ attribute, firstSeenAt, id, sides, subject }): WaitingItem => ({
        kind: "contradiction",
        id,
        title: [subject, attribute].filter((word) => word !== "").join(", "),
        mine: sides.some((side) => "docId" in side && documents.get(side.docId)?.verifiedBy === actor),
        at: firstSeenAt,
        data: {
          contradictionId: id,
          sides: sides.map((side) => ({
            docId: "docId" in side ? side.docId : null,
            place: "docId" in side ? side.docPath : `${side.queryTitle}: ${side.about}`,
            value: side.value,
            quote: side.quote,
            standing: side.standing
          }))
        }
      })
    )
})

/** Proposed documents: compiled pages are theirs who asked for them, other changes theirs who verified the document. */
const proposals = Effect.gen(function* () {
  const [caller, at] = [yield* Caller, yield* now]
  const { items } = yield* operations.listProposals.run({ status: "open", ...page })
  const ids = items.flatMap(({ docId }) => docId ?? [])
  const documents = new Map(
    (yield* (yield* DocumentStore).findMany(caller.workspace, ids)).map((one) => [one.id, one])
  )
  return items.map(
    ({ change, createdAt, docId, dropped, id, note, path, proposedBy, sources, title }): WaitingItem => {
      const document = docId === null ? undefined : documents.get(docId)
      const isCompiled = sources.length > 0
      return {
        kind: "proposal",
        id,
        title,
        mine: (isCompiled ? proposedBy : document?.verifiedBy) === caller.actor,
        at: createdAt,
        data: {
          proposalId: id,
          change,
          isCompiled,
          path,
          docId,
          from: document?.path ?? null,
          dropped,
          note,
          proposedBy,
          blocked: document !== undefined && mayOnlyPropose(document, caller, at) ? "reviewer_required" : null
        }
      }
    }
  )
})

const nameIn = (payload: object): string | null =>
  "name" in payload && typeof payload.name === "string" ? payload.name : null

const stewardship = Effect.gen(function* () {
  const { actor } = yield* Caller
  const at = yield* now
  const overdue = yield* operations.listStewardship.run({ view: "overdue", ...page })
  const due = yield* operations.listStewardship.run({ view: "documents_due", ...page })
  return [...overdue.items, ...due.items].map(
    (one): WaitingItem =>
      one.kind === "entity"
        ? {
            kind: "review",
            id: one.id,
            title: one.name,
            mine: one.ownerId === actor || one.stewardIds.includes(actor),
            at: one.nextReviewAt ?? at,
            data: { entityId: one.id, ownerId: one.ownerId, nextReviewAt: one.nextReviewAt }
          }
        : {
            kind: "verification",
            id: one.id,
            title: one.title,
            mine: one.verifiedBy === actor,
            at: one.nextVerifyAt ?? at,
            data: { docId: one.id, path: one.path, nextVerifyAt: one.nextVerifyAt }
          }
  )
})

/** Runs that wait for a decision, and negative feedback on runs. */
const runsAndFeedback = Effect.gen(function* () {
  const since = timestampOf(millisOf(yield* now) - feedbackDays * 86_400_000)
  const suspended = yield* operations.listRuns.run({ status: "suspended", ...page })
  const disliked = yield* operations.listRuns.run({ feedback: "negative", from: since, ...page })
  return [
    ...suspended.items.flatMap(
      ({ createdAt, id, input, pendingApproval }): ReadonlyArray<WaitingItem> =>
        pendingApproval === null
          ? []
          : [
              {
                kind: "approval",
                id: pendingApproval.approvalId,
                title: input,
                mine: false,
                at: createdAt,
                data: {
                  runId: id,
                  approvalId: pendingApproval.approvalId,
                  toolName: pendingApproval.toolName,
                  arguments: pendingApproval.input,
                  expiresAt: pendingApproval.expiresAt
                }
              }
            ]
    ),
    ...disliked.items.flatMap(({ feedback, id, input }) =>
      negative(feedback).map((one) => feedbackItem(one, input, { runId: id, answerId: null }))
    )
  ]
})

const answerFeedback = Effect.gen(function* () {
  const since = timestampOf(millisOf(yield* now) - feedbackDays * 86_400_000)
  const { items } = yield* listAnswers({ mine: false, feedback: "negative" }, page)
  return items.flatMap(({ feedback, id, question }) =>
    negative(feedback)
      .filter(({ createdAt }) => createdAt >= since)
      .map((one) => feedbackItem(one, question, { runId: null, answerId: id }))
  )
})

type Given = Awaited<
  Effect.Effect.Success<ReturnType<typeof listAnswers>>
>["items"][number]["feedback"][number]

const negative = (feedback: ReadonlyArray<Given>): ReadonlyArray<Given> =>
  feedback.filter((one) => sentimentOf(one) === "negative")

const feedbackItem = (
  { createdAt, createdBy, id, kind, value }: Given,
  title: string,
  subject: { readonly answerId: string | null; readonly runId: string | null }
): WaitingItem => ({
  kind: "feedback",
  id,
  title,
  mine: false,
  at: createdAt,
  data: { feedbackId: id, ...subject, feedbackKind: kind, value, saidBy: createdBy, judgments: [] }
})

const syncConflicts = Effect.gen(function* () {
  const { items } = yield* operations.listContentConnectors.run({})
  const details = yield* Effect.forEach(
    items.filter(({ lastSync }) => lastSync !== null),
    ({ id }) => operations.getContentConnector.run({ id, limit: 1 })
  )
  return details.flatMap(({ connector, syncs: [last] }) =>
    (last?.failures ?? [])
      .filter(({ reason }) => reason.startsWith("conflict:"))
      .map(
        ({ externalId, reason }): WaitingItem => ({
          kind: "sync_conflict",
          id: `${connector.id} ${externalId ?? ""}`,
          title: externalId ?? connector.name,
          mine: false,
          at: last?.finishedAt ?? last?.queuedAt ?? connector.updatedAt,
          data: { connectorId: connector.id, connectorName: connector.name, externalId, reason }
        })
      )
  )
})

/** Suggestions from feedback, one item for each topic and document. */
const judgments = Effect.gen(function* () {
  const at = yield* now
  const { items } = yield* operations.proposeQrels.run({ set: feedbackSet })
  const groups = new Map<string, Array<(typeof items)[number]>>()
  for (const one of items) {
    const key = `${one.queryId} ${one.docId ?? ""}`
    groups.set(key, [...(groups.get(key) ?? []), one])
  }
  return [...groups].slice(0, readMax).flatMap(([id, [first, ...others]]): ReadonlyArray<WaitingItem> => {
    if (first === undefined) return []
    const { answers, docId, feedbackId, grade, path, query, why } = first
    return [
      {
        kind: "judgment",
        id,
        title: query,
        mine: false,
        at,
        data: {
          set: feedbackSet,
          feedbackIds: [feedbackId, ...others.map((one) => one.feedbackId)],
          query,
          docId,
          path,
          grade,
          answers,
          why
        }
      }
    ]
  })
})
