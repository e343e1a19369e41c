import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { describe, expect } from "vitest"
import { DocumentStore, type ProposedDocument } from "../../core/files/documents/index.js"
import { type Atomic, atomically, Ids } from "../../core/platform/kernel/index.js"
import type { WorkspaceStore } from "../../core/platform/workspace/index.js"
import { contractTestsFor } from "./contract-tests.js"
import { makeWorkspace } from "./workspace.js"

const proposed = (path: string, day: string) =>
  Effect.map(
    Ids,
    (ids): ProposedDocument => ({
      id: ids.make("proposal"),
      change: "write",
      topic: "Cranes",
      path,
      title: "Cranes",
      content: "# Cranes\n",
      baseVersion: null,
      docId: null,
      sources: [{ docId: ids.make("document"), version: 3 }],
      dropped: 2,
      status: "open",
      proposedBy: "ann",
      note: null,
      createdAt: `2025-01-0${day}T00:00:00.000Z`,
      reviewedBy: null,
      reviewNote: null,
      reviewedAt: null
    })
  )

const page = { limit: 10, offset: 0 }

/** The laws of `DocumentStore.proposals`. `layer` gives an empty store each time. */
export const proposalStoreLaws = <E>(
  name: string,
  layer: () => Layer.Layer<DocumentStore | WorkspaceStore | Atomic | Ids, E>
): void => {
  describe(`DocumentStore.proposals: ${name}`, () => {
    const law = contractTestsFor(layer)

    law("lists proposals, newest first, by status, path and page", function* () {
      const [store, ids, scope, foreign] = [
        (yield* DocumentStore).proposals,
        yield* Ids,
        yield* makeWorkspace,
        yield* makeWorkspace
      ]
      const [early, late] = [yield* proposed("topics/Cranes.md", "1"), yield* proposed("topics/b.md", "2")]
      const docId = ids.make("document")
      yield* atomically(store.add(scope, [early, { ...late, docId, baseVersion: 4 }]))
      expect((yield* store.list(scope, {}, page)).items.map(({ id }) => id)).toEqual([late.id, early.id])
      expect((yield* store.list(scope, { path: "topics/cranes.md" }, page)).items).toEqual([early])
      expect((yield* store.list(scope, { docId }, page)).items).toMatchObject([{ baseVersion: 4 }])
      expect((yield* store.list(scope, { statuses: ["stale"] }, page)).total).toBe(0)
      expect(Option.getOrNull(yield* store.find(scope, early.id))).toEqual(early)
      expect(Option.isNone(yield* store.find(foreign, early.id))).toBe(true)
      expect((yield* store.list(foreign, {}, page)).total).toBe(0)
    })

    law("stores a decision once", function* () {
      const [store, scope] = [(yield* DocumentStore).proposals, yield* makeWorkspace]
      const before = yield* proposed("topics/a.md", "1")
      yield* atomically(store.add(scope, [before]))
      const decision = { reviewedBy: "ben", reviewNote: "Good.", reviewedAt: "2025-01-03T00:00:00.000Z" }
      const after = { ...before, ...decision, status: "rejected" } as const
      expect(yield* atomically(store.decide(scope, before, after))).toBe(true)
      expect(yield* atomically(store.decide(scope, before, { ...after, status: "approved" }))).toBe(false)
      expect(Option.getOrNull(yield* store.find(scope, before.id))).toEqual(after)
    })
  })
}
