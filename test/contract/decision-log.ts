import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { describe, expect } from "vitest"
import { type PolicyDecision, PolicyStore, redactDecision } from "../../core/answers/policy/index.js"
import { type Atomic, atomically, type DocumentId, Ids } from "../../core/platform/kernel/index.js"
import type { WorkspaceStore } from "../../core/platform/workspace/index.js"
import { contractTestsFor } from "./contract-tests.js"
import { lawsAt, makeWorkspace } from "./workspace.js"

/** A decision; `more` says what is else about it. */
export const decisionAt = (
  decidedAt: string,
  more: Partial<PolicyDecision> = {},
  documents: ReadonlyArray<DocumentId> = []
) =>
  Effect.map(
    Ids,
    ({ make }): PolicyDecision => ({
      id: make("decision"),
      answerId: make("answer"),
      question: "Wie lange? 'é 東京 🎉",
      questionHash: "ab".repeat(32),
      mode: "shadow",
      gate: "post",
      verdict: "answer_with_caveats",
      applied: false,
      confidence: 0.25,
      threshold: 0.5,
      certified: false,
      calibrationVersion: "laws",
      reasons: ["threshold_uncertified"],
      caveats: [{ code: "low_confidence", message: "Low.", sourceIds: ["S1"] }],
      conflicts: [],
      features: {
        format: "features-1",
        values: { evidenceCoverage: 0.5, verifiedShare: null },
        evidence: {
          sources: 1,
          dataRows: 0,
          hasSubject: true,
          ambiguous: [],
          unknownTerms: [],
          coverage: 0.5,
          bestCosine: null
        },
        answer: null,
        prior: null,
        confidence: null,
        limits: {
          calibrationVersion: "laws",
          certified: false,
          reasons: ["threshold_uncertified"],
          confidence: 0.5,
          coverage: 0.25,
          cosine: null,
          prior: null
        }
      },
      entityIds: [],
      sources: documents.map((docId, place) => ({
        sourceId: `S${place + 1}`,
        docId,
        chunkId: make("chunk"),
        cited: true
      })),
      groundedness: { verified: 1, total: 2 },
      models: { chat: "laws", judge: "laws" },
      cache: "off",
      usage: { inputTokens: 1, outputTokens: 2, costUsd: "0.1" },
      durationMs: 12.5,
      trace: { question: { language: "de" }, stages: [] },
      askedBy: "key_1",
      activity: "api",
      requestId: "req",
      decidedAt,
      ...more
    })
  )

/** The laws of `PolicyStore.decisions`. `layer` gives an empty store each time. */
export const decisionLogLaws = <E>(
  name: string,
  layer: () => Layer.Layer<PolicyStore | WorkspaceStore | Atomic | Ids, E>
): void => {
  describe(`PolicyStore.decisions: ${name}`, () => {
    const law = contractTestsFor(layer)

    law("gives back a decision, field by field, and nothing of a unit of work that fails", function* () {
      const [log, scope, ids] = [(yield* PolicyStore).decisions, yield* makeWorkspace, yield* Ids]
      const given = yield* decisionAt(lawsAt, {}, [ids.make("document")])
      yield* log.add(scope, [given])
      expect(yield* log.find(scope, given.id)).toEqual(Option.some(given))
      const lost = yield* decisionAt(lawsAt)
      yield* Effect.flip(atomically(Effect.zipRight(log.add(scope, [lost]), Effect.fail("no"))))
      expect(yield* log.find(scope, lost.id)).toEqual(Option.none())
      yield* log.add(scope, [])
    })

    law("lists the newest first, by verdict, mode, document and time", function* () {
      const [log, scope, ids] = [(yield* PolicyStore).decisions, yield* makeWorkspace, yield* Ids]
      const [one, other] = [ids.make("document"), ids.make("document")]
      const first = yield* decisionAt("2026-01-01T00:00:00.000Z", {}, [one])
      const second = yield* decisionAt("2026-01-02T00:00:00.000Z", { verdict: "clarify", gate: "pre" }, [
        one,
        other
      ])
      const third = yield* decisionAt("2026-01-03T00:00:00.000Z", { mode: "enforce" }, [other, other])
      yield* log.add(scope, [second, third, first])
      const listed = (filter: Parameters<typeof log.list>[1], page = { limit: 10, offset: 0 }) =>
        Effect.map(log.list(scope, filter, page), ({ items, total }) => [items.map(({ id }) => id), total])
      expect(yield* listed({})).toEqual([[third.id, second.id, first.id], 3])
      expect(yield* listed({}, { limit: 1, offset: 1 })).toEqual([[second.id], 3])
      expect(yield* listed({ verdict: "clarify" })).toEqual([[second.id], 1])
      expect(yield* listed({ mode: "enforce" })).toEqual([[third.id], 1])
      expect(yield* listed({ mode: "off" })).toEqual([[], 0])
      expect(yield* listed({ document: one })).toEqual([[second.id, first.id], 2])
      expect(yield* listed({ from: "2026-01-02T00:00:00.000Z", to: "2026-01-03T00:00:00.000Z" })).toEqual([
        [second.id],
        1
      ])
    })

    law("sums up decisions that are alike, from a moment on and before another", function* () {
      const [log, scope] = [(yield* PolicyStore).decisions, yield* makeWorkspace]
      const abstained = {
        verdict: "abstain_with_pointers",
        gate: "pre",
        caveats: [],
        reasons: ["unknown_term:X-1", "unknown_term:Y-2"],
        confidence: 0
      } as const
      yield* log.add(scope, [
        yield* decisionAt("2026-01-02T01:00:00.000Z"),
        yield* decisionAt("2026-01-02T23:00:00.000Z"),
        yield* decisionAt("2026-01-02T12:00:00.000Z", {
          ...abstained,
          reasons: [...abstained.reasons],
          caveats: []
        }),
        yield* decisionAt("2026-01-01T00:00:00.000Z"),
        yield* decisionAt("2026-01-03T00:00:00.000Z")
      ])
      const groups = yield* log.groups(scope, "2026-01-02T00:00:00.000Z", "2026-01-03T00:00:00.000Z")
      expect(groups).toEqual([
        {
          day: "2026-01-02",
          mode: "shadow",
          verdict: "abstain_with_pointers",
          gate: "pre",
          applied: false,
          reasonKinds: ["unknown_term"],
          caveatCodes: [],
          confidenceBin: 0,
          count: 1,
          confidenceSum: 0,
          claims: 2,
          verified: 1,
          conflicting: 0
        },
        {
          day: "2026-01-02",
          mode: "shadow",
          verdict: "answer_with_caveats",
          gate: "post",
          applied: false,
          reasonKinds: ["threshold_uncertified"],
          caveatCodes: ["low_confidence"],
          confidenceBin: 2,
          count: 2,
          confidenceSum: 0.5,
          claims: 4,
          verified: 2,
          conflicting: 0
        }
      ])
    })

    law(
      "forgets the oldest, and takes what tells a question out of the rest, as many as it is told",
      function* () {
        const [log, scope, ids] = [(yield* PolicyStore).decisions, yield* makeWorkspace, yield* Ids]
        const document = ids.make("document")
        const days = ["01", "02", "03", "04"]
        const all = yield* Effect.forEach(days, (day) =>
          decisionAt(`2026-01-${day}T00:00:00.000Z`, { reasons: ["unknown_term:secret"] }, [document])
        )
        yield* log.add(scope, [...all].reverse())
        expect(yield* log.prune(scope, "2026-01-03T00:00:00.000Z", 1)).toBe(1)
        expect(yield* log.prune(scope, "2026-01-03T00:00:00.000Z", 10)).toBe(1)
        expect((yield* log.list(scope, { document }, { limit: 10, offset: 0 })).total).toBe(2)
        expect(yield* log.redact(scope, 1)).toBe(1)
        expect(yield* log.redact(scope, 10)).toBe(1)
        expect(yield* log.redact(scope, 10)).toBe(0)
        const left = (yield* log.list(scope, {}, { limit: 10, offset: 0 })).items
        expect(left).toEqual(all.slice(2).reverse().map(redactDecision))
        expect(JSON.stringify(left)).not.toContain("secret")
      }
    )

    law("shows nothing to another workspace, and changes nothing of it", function* () {
      const [log, scope, foreign, ids] = [
        (yield* PolicyStore).decisions,
        yield* makeWorkspace,
        yield* makeWorkspace,
        yield* Ids
      ]
      const document = ids.make("document")
      const given = yield* decisionAt(lawsAt, {}, [document])
      yield* log.add(scope, [given])
      expect(yield* log.find(foreign, given.id)).toEqual(Option.none())
      expect(yield* log.list(foreign, {}, { limit: 10, offset: 0 })).toEqual({ items: [], total: 0 })
      expect(yield* log.groups(foreign, "2000-01-01T00:00:00.000Z", "2999-01-01T00:00:00.000Z")).toEqual([])
      expect(yield* log.prune(foreign, "2999-01-01T00:00:00.000Z", 10)).toBe(0)
      expect(yield* log.redact(foreign, 10)).toBe(0)
      expect(yield* log.find(scope, given.id)).toEqual(Option.some(given))
    })
  })
}
