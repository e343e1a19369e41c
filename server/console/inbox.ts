import * as Effect from "effect/Effect"
import { z } from "zod"
import { EntityStore, mayReview } from "../../core/knowledge/entities/index.js"
import { operations } from "../../core/operations.js"
import {
  Caller,
  type CallerShape,
  millisOf,
  now,
  operation,
  pageLimit,
  pageOffset,
  type Scope,
  scopes,
  Timestamp,
  timestampOf
} from "../../core/platform/kernel/index.js"
import { listAnswers } from "../../core/upkeep/overview/index.js"
import { sentimentOf } from "../../core/work/agent-runs/index.js"
import { row } from "../catalog/row.js"
import type { DuplicatePairs } from "./duplicate-pairs.js"
import { duplicatePairs } from "./duplicate-pairs.js"
import type { InboxItem, InboxKind } from "./model.js"

const kinds = [
  "change_request",
  "review",
  "verification",
  "duplicate",
  "approval",
  "sync_conflict",
  "feedback",
  "judgment"
] as const satisfies ReadonlyArray<InboxKind>

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
  at: Timestamp
})

const Counts = z.record(z.enum([...kinds, "mine", "total"]), z.int())

/** Lists everything that waits for a person, over all rooms. */
export const inboxRow = () => {
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
        const all = yield* waiting(pairs)
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
  return row(inbox, "GET", "/console/inbox")
}

const waiting = Effect.fnUntraced(function* (pairs: DuplicatePairs) {
  const caller = yield* Caller
  const items: Array<InboxItem> = []
  if (holds(caller, "kb:read")) {
    items.push(...(yield* changeRequests), ...(yield* stewardship))
    items.push(...(yield* pairs.items))
  }
  if (holds(caller, "runs:read")) items.push(...(yield* runsAndFeedback))
  if (holds(caller, "kb:read", "runs:read")) items.push(...(yield* answerFeedback))
  if (holds(caller, "data:read")) items.push(...(yield* syncConflicts))
  if (holds(caller, "kb:write")) items.push(...(yield* judgments))
  return items
})

const changeRequests = Effect.gen(function* () {
  const caller = yield* Caller
  const { requests } = yield* operations.listChangeRequests.run({ status: "open", ...page })
  const ids = requests.flatMap(({ entityId }) => entityId ?? [])
  const entities = new Map(
    (yield* (yield* EntityStore).findMany(caller.workspace, ids)).map((one) => [one.id, one])
  )
  return requests.map((request): InboxItem => {
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

const nameIn = (payload: object): string | null =>
  "name" in payload && typeof payload.name === "string" ? payload.name : null

const stewardship = Effect.gen(function* () {
  const { actor } = yield* Caller
  const at = yield* now
  const overdue = yield* operations.listStewardship.run({ view: "overdue", ...page })
  const due = yield* operations.listStewardship.run({ view: "documents_due", ...page })
  return [...overdue.items, ...due.items].map(
    (one): InboxItem =>
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
      ({ createdAt, id, input, pendingApproval }): ReadonlyArray<InboxItem> =>
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
): InboxItem => ({
  kind: "feedback",
  id,
  title,
  mine: false,
  at: createdAt,
  data: { feedbackId: id, ...subject, feedbackKind: kind, value, saidBy: createdBy }
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
        ({ externalId, reason }): InboxItem => ({
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
  return [...groups].slice(0, readMax).flatMap(([id, [first, ...others]]): ReadonlyArray<InboxItem> => {
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
