import * as Effect from "effect/Effect"
import { AuditLog, eventsOf, record } from "../audit/index.js"
import { atomically, Caller, ChangeRequestId, type Examiner, traced } from "../kernel/index.js"
import { isPayload, toldRequest } from "./check.js"
import { RequestKind } from "./model.js"
import { ChangeRequestStore, type KeptRequest } from "./store.js"

/** The kinds of what may be wrong with requests that are not there. */
export const lostRequestFindings = { request_lost: "difference" } as const

type LostExaminer = Examiner<keyof typeof lostRequestFindings>

const eventsPerPage = 200
const [proposed, forgotten] = ["change_request.propose", "change_request.forget"]

/**
 * Looks for change requests that the trail tells of and that are not there. One of which the rest tells what it asked
 * for is made again, without its proposer's note, which is kept nowhere else; any other is forgotten, and the trail
 * says so.
 */
export const checkLostRequests = traced("curation.checkLost")(function* (examiner: LostExaminer) {
  const [log, store, { workspace }] = [yield* AuditLog, yield* ChangeRequestStore, yield* Caller]
  for (let after = 0, isEnd = false; !isEnd; ) {
    const events = yield* log.list(workspace, {
      action: proposed,
      order: "oldest_first",
      limit: eventsPerPage,
      after
    })
    for (const { subjectId } of events) {
      const id = ChangeRequestId.safeParse(subjectId).data
      if (id !== undefined && (yield* store.kept(workspace, id)) === null) yield* settle(examiner, id)
    }
    isEnd = events.length < eventsPerPage
    after = events.at(-1)?.position ?? after
    yield* Effect.sleep(0)
  }
})

/** Judged as a unit of work, in which nobody proposes. */
const settle = (examiner: LostExaminer, id: ChangeRequestId) =>
  atomically(
    Effect.gen(function* () {
      const [store, { workspace }] = [yield* ChangeRequestStore, yield* Caller]
      const told = yield* eventsOf(id)
      const born = told.find(({ action }) => action === proposed)
      const kind = RequestKind.safeParse(born?.details["kind"]).data
      if (born === undefined || kind === undefined || told.some(({ action }) => action === forgotten)) return
      if ((yield* store.kept(workspace, id)) !== null) return
      const { payload, ...request } = yield* toldRequest(blank(id, kind, born.at))
      const isKnown = isPayload({ ...request, payload })
      yield* examiner.tell("request_lost", {
        subject: id,
        message: isKnown
          ? "the trail tells of a change request that is not there; it is made again of what else tells of it"
          : "the trail tells of a change request that is not there, and what it asked for is kept nowhere else; it is forgotten"
      })
      if (!examiner.repair) return
      if (isKnown && payload !== null) yield* store.add(workspace, [{ ...request, payload }])
      const action = isKnown ? "change_request.repair" : forgotten
      yield* record([{ action, subjectId: id, details: isKnown ? { problems: ["lost"] } : { kind } }])
    })
  )

/** Of a request that nobody knows anything of but that it was made. */
const blank = (id: ChangeRequestId, kind: KeptRequest["kind"], at: string): KeptRequest => ({
  id,
  kind,
  status: "open",
  entityId: null,
  payload: null,
  note: null,
  reviewNote: null,
  proposedBy: "",
  reviewedBy: null,
  appliedEntityId: null,
  createdAt: at,
  reviewedAt: null
})
