import * as Effect from "effect/Effect"
import { Caller, canonicalJson, Ids, Timestamp } from "../kernel/index.js"
import { hashedText } from "./chain.js"
import type { AuditEvent } from "./model.js"
import { AuditLog } from "./store.js"

/** The newest events of a subject that are asked. */
const toldMax = 1000

/**
 * What the trail tells of a subject, oldest first: events that are what their own hashes say alone, so that what is
 * put right by them is nothing that somebody changed since.
 */
export const eventsOf = (subjectId: string) =>
  Effect.gen(function* () {
    const [log, { sha256 }, { workspace }] = [yield* AuditLog, yield* Ids, yield* Caller]
    const events = yield* log.ofSubject(workspace, subjectId, toldMax)
    const isWhole = (event: AuditEvent) =>
      sha256(hashedText({ ...event, details: canonicalJson(event.details) })) === event.hash
    return events.filter(isWhole).reverse()
  })

/** Whether a text is a moment as rows keep it. */
export const isMoment = (text: string): boolean => Timestamp.safeParse(text).success
