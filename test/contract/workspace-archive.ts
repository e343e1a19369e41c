import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { describe, expect } from "vitest"
import { DocumentStore } from "../../core/files/documents/index.js"
import { EntityStore } from "../../core/knowledge/entities/index.js"

import { GraphStore } from "../../core/knowledge/graph/index.js"
import { chainStart, linked } from "../../core/platform/audit/index.js"
import {
  type Atomic,
  atomically,
  Ids,
  scopeOf,
  type WorkspaceScope
} from "../../core/platform/kernel/index.js"
import { Settings, WorkspaceStore } from "../../core/platform/workspace/index.js"
import { type ArchiveRecord, recordKinds, WorkspaceArchive } from "../../core/upkeep/transfer/index.js"
import { answerAt } from "./answer-store.js"
import { contractTestsFor } from "./contract-tests.js"
import { lawsAt as at, makeWorkspace } from "./workspace.js"
import { runRecords } from "./workspace-archive-runs.js"

/** One record of every kind but `undecided`, of which there are two, for a workspace of these ids. */
const records = Effect.gen(function* () {
  const ids = yield* Ids
  const { cited: _cited, ...answer } = yield* answerAt(at)
  const [id, documentId, entityId, memberId] = [
    ids.make("workspace"),
    ids.make("document"),
    ids.make("entity"),
    ids.make("entity")
  ]
  const relationId = ids.make("relation")
  const content = "---\ntags: [Öl]\n---\n# Crane 🏗\n\nBeside the quay.\n"
  const start = content.indexOf("Beside")
  const entity = (own: typeof entityId, name: string, seq: number, mergedInto: typeof entityId | null) => ({
    kind: "entity" as const,
    id: own,
    seq,
    name,
    type: "thing",
    origin: "manual" as const,
    description: null,
    aliases: ["Big one"],
    extractedAliases: ["crane.md"],
    authority: "asserted" as const,
    lifecycle: "published" as const,
    ownerId: null,
    stewardIds: ["a"],
    version: 1,
    lastReviewedAt: null,
    nextReviewAt: null,
    supersededBy: null,
    editorialNote: "",
    personFields: ["name" as const],
    touched: true,
    claim: { type: "thing", key: name },
    mergedIds: mergedInto === null ? [memberId] : [],
    mergedInto,
    headId: mergedInto ?? own,
    deletedAt: null,
    retired: false,
    createdAt: at,
    updatedAt: at,
    surfaces: [{ key: name, headId: mergedInto ?? own }]
  })
  const version = (number: number, text: string, verification: "certified" | null) => ({
    kind: "version" as const,
    documentId,
    version: number,
    contentHash: ids.sha256(text),
    sizeBytes: Buffer.byteLength(text),
    origin: "vault" as const,
    changedBy: "local",
    activity: "ui",
    createdAt: at,
    verification
  })
  const [event] = linked(
    chainStart(id, ids.sha256),
    [
      {
        id: ids.make("audit"),
        action: "document.create",
        actor: "local",
        activity: "ui",
        subjectId: documentId,
        at,
        details: { path: "crane.md" },
        requestId: "req-1"
      }
    ],
    ids.sha256
  )
  if (event === undefined) throw new RangeError("One draft gives one event.")
  const all: ReadonlyArray<ArchiveRecord> = [
    {
      kind: "workspace",
      id,
      name: "Größe",
      settings: Settings.parse({ reviewIntervalDays: 7 }),
      createdAt: at,
      revision: 6,
      updatedAt: "2026-02-01T00:00:00.000Z",
      positions: { documents: 9, entities: 8, passages: 7 },
      extraction: { documents: 3, entities: 2, relink: true },
      auditHead: { position: 1, hash: event.hash }
    },
    {
      kind: "document",
      id: documentId,
      path: "crane.md",
      title: "Crane 🏗",
      contentHash: ids.sha256(content),
      version: 4,
      seq: 9,
      verification: "verified",
      verifiedBy: "somebody",
      verifiedAt: at,
      nextVerifyAt: null,
      createdAt: at,
      updatedAt: at,
      deletedAt: null,
      content,
      passages: [
        {
          id: ids.derive("chunk", content),
          label: 7,
          headings: ["Crane 🏗"],
          start,
          end: content.length - 1
        }
      ]
    },
    { kind: "text", contentHash: ids.sha256("# Hoist 🏗\n"), content: "# Hoist 🏗\n" },
    version(3, "# Hoist 🏗\n", "certified"),
    version(4, content, null),
    entity(entityId, "Crane", 8, null),
    entity(memberId, "Hoist", 3, entityId),
    {
      kind: "revision",
      entityId,
      version: 1,
      changeKind: "create",
      snapshot: { name: "Crane" },
      diff: { name: { from: null, to: "Crane" } },
      activity: "ui",
      changedBy: "local",
      note: null,
      createdAt: at
    },
    {
      kind: "concept",
      entityId,
      iri: "https://example.org/Öl#🏗",
      schemes: ["urn:b", "urn:a"],
      topOf: [],
      nameLanguage: "",
      described: { kind: "scopeNote", language: "de", text: "Ein Kran.\u2028" },
      texts: [{ kind: "prefLabel", language: "", text: "Crane" }]
    },
    {
      kind: "grouping",
      iri: "https://example.org/Gruppe#🏗",
      of: "collection",
      schemes: ["urn:b"],
      texts: [
        { kind: "notation", language: "", text: "0'7", datatype: "urn:code" },
        { kind: "scopeNote", language: "de", text: "Was hebt.\u2028" }
      ]
    },
    {
      kind: "relation",
      id: relationId,
      srcId: entityId,
      type: "beside",
      dstId: memberId,
      origin: "manual",
      note: "seen",
      srcHead: entityId,
      dstHead: entityId,
      deletedAt: null,
      createdAt: at
    },
    {
      kind: "extraction",
      documentId,
      reading: {
        path: "crane.md",
        title: "Crane",
        aliases: [],
        nameKey: "crane",
        nameType: "document",
        entityId,
        references: [{ type: "about", to: { value: 7 }, start: null, quote: "about: 7" }],
        targets: [null],
        tags: ["Öl"],
        hidden: [0, 4],
        stated: [],
        words: "AQAAAA==",
        small: "",
        stale: true
      },
      claims: [
        { key: "crane", role: "self", type: "document", name: "Crane", subject: "", prose: 0, headings: 0 }
      ],
      mentions: [
        { label: 7, start: 0, end: 6, entityId, key: "crane", confidence: 0.5, runId: ids.make("job") }
      ],
      evidence: [{ relationId, ordinal: 0, label: 7, quote: "Beside" }]
    },
    { kind: "undecided", key: "\uffff" },
    { kind: "undecided", key: "\u{1f3d7}" },
    { kind: "answer", ...answer },
    {
      kind: "conversation",
      conversationId: "c-1",
      askedBy: answer.askedBy,
      title: "Öl 🏗",
      updatedAt: at
    },
    {
      kind: "answer_feedback",
      id: ids.make("feedback"),
      answerId: answer.id,
      about: "rating",
      value: { rating: 2 },
      note: "Öl",
      createdBy: "ann",
      createdAt: at
    },
    {
      kind: "request",
      id: ids.make("changeRequest"),
      status: "approved",
      change: "update",
      entityId,
      payload: { name: "Crane 🏗", aliases: [] },
      note: "why",
      reviewNote: null,
      proposedBy: "ann",
      reviewedBy: "bob",
      appliedEntityId: entityId,
      createdAt: at,
      reviewedAt: at
    },
    {
      kind: "inbox_mark",
      about: "duplicate",
      itemId: `${entityId} ${ids.make("entity")}`,
      state: "rejected",
      assignedTo: null,
      waitedSince: at,
      markedBy: "ann",
      updatedAt: at
    },
    ...(yield* runRecords({ documentId, entityId, chunkId: ids.derive("chunk", content) })),
    { kind: "audit", ...event, details: { path: "crane.md" } }
  ]
  return { all, scope: scopeOf(id), documentId, entityId, relationId }
})

const read = (scope: WorkspaceScope) =>
  Effect.flatMap(WorkspaceArchive, (archive) =>
    Effect.map(Stream.runCollect(archive.read(scope)), (found) => [...found])
  )

const write = (scope: WorkspaceScope, all: ReadonlyArray<ArchiveRecord>) =>
  Effect.flatMap(WorkspaceArchive, (archive) => atomically(archive.write(scope, all)))

/** The laws of `WorkspaceArchive`. `layer` gives an empty store each time. */
export const workspaceArchiveContract = <E>(
  name: string,
  layer: () => Layer.Layer<
    WorkspaceArchive | WorkspaceStore | DocumentStore | EntityStore | GraphStore | Atomic | Ids,
    E
  >
): void => {
  describe(`WorkspaceArchive: ${name}`, () => {
    const law = contractTestsFor(layer)

    law("reads what was written, in the order of kinds and ids", function* () {
      const { all, scope } = yield* records
      yield* write(scope, all)
      expect(yield* (yield* WorkspaceArchive).settle(scope)).toEqual(Option.none())
      expect(yield* read(scope)).toEqual(all)
    })

    law("gives the other stores the same workspace", function* () {
      const { all, documentId, entityId, relationId, scope } = yield* records
      yield* write(scope, all)
      yield* (yield* WorkspaceArchive).settle(scope)
      const [documents, entities] = [yield* DocumentStore, yield* EntityStore]
      const document = Option.getOrThrow(yield* documents.find(scope, documentId))
      expect([document.version, document.seq, document.frontMatter.tags]).toEqual([4, 9, ["Öl"]])
      expect((yield* documents.chunks(scope, documentId)).map(({ text }) => text)).toEqual([
        "Beside the quay."
      ])
      expect((yield* documents.list(scope, { limit: 5, offset: 0 }, { tag: "öl" })).total).toBe(1)
      expect((yield* entities.members(scope, [entityId])).length).toBe(2)
      expect(yield* entities.position(scope)).toBe(8)
      expect(yield* (yield* WorkspaceStore).advance(scope, "chunk_label", 1)).toBe(8)
      const graph = yield* GraphStore
      const relation = Option.getOrThrow(yield* graph.findRelation(scope, relationId))
      expect([relation.evidenceCount, relation.note]).toEqual([1, "seen"])
      // Both ends have one head: the edge would lead from it to itself.
      expect(yield* graph.allEdges(scope)).toEqual([])
      const extraction = (yield* GraphStore).extraction
      expect(yield* extraction.state(scope)).toEqual({ documentCursor: 3, entityCursor: 2, relink: true })
      expect(yield* (yield* GraphStore).records.stale(scope, 5)).toEqual([documentId])
    })

    law("refuses what stands there already, and then keeps nothing of its unit", function* () {
      const { all, scope } = yield* records
      const document = all.filter(({ kind }) => kind === "document")
      const twice = [...all.slice(0, 2), ...document]
      expect((yield* Effect.flip(write(scope, twice)))._tag).toBe("Conflict")
      expect(Option.isNone(yield* (yield* WorkspaceStore).first)).toBe(true)
      yield* write(scope, all)
      expect(yield* read(scope)).toEqual(all)
    })

    law("finds a reference to what is not there", function* () {
      const { all, scope } = yield* records
      const without = (kind: ArchiveRecord["kind"]) => all.filter((record) => record.kind !== kind)
      const archive = yield* WorkspaceArchive
      for (const kind of [
        "document",
        "entity",
        "relation",
        "answer",
        "data_query",
        "agent",
        "run"
      ] as const) {
        // The unit is undone, so that each kind is missed from an empty store.
        const found = yield* Effect.flip(
          atomically(
            Effect.gen(function* () {
              yield* Effect.orDie(archive.write(scope, without(kind)))
              return yield* Effect.fail(yield* archive.settle(scope))
            })
          )
        )
        expect([kind, Option.isSome(found)]).toEqual([kind, true])
      }
    })

    law("shows one moment, however long its reader takes, and keeps no writer waiting", function* () {
      const { all, scope } = yield* records
      yield* write(scope, all)
      const workspaces = yield* WorkspaceStore
      const seen: Array<ArchiveRecord> = []
      yield* Stream.runForEach((yield* WorkspaceArchive).read(scope), (record) =>
        Effect.gen(function* () {
          seen.push(record)
          yield* workspaces.update(
            { id: scope, name: `changed ${seen.length}`, settings: Settings.parse({}) },
            at
          )
          yield* (yield* GraphStore).unresolved.add(scope, [`new ${seen.length}`])
        })
      )
      expect(seen).toEqual(all)
      expect((yield* read(scope)).length).toBe(2 * all.length)
    })

    law("knows nothing of other workspaces", function* () {
      const { all, scope } = yield* records
      yield* write(scope, all)
      const foreign = yield* makeWorkspace
      expect((yield* read(foreign)).map(({ kind }) => kind)).toEqual([recordKinds[0]])
    })
  })
}
