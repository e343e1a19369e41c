import * as Effect from "effect/Effect"
import { eventsOf, isMoment, record } from "../audit/index.js"
import { aliasList, EntityInspection } from "../entities/index.js"
import { atomically, Caller, type ChangeRequestId, EntityId, type Examiner, traced } from "../kernel/index.js"
import { Proposal, RequestKind, type RequestStatus } from "./model.js"
import { ChangeRequestStore, type KeptRequest, type StoredRequest } from "./store.js"

/** The kinds of what may be wrong with change requests. */
export const requestFindings = { request_astray: "remark", request_differs: "difference" } as const

type RequestExaminer = Examiner<keyof typeof requestFindings>

const astrayMax = 1000
const requestsPerPage = 200

/**
 * Compares each request with what the trail tells of it: who proposed what about which entity, how it ended and by
 * whom; of what it asked for, with what its approval did. A request whose entity was never there is only remarked: it
 * cannot be approved, and what it says is kept nowhere else, so whoever reads it may reject it.
 */
export const checkRequests = traced("curation.check")(function* (examiner: RequestExaminer) {
  const [store, { workspace }] = [yield* ChangeRequestStore, yield* Caller]
  for (let [after, isEnd] = ["", false]; !isEnd; ) {
    const page: ReadonlyArray<KeptRequest> = yield* store.after(workspace, after, requestsPerPage)
    const suspects = yield* Effect.filter(page, (request) =>
      Effect.map(mendedOf(request), ({ problems }) => problems.length > 0)
    )
    for (const { id } of suspects) yield* settle(examiner, id)
    const last = page.at(-1)?.id
    isEnd = last === undefined || last === after || page.length < requestsPerPage
    after = last ?? after
    yield* Effect.sleep(0)
  }
  for (const id of yield* store.astray(workspace, astrayMax))
    yield* examiner.tell("request_astray", {
      subject: id,
      message: "the change request is about an entity that there never was; it can be rejected"
    })
})

/** Judged as a unit of work, in which nobody decides about it. */
const settle = (examiner: RequestExaminer, id: ChangeRequestId) =>
  atomically(
    Effect.gen(function* () {
      const [store, { workspace }] = [yield* ChangeRequestStore, yield* Caller]
      const request = yield* store.kept(workspace, id)
      if (request === null) return
      const { mended, problems } = yield* mendedOf(request)
      if (problems.length === 0) return
      yield* examiner.tell("request_differs", {
        subject: id,
        message: `the change request says something else than its history: ${problems.join(", ")}`
      })
      if (!examiner.repair) return
      yield* store.putBack(workspace, mended)
      // What it asked for until now may be what somebody wrote, of another request: the trail keeps it.
      const was = problems.includes("payload") && request.payload !== null ? { payload: request.payload } : {}
      yield* record([{ action: "change_request.repair", subjectId: id, details: { problems, ...was } }])
    })
  )

const endings: Readonly<Record<string, RequestStatus>> = {
  "change_request.approve": "approved",
  "change_request.reject": "rejected",
  "change_request.withdraw": "withdrawn"
}

/** The request as its history tells it. What is told nowhere stays as it is. */
export const toldRequest = (request: KeptRequest) =>
  Effect.gen(function* () {
    const told = yield* eventsOf(request.id)
    const born = told.find(({ action }) => action === "change_request.propose")
    const end = told.findLast(({ action }) => action in endings)
    const begun = { ...request, ...(born === undefined ? {} : bornAs(born, request)) }
    const ended = { ...begun, ...(end === undefined ? openIf(begun, born) : endedAs(end, begun)) }
    const isAsked = isPayload(ended) && !(yield* isContradicted(ended))
    const payload = isAsked ? ended.payload : yield* payloadOf(ended)
    const mended: KeptRequest = { ...ended, payload }
    return mended
  })

/** The same, and the names of what is another there. */
const mendedOf = (request: KeptRequest) =>
  Effect.map(toldRequest(request), (mended) => ({
    mended,
    problems: fields.filter((field) => mended[field] !== request[field])
  }))

const fields = [
  "kind",
  "entityId",
  "payload",
  "proposedBy",
  "createdAt",
  "status",
  "reviewNote",
  "reviewedBy",
  "reviewedAt",
  "appliedEntityId"
] as const

type Told = Effect.Effect.Success<ReturnType<typeof eventsOf>>[number]

const bornAs = ({ actor, at, details }: Told, now: KeptRequest) => ({
  proposedBy: actor,
  kind: RequestKind.safeParse(details["kind"]).data ?? now.kind,
  entityId: "entityId" in details ? entityIn(details) : now.entityId,
  createdAt: isMoment(now.createdAt) ? now.createdAt : at
})

const endedAs = ({ action, actor, at, details }: Told, now: KeptRequest) => ({
  status: endings[action] ?? now.status,
  reviewNote: typeof details["note"] === "string" ? details["note"] : null,
  reviewedBy: actor,
  reviewedAt: now.reviewedAt !== null && isMoment(now.reviewedAt) ? now.reviewedAt : at,
  appliedEntityId: endings[action] === "approved" ? entityIn(details) : null
})

/** What was proposed and never decided is open, where the row says what cannot be; else nobody knows which is wrong. */
const openIf = ({ reviewedAt, status }: KeptRequest, born: Told | undefined): Partial<StoredRequest> => {
  const isPossible = status === "open" ? reviewedAt === null : isEnd(status) && reviewedAt !== null
  return isPossible || born === undefined
    ? {}
    : { status: "open", reviewNote: null, reviewedBy: null, reviewedAt: null, appliedEntityId: null }
}

const isEnd = (status: string): boolean => Object.values<string>(endings).includes(status)

const entityIn = (details: Told["details"]) => EntityId.safeParse(details["entityId"]).data ?? null

/** Whether it asks for what a request of its kind can. */
export const isPayload = ({ kind, payload }: KeptRequest): boolean =>
  payload !== null && Proposal.safeParse({ kind, payload }).success

/** What its approval did; undefined where there was none, or nothing was to be done. */
const doneOf = ({ appliedEntityId, id }: KeptRequest) =>
  Effect.gen(function* () {
    const [inspection, { workspace }] = [yield* EntityInspection, yield* Caller]
    if (appliedEntityId === null) return undefined
    return (yield* inspection.keptRevisions(workspace, appliedEntityId)).find(
      ({ activity }) => activity === `change_request:${id}`
    )
  })

/** Whether its approval did something else than it asks for. */
const isContradicted = (request: KeptRequest) =>
  Effect.gen(function* () {
    const asked = Proposal.safeParse({ kind: request.kind, payload: request.payload }).data
    if (request.status !== "approved" || (asked?.kind !== "create" && asked?.kind !== "update")) return false
    const snapshot = (yield* doneOf(request))?.snapshot ?? null
    return snapshot !== null && isAnother(asked, snapshot)
  })

const isAnother = (
  { kind, payload }: Extract<Proposal, { kind: "create" | "update" }>,
  snapshot: Readonly<Record<string, unknown>>
): boolean => {
  const isMade = kind === "create"
  const { aliases = isMade ? [] : undefined, description = isMade ? null : undefined, name, type } = payload
  const called = String(snapshot["name"])
  const shown: unknown = snapshot["aliases"]
  const listed = (some: ReadonlyArray<unknown>) => JSON.stringify(aliasList(some.map(String), called))
  return (
    (name !== undefined && name !== snapshot["name"]) ||
    (type !== undefined && type !== snapshot["type"]) ||
    (description !== undefined && description !== snapshot["description"]) ||
    (aliases !== undefined && Array.isArray(shown) && listed(aliases) !== listed(shown))
  )
}

/** What was asked for, by what its approval did; as it is where that does not tell. */
const payloadOf = (request: KeptRequest) =>
  Effect.gen(function* () {
    const { kind, payload } = request
    if (kind === "delete") return {}
    const done = yield* doneOf(request)
    if (done === undefined) return payload
    const { diff, note, snapshot } = done
    const noted = note === null ? {} : { note }
    const asked: Readonly<Record<StoredRequest["kind"], Readonly<Record<string, unknown>>>> = {
      create: withoutEmpty(snapshot ?? {}),
      update: Object.fromEntries(
        editable.flatMap((field) => (diff?.[field] === undefined ? [] : [[field, diff[field].to]]))
      ),
      deprecate: noted,
      supersede: { supersededBy: diff?.["supersededBy"]?.to, ...noted },
      delete: {}
    }
    const proposal = Proposal.safeParse({ kind, payload: asked[kind] })
    return proposal.success ? proposal.data.payload : payload
  })

const editable = ["name", "type", "aliases", "description"] as const

/** What a create gave its entity: what was left out is what it is without. */
const withoutEmpty = ({ aliases, description, lifecycleStatus, name, type }: Record<string, unknown>) => ({
  name,
  type,
  ...(Array.isArray(aliases) && aliases.length > 0 ? { aliases } : {}),
  ...(typeof description === "string" ? { description } : {}),
  ...(lifecycleStatus === "published" ? {} : { lifecycle: lifecycleStatus })
})
