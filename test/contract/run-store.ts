import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { describe, expect } from "vitest"
import {
  type Atomic,
  atomically,
  type DocumentId,
  Ids,
  type WorkspaceScope
} from "../../core/platform/kernel/index.js"
import type { WorkspaceStore } from "../../core/platform/workspace/index.js"
import {
  type Agent,
  type AgentVersion,
  type Approval,
  type Feedback,
  RunStore,
  type StoredRun,
  type StoredStep
} from "../../core/work/agent-runs/index.js"
import { contractTestsFor } from "./contract-tests.js"
import { lawsAt as at, makeWorkspace } from "./workspace.js"

const later = "2026-02-01T00:00:00.000Z"
const latest = "2026-03-01T00:00:00.000Z"

const agent = (slug: string) =>
  Effect.map(
    Ids,
    ({ make }): Agent => ({
      id: make("agent"),
      slug,
      name: "Größe 東京",
      description: "",
      enabled: true,
      archived: false,
      createdAt: at,
      updatedAt: at
    })
  )

const version = (number: number) =>
  Effect.map(
    Ids,
    ({ make }): AgentVersion => ({
      id: make("agentVersion"),
      number,
      createdAt: at,
      changedBy: "local",
      note: number === 1 ? null : "é",
      instructions: `Do ${number}.`,
      modelRole: "chat",
      tools: [{ name: "svc_search", kind: "operation", effect: "read_only", approval: "never" }],
      budgets: { costUsd: "0.1" }
    })
  )

const runOf = (over: Partial<StoredRun> = {}) =>
  Effect.map(Ids, ({ make }): StoredRun => {
    const [agentId, agentVersionId] = [make("agent"), make("agentVersion")]
    return {
      id: make("run"),
      agentId,
      agentVersionId,
      conversationId: make("conversation"),
      status: "queued",
      trigger: "api",
      input: "é",
      output: null,
      error: null,
      tokensIn: 0,
      tokensOut: 0,
      costUsd: "0",
      apiKeyId: null,
      configSnapshotId: make("runConfig"),
      createdAt: at,
      startedAt: null,
      finishedAt: null,
      forkedFrom: null,
      actor: "local",
      activity: "api",
      scopes: ["kb:read"],
      principals: null,
      config: {
        agentId,
        agentSlug: "a",
        agentVersionId,
        instructions: "",
        modelId: "m",
        tools: [],
        budgets: { steps: 1, tokens: 1, costUsd: "1", minutes: 1 }
      },
      history: [{ role: "user", content: "ö" }],
      cancelRequested: false,
      fence: 0,
      leaseUntil: null,
      ...over
    }
  })

const stepOf = (idx: number, over: Partial<StoredStep> = {}) =>
  Effect.map(
    Ids,
    ({ make }): StoredStep => ({
      id: make("step"),
      idx,
      kind: "model_call",
      name: null,
      modelId: "m",
      tokensIn: 1,
      tokensOut: 2,
      costUsd: "0.0000000001",
      reservedUsd: "0.5",
      latencyMs: null,
      status: "pending",
      input: { place: 0, note: "é\u2028" },
      output: null,
      error: null,
      startedAt: at,
      finishedAt: null,
      ...over
    })
  )

const inserted = (scope: WorkspaceScope, over: Partial<StoredRun> = {}) =>
  Effect.gen(function* () {
    const run = yield* runOf(over)
    yield* (yield* RunStore).insert(scope, run)
    return run
  })

/** The contract of `RunStore.agents` and `RunStore`. `layer` gives empty stores each time. */
export const runStoreContract = <E>(
  name: string,
  layer: () => Layer.Layer<RunStore | WorkspaceStore | Atomic | Ids, E>
): void => {
  describe(`RunStore.agents: ${name}`, () => {
    const law = contractTestsFor(layer)

    law(
      "keeps agents by slug and id with versions newest first, and none of another workspace",
      function* () {
        const [store, scope, other] = [(yield* RunStore).agents, yield* makeWorkspace, yield* makeWorkspace]
        const [one, two] = [yield* agent("writer"), yield* agent("reader")]
        yield* store.put(scope, one)
        yield* store.put(scope, two)
        expect((yield* store.list(scope)).map(({ slug }) => slug)).toEqual(["reader", "writer"])
        const changed = { ...one, name: "Other", enabled: false, archived: true, updatedAt: later }
        yield* store.put(scope, changed)
        expect(yield* store.find(scope, "writer")).toEqual(Option.some(changed))
        expect(yield* store.find(scope, one.id)).toEqual(Option.some(changed))
        expect(yield* store.find(other, one.id)).toEqual(Option.none())
        expect(yield* store.list(other)).toEqual([])
        const [first, second] = [yield* version(1), yield* version(2)]
        yield* store.addVersion(scope, one.id, first)
        yield* store.addVersion(scope, one.id, second)
        expect(yield* store.versions(scope, one.id)).toEqual([second, first])
        expect(yield* store.versions(other, one.id)).toEqual([])
        // A number is given once: of two writers of a version one fails.
        const again = yield* Effect.exit(store.addVersion(scope, one.id, yield* version(2)))
        expect(again._tag).toBe("Failure")
      }
    )
  })

  describe(`RunStore: ${name}`, () => {
    const law = contractTestsFor(layer)

    law("keeps a run as it was given and shows it to its own workspace only", function* () {
      const [store, scope, other] = [yield* RunStore, yield* makeWorkspace, yield* makeWorkspace]
      const run = yield* inserted(scope)
      expect(yield* store.find(scope, run.id)).toEqual(Option.some(run))
      expect(yield* store.find(other, run.id)).toEqual(Option.none())
      expect((yield* store.list(other, {}, { limit: 5, offset: 0 })).total).toBe(0)
      expect((yield* store.claim(other, run.id, at, later)).state).toBe("idle")
      expect(yield* store.hold(other, run.id, 0, later)).toBe(false)
      expect(yield* store.isCancelRequested(scope, run.id)).toBe(false)
      yield* store.update(scope, run.id, { cancelRequested: true })
      expect(yield* store.isCancelRequested(scope, run.id)).toBe(true)
      expect(yield* store.isCancelRequested(other, run.id)).toBe(false)
    })

    law(
      "gives a run to one of many claimers, raises the fence, and lets a lapsed lease be taken",
      function* () {
        const [store, scope] = [yield* RunStore, yield* makeWorkspace]
        const run = yield* inserted(scope)
        const claims = yield* Effect.all(
          Array.from({ length: 8 }, () => atomically(store.claim(scope, run.id, at, later))),
          { concurrency: 8 }
        )
        expect(claims.filter(({ state }) => state === "claimed")).toHaveLength(1)
        expect(claims.filter(({ state }) => state === "held")).toHaveLength(7)
        const won = claims.find((claim) => claim.state === "claimed")
        expect(won?.run).toMatchObject({ status: "running", fence: 1, startedAt: at, leaseUntil: later })
        expect(yield* store.hold(scope, run.id, 1, later)).toBe(true)
        expect(yield* store.hold(scope, run.id, 0, later)).toBe(false)
        const taken = yield* store.claim(scope, run.id, later, latest)
        expect(taken).toMatchObject({ state: "claimed", run: { fence: 2, startedAt: at } })
        expect(yield* store.hold(scope, run.id, 1, latest)).toBe(false)
        yield* store.update(scope, run.id, { status: "succeeded", finishedAt: latest })
        expect((yield* store.claim(scope, run.id, latest, latest)).state).toBe("idle")
        expect(yield* store.hold(scope, run.id, 2, latest)).toBe(false)
        expect(Option.getOrThrow(yield* store.find(scope, run.id)).leaseUntil).toBeNull()
      }
    )

    law("counts active runs and tells which may be worked on by nobody", function* () {
      const [store, scope] = [yield* RunStore, yield* makeWorkspace]
      const [queued, leased] = [yield* inserted(scope), yield* inserted(scope)]
      yield* inserted(scope, { status: "suspended" })
      yield* inserted(scope, { status: "failed" })
      yield* store.claim(scope, leased.id, at, later)
      expect(yield* store.countActive(scope)).toBe(2)
      expect(yield* store.owed(scope, at)).toEqual([queued.id])
      expect([...(yield* store.owed(scope, later))].sort()).toEqual([queued.id, leased.id].sort())
    })

    law("keeps the journal in order, each step once, and sums exactly", function* () {
      const [store, scope, other] = [yield* RunStore, yield* makeWorkspace, yield* makeWorkspace]
      const run = yield* inserted(scope)
      const [first, second] = [yield* stepOf(0), yield* stepOf(1)]
      yield* store.putSteps(scope, run.id, [second, first])
      expect(yield* store.steps(scope, run.id)).toEqual([first, second])
      const ended: StoredStep = {
        ...first,
        status: "error",
        output: { text: "ö" },
        error: { code: "c", message: "m" },
        costUsd: "123456.0000000001",
        reservedUsd: "0",
        latencyMs: 5,
        finishedAt: later
      }
      yield* store.putSteps(scope, run.id, [ended])
      expect(yield* store.steps(scope, run.id)).toEqual([ended, second])
      expect(yield* store.steps(other, run.id)).toEqual([])
      const used = { tokensIn: 1, tokensOut: 2, costUsd: "0.0000000001" }
      yield* Effect.all(
        Array.from({ length: 10 }, () => atomically(store.addTotals(scope, run.id, used))),
        { concurrency: 10 }
      )
      expect(Option.getOrThrow(yield* store.find(scope, run.id))).toMatchObject({
        tokensIn: 10,
        tokensOut: 20,
        costUsd: "0.000000001"
      })
    })

    law("lets one of many deciders of an approval win and finds what expired", function* () {
      const [store, scope, other, { make }] = [
        yield* RunStore,
        yield* makeWorkspace,
        yield* makeWorkspace,
        yield* Ids
      ]
      const run = yield* inserted(scope)
      const approval: Approval = {
        id: make("approval"),
        runId: run.id,
        stepId: make("step"),
        toolName: "t",
        arguments: { path: "é" },
        digest: "0".repeat(64),
        targets: { a: "1" },
        status: "open",
        expiresAt: later,
        decidedBy: null,
        decidedAt: null,
        note: null
      }
      yield* store.addApproval(scope, approval)
      expect(yield* store.approvals(scope, run.id)).toEqual([approval])
      expect(yield* store.approvals(other, run.id)).toEqual([])
      expect(yield* store.expired(scope, at)).toEqual([])
      expect(yield* store.expired(scope, later)).toEqual([run.id])
      const decision = { status: "allowed", decidedBy: "ann", decidedAt: at, note: "fine" } as const
      expect(yield* store.decide(other, approval.id, decision)).toBe(false)
      const won = yield* Effect.all(
        Array.from({ length: 6 }, () => atomically(store.decide(scope, approval.id, decision))),
        { concurrency: 6 }
      )
      expect(won.filter(Boolean)).toHaveLength(1)
      expect(yield* store.approvals(scope, run.id)).toEqual([{ ...approval, ...decision }])
      expect(yield* store.expired(scope, later)).toEqual([])
    })

    law("lists by status, agent, conversation, time and feedback, newest first", function* () {
      const [store, scope, { make }] = [yield* RunStore, yield* makeWorkspace, yield* Ids]
      const one = yield* inserted(scope, { status: "succeeded", output: { text: "A", citations: [] } })
      const two = yield* inserted(scope, { createdAt: later })
      const ids = (filter: Parameters<typeof store.list>[1]) =>
        Effect.map(store.list(scope, filter, { limit: 5, offset: 0 }), ({ items }) =>
          items.map(({ id }) => id)
        )
      expect(yield* ids({})).toEqual([two.id, one.id])
      expect(yield* ids({ status: "succeeded" })).toEqual([one.id])
      expect(yield* ids({ agentId: two.agentId })).toEqual([two.id])
      expect(yield* ids({ from: later })).toEqual([two.id])
      expect(yield* ids({ to: later })).toEqual([one.id])
      const feedback: Feedback = {
        id: make("feedback"),
        kind: "rating",
        value: { rating: 2 },
        note: "é",
        createdBy: "ann",
        createdAt: at
      }
      yield* store.addFeedback(scope, one.id, feedback)
      expect(yield* ids({ feedback: "negative" })).toEqual([one.id])
      expect(yield* ids({ feedback: "any" })).toEqual([one.id])
      expect(yield* ids({ feedback: "positive" })).toEqual([])
      expect(yield* store.feedback(scope, [one.id, two.id])).toEqual(new Map([[one.id, [feedback]]]))
      const conversation = one.conversationId
      if (conversation === null) throw new RangeError("The run has a conversation.")
      expect(yield* ids({ conversationId: conversation })).toEqual([one.id])
      expect((yield* store.conversation(scope, conversation, 5)).map(({ id }) => id)).toEqual([one.id])
      expect(yield* store.hasConversation(scope, conversation)).toBe(true)
      expect(yield* store.hasConversation(yield* makeWorkspace, conversation)).toBe(false)
      expect(yield* store.lastRunAt(scope)).toEqual(
        new Map([
          [one.agentId, at],
          [two.agentId, later]
        ])
      )
    })

    law("keeps effects of steps, citations and spend of its own workspace", function* () {
      const [store, scope, other, { make }] = [
        yield* RunStore,
        yield* makeWorkspace,
        yield* makeWorkspace,
        yield* Ids
      ]
      const run = yield* inserted(scope)
      const step = make("step")
      const effects = [
        { action: "document.create", subjectId: "a" },
        { action: "document.create", subjectId: "b" }
      ]
      yield* store.addEffects(scope, step, effects.slice(0, 1))
      yield* store.addEffects(scope, step, effects.slice(1))
      expect(yield* store.effects(scope, step)).toEqual(effects)
      expect(yield* store.effects(other, step)).toEqual([])
      const docId: DocumentId = make("document")
      const cited = { docId, chunkId: "chk_1" }
      yield* store.addCitations(scope, run.id, [cited, cited, { docId, chunkId: "chk_2" }])
      expect(yield* store.countCiting(scope, docId)).toBe(1)
      expect(yield* store.countCiting(other, docId)).toBe(0)
      yield* Effect.all(
        Array.from({ length: 10 }, () =>
          atomically(store.addSpend(scope, "2026-01", { spentUsd: "0.0000000001", reservedUsd: "0.1" }))
        ),
        { concurrency: 10 }
      )
      yield* atomically(store.addSpend(scope, "2026-01", { spentUsd: "0", reservedUsd: "-0.5" }))
      expect(yield* store.spend(scope, "2026-01")).toEqual({ spentUsd: "0.000000001", reservedUsd: "0.5" })
      expect(yield* store.spend(other, "2026-01")).toEqual({ spentUsd: "0", reservedUsd: "0" })
    })
  })
}
