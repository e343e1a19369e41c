import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { describe, expect } from "vitest"
import { type AuditEvent, AuditLog } from "../../core/audit/index.js"
import { type Atomic, atomically, Ids } from "../../core/kernel/index.js"
import type { WorkspaceStore } from "../../core/workspace/index.js"
import { lawsOver } from "./laws.js"
import { lawsAt, makeWorkspace } from "./workspace.js"

const event = (action: string, change: Partial<AuditEvent> = {}) =>
  Effect.map(
    Ids,
    (ids): AuditEvent => ({
      id: ids.make("audit"),
      action,
      actor: "local",
      activity: "ui",
      subjectId: "doc_1",
      at: lawsAt,
      details: {},
      ...change
    })
  )

/** The laws of `AuditLog`. `layer` gives an empty log each time. */
export const auditLogContract = <E>(
  name: string,
  layer: () => Layer.Layer<AuditLog | WorkspaceStore | Atomic | Ids, E>
): void => {
  describe(`AuditLog: ${name}`, () => {
    const law = lawsOver(layer)

    law(
      "gives back what was appended, field by field",
      Effect.gen(function* () {
        const [log, scope] = [yield* AuditLog, yield* makeWorkspace]
        const full = yield* event("document.replace", {
          details: { path: "Größe '東京.md", deep: [1, { none: null }], flag: true }
        })
        yield* log.append(scope, [full])
        expect(yield* log.ofSubject(scope, "doc_1", 10)).toEqual([full])
        yield* log.append(scope, [])
      })
    )

    law(
      "tells the newest of one subject first, in the order appended where times are equal",
      Effect.gen(function* () {
        const [log, scope] = [yield* AuditLog, yield* makeWorkspace]
        yield* log.append(scope, [yield* event("a"), yield* event("b")])
        yield* log.append(scope, [yield* event("other", { subjectId: "doc_2" }), yield* event("c")])
        const actions = (limit: number) =>
          Effect.map(log.ofSubject(scope, "doc_1", limit), (events) => events.map(({ action }) => action))
        expect(yield* actions(10)).toEqual(["c", "b", "a"])
        expect(yield* actions(2)).toEqual(["c", "b"])
      })
    )

    law(
      "keeps nothing of a unit of work that fails",
      Effect.gen(function* () {
        const [log, scope] = [yield* AuditLog, yield* makeWorkspace]
        const append = log.append(scope, [yield* event("a")])
        yield* Effect.flip(atomically(Effect.zipRight(append, Effect.fail("no"))))
        expect(yield* log.ofSubject(scope, "doc_1", 10)).toEqual([])
      })
    )

    law(
      "shows nothing to another workspace",
      Effect.gen(function* () {
        const [log, scope, foreign] = [yield* AuditLog, yield* makeWorkspace, yield* makeWorkspace]
        yield* log.append(scope, [yield* event("a")])
        expect(yield* log.ofSubject(foreign, "doc_1", 10)).toEqual([])
      })
    )
  })
}
