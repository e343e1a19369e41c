import { canonicalJson, type WorkspaceId } from "../kernel/index.js"
import type { AuditDraft, AuditEvent, ChainHead, StoredEvent } from "./model.js"

/** SHA-256 in lower-case hexadecimal; a string is hashed as UTF-8. */
export type Sha256 = (data: string) => string

/** What the first event of a workspace follows: no other workspace's chain begins like this. */
export const chainStart = (workspace: WorkspaceId, sha256: Sha256): ChainHead => ({
  position: 0,
  hash: sha256(`kanon-audit:${workspace}`)
})

/**
 * The text whose SHA-256 an event bears: the canonical JSON (RFC 8785) of the event without `hash`. The details are
 * taken as they are stored, so that even a blank in them counts; all names and their order are fixed.
 */
export const hashedText = (event: Omit<StoredEvent, "hash" | "position">): string =>
  [
    `{"action":${JSON.stringify(event.action)}`,
    `"activity":${JSON.stringify(event.activity)}`,
    `"actor":${JSON.stringify(event.actor)}`,
    `"at":${JSON.stringify(event.at)}`,
    `"details":${event.details}`,
    `"id":${JSON.stringify(event.id)}`,
    `"prevHash":${JSON.stringify(event.prevHash)}`,
    `"requestId":${JSON.stringify(event.requestId)}`,
    `"subjectId":${JSON.stringify(event.subjectId)}}`
  ].join(",")

/** Links events to the end of a chain, in the order given. */
export const linked = (
  head: ChainHead,
  drafts: ReadonlyArray<AuditDraft>,
  sha256: Sha256
): ReadonlyArray<StoredEvent> => {
  let { hash: prevHash, position } = head
  return drafts.map(({ details, ...draft }) => {
    const event = {
      ...draft,
      // Databases have no place for half a character, and would not give back what was hashed.
      actor: draft.actor.toWellFormed(),
      activity: draft.activity.toWellFormed(),
      subjectId: draft.subjectId.toWellFormed(),
      details: detailsText(details),
      prevHash
    }
    prevHash = sha256(hashedText(event))
    position += 1
    return { ...event, position, hash: prevHash }
  })
}

/** The details as they are stored. */
const detailsText = (details: AuditEvent["details"]): string => {
  const text = canonicalJson(details)
  return loneSurrogate.test(text) ? canonicalJson(wellFormed(JSON.parse(text))) : text
}

/** Only what is half a character is written like this. */
const loneSurrogate = /\\ud[89a-f]/

const wellFormed = (value: unknown): unknown => {
  if (typeof value === "string") return value.toWellFormed()
  if (Array.isArray(value)) return value.map(wellFormed)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name.toWellFormed(), wellFormed(member)])
  )
}

/** An event for those who read it. Details that cannot be read, since somebody changed them, are none. */
export const eventOf = ({ details, position: _place, ...event }: StoredEvent): AuditEvent => ({
  ...event,
  details: readDetails(details)
})

const readDetails = (text: string): AuditEvent["details"] => {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
