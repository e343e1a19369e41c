import * as Effect from "effect/Effect"
import { z } from "zod"
import { type AuditEvent, AuditLog, eventsOf, record } from "../audit/index.js"
import {
  atomically,
  Caller,
  type Examiner,
  Ids,
  KeyId,
  now,
  scopeOf,
  Timestamp,
  traced,
  UserId,
  WorkspaceId
} from "../kernel/index.js"
import { WorkspaceStore } from "../workspace/index.js"
import { keyState } from "./admission.js"
import { mendMoments } from "./check-moments.js"
import { type ApiKey, fingerprintOf, KeyScope, keyKinds, type Member, memberRoles } from "./model.js"
import { type HeldKey, IdentityStore } from "./store.js"

/** The kinds of what may be wrong with those who reach a workspace. */
export const holderFindings = { key_differs: "difference", member_differs: "difference" } as const

type HolderExaminer = Examiner<keyof typeof holderFindings>

const membersPerPage = 200

/**
 * Compares keys and members with what the trail tells of them: what a key was made with and how it ended, who was
 * given which role. A repair puts back what the trail tells, so long as the trail itself is whole; it gives nobody a
 * secret, and takes no key away.
 *
 * @param trailHolds Whether the chain of the trail is whole; by a broken one nobody is given anything.
 */
export const checkHolders = traced("identity.check")(function* (
  examiner: HolderExaminer,
  { trailHolds }: { readonly trailHolds: boolean }
) {
  const [store, { workspace }] = [yield* IdentityStore, yield* Caller]
  const one = { ...examiner, repair: examiner.repair && trailHolds }
  if (one.repair) yield* mendMoments
  for (const held of yield* store.held(workspace))
    if ((yield* keyProblems(held)).problems.length > 0) yield* settleKey(one, held.key.id)
  for (let offset = 0; ; offset += membersPerPage) {
    const { items, total } = yield* store.members(workspace, { limit: membersPerPage, offset })
    for (const member of items)
      if ((yield* roleOf(member)).problem !== null) yield* settleMember(one, member.user.id)
    if (offset + membersPerPage >= total) return
  }
})

/** Judged as a unit of work, in which nobody changes it. */
const settleKey = (examiner: HolderExaminer, id: KeyId) =>
  atomically(
    Effect.gen(function* () {
      const [store, { workspace }] = [yield* IdentityStore, yield* Caller]
      const held = (yield* store.held(workspace)).find(({ key }) => key.id === id)
      if (held === undefined) return
      const { mended, problems } = yield* keyProblems(held)
      if (problems.length === 0) return
      const lasting = problems.filter((problem) => problem in kept)
      const what = problems.filter((problem) => !(problem in kept))
      yield* examiner.tell("key_differs", {
        subject: `key ${id}`,
        message: [
          ...(what.length === 0 ? [] : [`the key says something else than the trail: ${what.join(", ")}`]),
          ...lasting.map((problem) => kept[problem] ?? "")
        ].join("; ")
      })
      if (!examiner.repair || what.length === 0) return
      yield* store.putBackKey(mended)
      yield* record([{ action: "key.repair", subjectId: id, details: { problems: what } }])
    })
  )

/** What the trail can tell and not give back. */
const kept: Readonly<Record<string, string>> = {
  secret: "it opens to another secret than it was made with: revoke it and make another",
  made: "no event of the trail tells that it was made: revoke it, unless somebody knows it"
}

/** What the trail says that a key was made with; what it does not say, or not so that it can be read, is not compared. */
const Made = z.object({
  name: z.string().optional().catch(undefined),
  kind: z.enum(keyKinds).optional().catch(undefined),
  scopes: z.array(KeyScope).optional().catch(undefined),
  grant: z
    .union([z.literal("all"), z.array(WorkspaceId)])
    .optional()
    .catch(undefined),
  userId: UserId.optional().catch(undefined),
  expiresAt: Timestamp.nullable().optional().catch(undefined),
  fingerprint: z.string().optional().catch(undefined)
})

const Replaced = z.object({
  replacedBy: KeyId.optional().catch(undefined),
  expiresAt: Timestamp.optional().catch(undefined)
})

/** The key as the trail tells it, and the names of what is another there. */
const keyProblems = ({ hash, key }: HeldKey) =>
  Effect.gen(function* () {
    const { sha256 } = yield* Ids
    const told = yield* eventsOf(key.id)
    const born = told.find(({ action }) => action === "key.mint")
    if (born === undefined) return { mended: key, problems: yield* unmade(key) }
    const { expiresAt, fingerprint, grant, kind, name, scopes, userId } = Made.parse(born.details)
    const rotated = told.find(({ action }) => action === "key.rotate")
    const end = rotated === undefined ? { expiresAt } : Replaced.parse(rotated.details)
    const revoked = told.findLast(({ action }) => action === "key.revoke")
    const mended: ApiKey = {
      ...key,
      name: name ?? key.name,
      kind: kind ?? key.kind,
      scopes: sameList(scopes, key.scopes) ? key.scopes : (scopes ?? key.scopes),
      grant: grantAs(key, grant),
      userId: userId ?? key.userId,
      expiresAt: end.expiresAt === undefined ? key.expiresAt : end.expiresAt,
      replacedBy: "replacedBy" in end ? (end.replacedBy ?? key.replacedBy) : key.replacedBy,
      revokedAt: revoked === undefined ? key.revokedAt : (key.revokedAt ?? revokedIn(revoked))
    }
    const problems: ReadonlyArray<string> = compared.filter((field) => mended[field] !== key[field])
    const isOther = fingerprint !== undefined && fingerprint !== fingerprintOf(sha256, hash)
    return { mended, problems: isOther ? [...problems, "secret"] : problems }
  })

const Revoked = z.object({ revokedAt: Timestamp })

/** Earlier versions did not tell when: the event is milliseconds later. */
const revokedIn = ({ at, details }: AuditEvent): string => Revoked.safeParse(details).data?.revokedAt ?? at

const compared = [
  "name",
  "kind",
  "scopes",
  "grant",
  "userId",
  "expiresAt",
  "replacedBy",
  "revokedAt"
] as const satisfies ReadonlyArray<keyof ApiKey>

/** Whether a key that may still be used was made by nobody. */
const unmade = (key: ApiKey) =>
  Effect.gen(function* () {
    const [log, workspaces, { workspace }] = [yield* AuditLog, yield* WorkspaceStore, yield* Caller]
    if (keyState(key, yield* now) !== "active") return []
    // A host makes keys from wherever it stands. An event of one that is damaged is told as that.
    const others = (yield* workspaces.readable).map(({ id }) => scopeOf(id))
    for (const scope of [workspace, ...others])
      if ((yield* log.ofSubject(scope, key.id, 1)).length > 0) return []
    return ["made"]
  })

/** Of how far a key reaches, only whether it is all: each workspace has its own say of itself. */
const grantAs = ({ grant }: ApiKey, made: ApiKey["grant"] | undefined): ApiKey["grant"] =>
  made === undefined || (made === "all") === (grant === "all") ? grant : made

const sameList = (a: ReadonlyArray<string> | undefined, b: ReadonlyArray<string>): boolean =>
  a !== undefined && a.length === b.length && a.every((one) => b.includes(one))

const settleMember = (examiner: HolderExaminer, id: UserId) =>
  atomically(
    Effect.gen(function* () {
      const [store, { workspace }] = [yield* IdentityStore, yield* Caller]
      const member = yield* store.member(workspace, id)
      if (member === null) return
      const { problem, role } = yield* roleOf(member)
      if (problem === null) return
      yield* examiner.tell("member_differs", { subject: `member ${id}`, message: problem })
      if (!examiner.repair || role === undefined) return
      yield* role === null
        ? store.removeMember(workspace, id)
        : store.putMember(workspace, id, role, member.since)
      yield* record([{ action: "member.repair", subjectId: id, details: { role } }])
    })
  )

const Given = z.object({ role: z.enum(memberRoles) })

/** The role that the trail tells of, null for one who left, undefined where it does not tell; and what is wrong. */
const roleOf = ({ role, user }: Member) =>
  Effect.gen(function* () {
    const [log, { workspace }] = [yield* AuditLog, yield* Caller]
    const told = yield* eventsOf(user.id)
    const last = told.findLast(({ action }) => action === "member.add" || action === "member.remove")
    if (last === undefined) {
      const isTold = (yield* log.ofSubject(workspace, user.id, toldMax)).some(({ action }) =>
        action.startsWith("member.")
      )
      return { role: undefined, problem: isTold ? null : unadded }
    }
    if (last.action === "member.remove") return { role: null, problem: "the trail says that they left" }
    const given = Given.safeParse(last.details).data?.role
    return given === undefined || given === role
      ? { role: given, problem: null }
      : { role: given, problem: `the trail gave them another role: ${given}, not ${role}` }
  })

const toldMax = 100
const unadded =
  "no event of the trail tells that they were made a member: remove them, unless somebody knows them"
