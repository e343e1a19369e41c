import { expect } from "vitest"
import { z } from "zod"
import type { Engine } from "../../core/engine/engine/index.js"
import { requestTable } from "../../core/knowledge/curation/index.js"
import {
  type AuthorityTrigger,
  authorityTable,
  type LifecycleTrigger,
  lifecycleTable
} from "../../core/knowledge/entities/index.js"
import { stepOf, terminalOf } from "../../core/platform/kernel/index.js"
import type { RecordOf } from "../../core/upkeep/transfer/index.js"
import { exported, linesOf } from "./transfer.js"

type Revision = RecordOf<"revision">

/**
 * Checks the invariants of all stored entities and change requests. It reads an export, so that it works with any
 * storage.
 */
export const checkRecord = async (engine: Engine): Promise<void> => {
  const lines = linesOf(await exported(engine))
  const all = <Kind extends "entity" | "revision" | "audit" | "request">(kind: Kind) =>
    lines.filter((line): line is RecordOf<Kind> & Record<string, unknown> => line["kind"] === kind)
  const [audit, revisions, requests] = [all("audit"), all("revision"), all("request")]
  for (const entity of all("entity")) {
    const own = revisions.filter(({ entityId }) => entityId === entity.id)
    const events = audit.filter(({ subjectId }) => subjectId === entity.id)
    // One revision and one event for each version, and no other.
    expect(own.map(({ version }) => version)).toEqual(own.map((_, place) => place + 1))
    expect(own).toHaveLength(entity.version)
    expect(events.map(({ action, details }) => [action, details["version"]])).toEqual(
      own.map(({ changeKind, version }) => [`entity.${changeKind}`, version])
    )
    checkDiffs(own)
    checkSteps(own)
    expect(own.at(-1)?.snapshot).toMatchObject({
      name: entity.name,
      type: entity.type,
      authority: entity.authority,
      lifecycleStatus: entity.lifecycle,
      mergedInto: entity.mergedInto,
      mergedIds: entity.mergedIds,
      deletedAt: entity.deletedAt
    })
    for (const { activity } of own) {
      const [, id] = activity.match(/^change_request:(.*)$/) ?? []
      if (id !== undefined)
        expect(requests.find((one) => one.id === id)).toMatchObject({
          status: "approved",
          appliedEntityId: entity.id
        })
    }
  }
  for (const { id, status } of requests) {
    const steps = audit.filter(({ subjectId }) => subjectId === id).map(({ action }) => action)
    const ends = requestTable.steps.filter(({ to }) => to === status).map(({ on }) => `change_request.${on}`)
    expect(steps).toEqual(["change_request.propose", ...ends])
  }
}

/** From nothing, the differences one after the other give every snapshot. */
const checkDiffs = (own: ReadonlyArray<Revision>): void => {
  const built: Record<string, unknown> = {}
  for (const { diff, snapshot } of own) {
    for (const [field, { from, to }] of Object.entries(diff)) {
      expect(built[field] ?? null).toEqual(from)
      built[field] = to
    }
    const { createdAt: _, updatedAt: __, version: ___, ...told } = snapshot
    expect(Object.fromEntries(Object.keys(told).map((field) => [field, built[field] ?? null]))).toEqual(told)
  }
}

const Seen = z.object({
  authority: z.enum(authorityTable.states),
  lifecycleStatus: z.enum(lifecycleTable.states)
})
type Seen = z.infer<typeof Seen>

/** Every state came about by a step of the tables. */
const checkSteps = (own: ReadonlyArray<Revision>): void => {
  let before: Seen | undefined
  for (const { changeKind, snapshot } of own) {
    const now = Seen.parse(snapshot)
    if (before === undefined) {
      expect(authorityTable.initial).toContain(now.authority)
      expect(lifecycleTable.initial).toContain(now.lifecycleStatus)
    } else {
      const [authority, lifecycle] = triggersOf(changeKind, now)
      const after = {
        authority:
          authority === null ? before.authority : stepOf(authorityTable, before.authority, authority)?.to,
        lifecycleStatus:
          lifecycle === null
            ? before.lifecycleStatus
            : stepOf(lifecycleTable, before.lifecycleStatus, lifecycle)?.to
      }
      expect({ authority: now.authority, lifecycleStatus: now.lifecycleStatus }).toEqual(after)
      if (terminalOf(lifecycleTable).includes(before.lifecycleStatus))
        expect(now.lifecycleStatus).toBe(before.lifecycleStatus)
    }
    before = now
  }
}

const triggersOf = (
  kind: Revision["changeKind"],
  now: Seen
): readonly [AuthorityTrigger | null, LifecycleTrigger | null] => {
  switch (kind) {
    case "certify":
    case "review":
      return [kind, null]
    case "set_authority":
      return [now.authority, null]
    case "deprecate":
    case "supersede":
      return [null, kind]
    case "set_lifecycle":
      return [
        null,
        now.lifecycleStatus === "deprecated" || now.lifecycleStatus === "superseded"
          ? null
          : now.lifecycleStatus
      ]
    default:
      return [null, null]
  }
}
