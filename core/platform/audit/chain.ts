import * as Predicate from "effect/Predicate"
import { canonicalJson, type WorkspaceId } from "../kernel/index.js"
import type { AuditDraft, AuditEvent, ChainHead, StoredEvent } from "./model.js"

/** Returns the SHA-256 in lower-case hexadecimal; strings are hashed as UTF-8. */
export type Sha256 = (data: string) => string

/** Returns the head of an empty chain; it is unique to the workspace. */
export const chainStart = (workspace: WorkspaceId, sha256: Sha256): ChainHead => ({
  position: 0,
  hash: sha256(`kanon-audit:${workspace}`)
})

/**
 * Returns the text that is hashed for an event: its canonical JSON (RFC 8785) without `hash`. Details are hashed as
 * stored, byte for byte; names and their order are fixed.
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

/** Links new events to the end of a chain, in the given order. */
export const linked = (
  head: ChainHead,
  drafts: ReadonlyArray<AuditDraft>,
  sha256: Sha256
): ReadonlyArray<StoredEvent> => {
  let { hash: prevHash, position } = head
  return drafts.map(({ details, ...draft }) => {
    const event = {
      ...draft,
      // Databases cannot store lone surrogates, so the hashed text must not contain any.
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

/** Returns the details as stored text. */
const detailsText = (details: AuditEvent["details"]): string => {
  const text = canonicalJson(details)
  return loneSurrogate.test(text) ? canonicalJson(wellFormed(JSON.parse(text))) : text
}

/** Matches escaped lone surrogates only. */
const loneSurrogate = /\\ud[89a-f]/

const wellFormed = (value: unknown): unknown => {
  if (typeof value === "string") return value.toWellFormed()
  if (Array.isArray(value)) return value.map(wellFormed)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name.toWellFormed(), wellFormed(member)])
  )
}

/** Returns an event in API form. Unreadable details, which indicate tampering, become empty. */
export const eventOf = ({ details, position: _place, ...event }: StoredEvent): AuditEvent => ({
  ...event,
  details: readDetails(details)
})

const readDetails = (text: string): AuditEvent["details"] => {
  try {
    const value: unknown = JSON.parse(text)
    return Predicate.isRecord(value) ? value : {}
  } catch {
    return {}
  }
}
