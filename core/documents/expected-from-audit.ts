import type { AuditEvent } from "../audit/index.js"
import { isMoment } from "../audit/index.js"
import { millisOf } from "../kernel/index.js"
import { type Document, type KeptVersion, Verification, VersionOrigin } from "./model.js"
import { isVouchedFor } from "./states.js"

type Told = ReadonlyArray<AuditEvent>

const fields = [
  "version",
  "verification",
  "verifiedBy",
  "verifiedAt",
  "nextVerifyAt",
  "createdAt",
  "updatedAt",
  "deletedAt"
] as const

type Standing = Pick<Document, (typeof fields)[number]>

/** Changes of a document's row that are no change of what it says. */
const quiet: ReadonlySet<string> = new Set(["document.verify", "document.repair", "document.overdue"])

/**
 * What of a document's worth and of its moments is not what the trail tells, as it should be; empty where nothing is.
 * Moments are taken from the trail only where the row holds none: an event is written a little later than what it tells.
 */
export const wrongStanding = (document: Document, told: Told): Partial<Standing> => {
  const worth = worthIn(told)
  const { createdAt, deletedAt, updatedAt, verification, verifiedAt } = document
  const said = worth ?? {
    verification,
    by: document.verifiedBy,
    at: null,
    nextVerifyAt: document.nextVerifyAt
  }
  const isSaid = Verification.safeParse(said.verification).success && isVouchedFor(said.verification)
  const wanted: Standing = {
    version: versionOf(document, told),
    verification: said.verification,
    verifiedBy: isSaid ? said.by : null,
    verifiedAt: isSaid ? momentOr(verifiedAt, said.at) : null,
    nextVerifyAt: isSaid ? said.nextVerifyAt : null,
    createdAt: momentOr(createdAt, told[0]?.at ?? null) ?? createdAt,
    updatedAt:
      momentOr(updatedAt, told.findLast(({ action }) => !quiet.has(action))?.at ?? null) ?? updatedAt,
    deletedAt:
      deletedAt === null
        ? null
        : momentOr(deletedAt, told.findLast(({ action }) => action === "document.delete")?.at ?? null)
  }
  return Object.fromEntries(
    fields.flatMap((field) => (document[field] === wanted[field] ? [] : [[field, wanted[field]]]))
  )
}

/**
 * At which version a document stands: each begins with an event, so it is the last that the trail tells of. Where that
 * tells of none, it is what the row says.
 */
export const versionOf = ({ version }: Pick<Document, "version">, told: Told): number => {
  const numbers = told.flatMap(({ action, details }) =>
    typeof details["version"] === "number" && !quiet.has(action) ? [details["version"]] : []
  )
  return numbers.length > 0 ? Math.max(...numbers) : Math.max(version, 1)
}

const momentOr = (text: string | null, told: string | null): string | null =>
  text !== null && isMoment(text) ? text : (told ?? text)

/** What was last said of a document's worth; null where nothing ever was. */
const worthIn = (told: Told) => {
  const last = told.findLast(({ details }) => verificationIn(details) !== undefined)
  const verification = last === undefined ? undefined : verificationIn(last.details)
  if (last === undefined || verification === undefined) return null
  const next = last.details["nextVerifyAt"]
  return { verification, by: last.actor, at: last.at, nextVerifyAt: typeof next === "string" ? next : null }
}

const verificationIn = (details: AuditEvent["details"]): Verification | undefined => {
  const moved = details["verification"]
  return typeof moved === "object" && moved !== null && "to" in moved
    ? Verification.safeParse(moved.to).data
    : undefined
}

/** Whether a version says what cannot be. */
export const isPossible = ({ createdAt, origin, verification }: KeptVersion): boolean =>
  isMoment(createdAt) &&
  VersionOrigin.safeParse(origin).success &&
  (verification === null || Verification.safeParse(verification).success)

/** An event is written so much later than the version that it tells of, at most. */
export const toldWithinMs = 60_000

/** Which version a row is that has a number which none can have: the one that was made by the same, next to that time. */
export const numberOf = (
  { changedBy, createdAt }: KeptVersion,
  told: Told,
  isFree: (version: number) => boolean
): number | null => {
  if (!isMoment(createdAt)) return null
  const begun = millisOf(createdAt)
  const found = told.flatMap(({ action, actor, at, details: { version } }) => {
    const lateMs = millisOf(at) - begun
    const isIts = actor === changedBy && lateMs >= 0 && lateMs <= toldWithinMs && !quiet.has(action)
    return isIts && typeof version === "number" && isFree(version) ? [{ version, lateMs }] : []
  })
  return found.sort((a, b) => a.lateMs - b.lateMs)[0]?.version ?? null
}

/** The version with what the trail tells of it in place of what cannot be. */
export const possibleVersion = (one: KeptVersion, told: Told): KeptVersion => {
  const begun = told.findIndex(({ details }) => details["version"] === one.version)
  const event = told[begun]
  const over = told.findIndex(
    ({ details }) => typeof details["version"] === "number" && details["version"] > one.version
  )
  const meanwhile = over < 0 ? told : told.slice(0, over)
  const isWorth = one.verification === null || Verification.safeParse(one.verification).success
  return {
    ...one,
    createdAt: momentOr(one.createdAt, event?.at ?? null) ?? one.createdAt,
    origin: VersionOrigin.safeParse(one.origin).data ?? originOf(event),
    verification: isWorth ? one.verification : (worthIn(meanwhile)?.verification ?? "unverified")
  }
}

const originOf = (event: AuditEvent | undefined): KeptVersion["origin"] => {
  if (event === undefined || event.details["by"] === "sync" || event.action === "document.restore")
    return "vault"
  return event.action === "document.move" || event.action === "document.relink" ? "move" : "upload"
}
