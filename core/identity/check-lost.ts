import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { z } from "zod"
import { AuditLog, eventOf, record } from "../audit/index.js"
import { atomically, Caller, type Examiner, KeyId, traced, UserId, WorkspaceId } from "../kernel/index.js"
import { WorkspaceStore } from "../workspace/index.js"
import { memberRoles } from "./model.js"
import { IdentityStore } from "./store.js"

/** The kinds of what may be wrong with keys and members that are not there. */
export const lostHolderFindings = { key_lost: "difference", member_lost: "difference" } as const

type LostExaminer = Examiner<keyof typeof lostHolderFindings>

const eventsPerPage = 200

/**
 * Looks for keys and members that the trail tells of and that are not there. Only events of this installation count:
 * an export carries the trail, and neither keys nor members. Nothing else says that something is missing, so the
 * trail is to be whole.
 */
export const checkLostHolders = traced("identity.checkLost")(function* (examiner: LostExaminer) {
  const [workspaces, { workspace }] = [yield* WorkspaceStore, yield* Caller]
  const from = yield* workspaces.trailFrom(workspace)
  yield* eachOf("key.mint", from, KeyId, (id) => settleKey(examiner, id, from))
  yield* eachOf("member.add", from, UserId, (id) => settleMember(examiner, id, from))
})

/** Visits what events of an action are about, once each. */
const eachOf = <Id extends string, R>(
  action: string,
  from: number,
  schema: z.ZodType<Id>,
  visit: (id: Id) => Effect.Effect<void, never, R>
) =>
  Effect.gen(function* () {
    const [log, { workspace }] = [yield* AuditLog, yield* Caller]
    const seen = new Set<Id>()
    for (let [after, isEnd] = [from, false]; !isEnd; ) {
      const events = yield* log.list(workspace, {
        action,
        order: "oldest_first",
        limit: eventsPerPage,
        after
      })
      for (const { subjectId } of events) {
        const id = schema.safeParse(subjectId).data
        if (id === undefined || seen.has(id)) continue
        seen.add(id)
        yield* visit(id)
      }
      isEnd = events.length < eventsPerPage
      after = events.at(-1)?.position ?? after
      yield* Effect.sleep(0)
    }
  })

const Made = z.object({ grant: z.array(WorkspaceId) })

/** What is wrong with a key that the trail tells of; null where nothing is. */
const lostOf = (id: KeyId, from: number) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [yield* IdentityStore, yield* Caller]
    const found = Option.getOrNull(yield* store.keyRemains(id))
    const told = yield* toldSince(id, from)
    const born = told.find(({ action }) => action === "key.mint")
    if (born === undefined || told.some(({ action }) => action === "key.forget")) return null
    if (found === null) return "row"
    const { grant } = found.key
    if (grant === "all" || grant.includes(workspace)) return null
    return Made.safeParse(born.details).data?.grant.includes(workspace) === true ? "grant" : null
  })

const settleKey = (examiner: LostExaminer, id: KeyId, from: number) =>
  settle(lostOf(id, from), (lost) =>
    Effect.gen(function* () {
      const [store, { workspace }] = [yield* IdentityStore, yield* Caller]
      yield* examiner.tell("key_lost", { subject: `key ${id}`, message: keyMessages[lost] })
      if (!examiner.repair) return
      yield* lost === "grant" ? store.putBackGrant(workspace, id) : store.dropGrants(id)
      yield* record([
        lost === "grant"
          ? { action: "key.repair", subjectId: id, details: { problems: ["grant"] } }
          : { action: "key.forget", subjectId: id }
      ])
    })
  )

/** Looks twice, the second time in a unit of work, in which nobody makes or ends a key, joins or leaves. */
const settle = <Lost, R, S>(
  look: Effect.Effect<Lost | null, never, R>,
  mend: (lost: Lost) => Effect.Effect<void, never, S>
) =>
  Effect.gen(function* () {
    if ((yield* look) === null) return
    yield* atomically(Effect.flatMap(look, (lost) => (lost === null ? Effect.void : mend(lost))))
  })

const keyMessages = {
  row: "the trail tells of a key that is not there, and what it opened to is kept nowhere else: make another where one is needed; a repair notes that it is gone",
  grant: "the trail tells that the key was made for this workspace, and it does not reach it any more"
} as const

const endings = ["member.add", "member.remove", "member.forget"]
const Given = z.object({ role: z.enum(memberRoles) })

/** The role of somebody whom the trail made a member, who never left and is none, and since when; null for any other. */
const missing = (id: UserId, from: number) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [yield* IdentityStore, yield* Caller]
    if (yield* store.isMember(workspace, id)) return null
    const told = (yield* toldSince(id, from)).filter(({ action }) => endings.includes(action))
    const last = told.at(-1)
    if (last?.action !== "member.add") return null
    const begun = told.findLastIndex(({ action }) => action !== "member.add") + 1
    const role = Given.safeParse(last.details).data?.role
    // Of a person who is gone too, nobody knows the name.
    const isKnown = role !== undefined && Option.isSome(yield* store.user(id))
    return { role: isKnown ? role : null, since: told[begun]?.at ?? last.at }
  })

const settleMember = (examiner: LostExaminer, id: UserId, from: number) =>
  settle(missing(id, from), ({ role, since }) =>
    Effect.gen(function* () {
      const [store, { workspace }] = [yield* IdentityStore, yield* Caller]
      yield* examiner.tell("member_lost", {
        subject: `member ${id}`,
        message:
          role === null
            ? "the trail tells of a member who is not there, nor is the user; a repair notes that they are gone"
            : `the trail made them a member (${role}), they never left, and they are none`
      })
      if (!examiner.repair) return
      if (role !== null) yield* store.putMember(workspace, id, role, since)
      yield* record([
        role === null
          ? { action: "member.forget", subjectId: id }
          : { action: "member.repair", subjectId: id, details: { role } }
      ])
    })
  )

/** The newest events of a subject that are asked. */
const toldMax = 1000

/** What the trail tells of a subject behind a place of it, oldest first. */
const toldSince = (subjectId: string, from: number) =>
  Effect.gen(function* () {
    const [log, { workspace }] = [yield* AuditLog, yield* Caller]
    const newest = yield* log.list(workspace, { subjectId, order: "newest_first", limit: toldMax })
    return newest
      .filter(({ position }) => position > from)
      .map(eventOf)
      .reverse()
  })
