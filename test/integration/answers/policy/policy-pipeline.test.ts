import { mkdtempSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { scriptedChatModel } from "../../../../adapters/models/index.js"
import {
  AnswerStore,
  askTraced,
  pruneDecisions,
  Query,
  type TracedAnswer
} from "../../../../core/answers/answering/index.js"
import { decideGate, isReplayable, PolicyStore } from "../../../../core/answers/policy/index.js"
import type { Engine } from "../../../../core/engine/engine/index.js"
import { wiring } from "../../../../core/engine/engine/index.js"
import { operations } from "../../../../core/operations.js"
import { type DocumentId, runOperation } from "../../../../core/platform/kernel/index.js"
import { Settings, WorkspaceStore } from "../../../../core/platform/workspace/index.js"
import { createEngine, portsOf } from "../../../support/database.js"
import { temporaryFolder } from "../../../support/folders.js"
import { asCaller, makeWorkspace, runEffect } from "../../../support/run.js"
import { runs } from "../../../support/runs.js"

const files: Readonly<Record<string, string>> = {
  "archive.md":
    "# Archive\n\nThe archive keeps invoices for ten years. The keeper of the archive is Ada Moss.\n",
  "planet.md": "---\ntype: planet\n---\n\n# Mercury\n\nMercury orbits the sun in 88 days.\n",
  "element.md": "---\ntype: element\n---\n\n# Mercury\n\nMercury melts at -39 °C.\n",
  "pump.md": "# Pump KX-2041\n\nThe pump KX-2041 weighs 40 kg and was installed on 3 May 2021.\n"
}
const questions = [
  "How long does the archive keep invoices?",
  "Who is the keeper of the archive?",
  "What is Mercury?",
  "In how many days does the planet Mercury orbit the sun?",
  "How much does the pump KX-2041 weigh?",
  "How much does the pump KX-9999 weigh?",
  "What is it?",
  "What does the archive say about “blue whales”?",
  "Which team won the cup in Zanzibar?",
  ""
] as const

let root = ""
let engine: Engine
/** A folder of its own for each engine. */
const folderFor = () => mkdtempSync(join(root, "vault-"))
const logger = Logger.make(() => undefined)
beforeAll(async () => {
  root = temporaryFolder("policy")
  const folder = folderFor()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  engine = await createEngine({ vault: folder, data: ":memory:", logger })
  await engine.ingest()
})
afterAll(() => engine.close())

const given = ({ answer: { answer, claims, sources } }: TracedAnswer) =>
  JSON.stringify([answer, claims, sources])
const registryOf = ({ answer: { dataCalls, sources } }: TracedAnswer) =>
  new Set([...sources, ...dataCalls].map(({ id }) => id))

describe("the modes", () => {
  it.each(questions.filter((text) => text !== ""))("of one question: %s", async (question) => {
    const ask = (policyMode: "off" | "shadow" | "enforce") => engine.askTraced(question, { policyMode })
    const [off, shadow, enforce] = [await ask("off"), await ask("shadow"), await ask("enforce")]
    expect(given(shadow)).toBe(given(off))
    expect(off.trace.gate).toBeNull()
    expect(off.answer.policy.reasons).toEqual(["policy_off"])
    if (enforce.trace.gate?.applied !== true) expect(given(enforce)).toBe(given(off))
    else {
      expect(enforce.answer.claims).toEqual([])
      expect(JSON.stringify(enforce.answer.sources)).toBe(JSON.stringify(off.answer.sources))
      expect(enforce.trace.stages.map(({ name }) => name)).not.toContain("generate")
    }
    expect({ ...enforce.answer.policy, mode: "shadow" }).toEqual(shadow.answer.policy)
    expect(shadow.trace.gate?.applied).toBe(false)
    for (const one of [shadow, enforce]) {
      const { answer, trace } = one
      const ids = registryOf(one)
      const named = [
        ...answer.claims.flatMap(({ citations }) => citations),
        ...answer.policy.caveats.flatMap(({ sourceIds }) => sourceIds)
      ]
      expect(named.filter((id) => !ids.has(id))).toEqual([])
      expect(answer.groundedness.total).toBe(answer.claims.length)
      if (trace.gate === null) throw new RangeError("The gate is not off.")
      expect(decideGate(trace.gate.features)).toEqual(trace.gate.decision)
    }
  })

  it("judge names, codes and subjects as they stand in the workspace", async () => {
    const judged = async (question: string) => {
      const { policy } = await engine.ask(question, { policyMode: "enforce" })
      return [policy.verdict, policy.reasons.find((reason) => reason.includes(":")) ?? policy.reasons[0]]
    }
    expect(await judged("What is Mercury?")).toEqual(["clarify", "ambiguous_entity:Mercury"])
    // Whether with a reservation is the calibration's to say.
    expect((await judged("In how many days does the planet Mercury orbit the sun?"))[0]).toMatch(/^answer/)
    expect(await judged("How much does the pump KX-9999 weigh?")).toEqual([
      "abstain_with_pointers",
      "unknown_term:KX-9999"
    ])
    expect((await judged("How much does the pump KX-2041 weigh?"))[0]).toMatch(/^answer/)
    expect(await judged("What is it?")).toEqual(["clarify", "missing_subject"])
    expect(await judged("What does the archive say about “blue whales”?")).toEqual([
      "abstain_with_pointers",
      "unknown_term:blue whales"
    ])
  })

  it("say in a sentence what was not clear, in the language of the question", async () => {
    const said = async (question: string) => (await engine.ask(question, { policyMode: "enforce" })).answer
    expect(await said("What is Mercury?")).toMatch(
      /^“Mercury” can mean Mercury \((planet|element)\) or Mercury \((planet|element)\)\. Which one is meant\?$/u
    )
    expect(await said("How much does the pump KX-9999 weigh?")).toMatch(
      /^“KX-9999” is in none of the documents\./u
    )
    expect(await said("Wie schwer ist die Pumpe KX-9999?")).toMatch(
      /^“KX-9999” kommt in den Dokumenten nirgends vor\./u
    )
  })
})

describe("the path of a question", () => {
  it("tells what put each passage in its place, the highest first", async () => {
    const { trace } = await engine.askTraced("When did the archive get the pump?", { policyMode: "off" })
    const { candidates } = trace.explanation
    const chosen = candidates.filter(({ sourceId }) => sourceId !== null)
    const worths = chosen.map(({ worth }) => worth ?? 0)
    expect(chosen.length).toBeGreaterThan(1)
    expect(worths).toEqual([...worths].sort((a, b) => b - a))
    expect(chosen.every(({ unitScore }) => (unitScore ?? 0) > 0)).toBe(true)
    expect(candidates.every(({ sourceId, worth }) => (sourceId === null) === (worth === null))).toBe(true)
  })
})

describe("the log", () => {
  it("has a row for each judged question and none for the others, each of which gives its decision again", async () => {
    const before = (await engine.decisions.stats()).total
    const off = await engine.askTraced(questions[0], { policyMode: "off" })
    expect(off.trace.decisionId).toBeNull()
    expect((await engine.decisions.stats()).total).toBe(before)
    const { answer, trace } = await engine.askTraced(questions[0], { policyMode: "enforce" })
    expect((await engine.decisions.stats()).total).toBe(before + 1)
    const [newest] = (await engine.decisions.list({ limit: 1 })).items
    expect(newest).toMatchObject({
      id: trace.decisionId,
      answerId: trace.answerId,
      question: questions[0],
      mode: "enforce"
    })
    const found = await engine.decisions.get(newest?.id ?? "")
    expect(found.answer).toEqual(answer)
    expect(found.features).toEqual(trace.gate?.features)
    expect(found.trace).toEqual(JSON.parse(JSON.stringify(trace.explanation)))
    expect([found.replayable, found.citations.map(({ state }) => state)]).toEqual([true, ["current"]])
    for (const { id } of (await engine.decisions.list({ limit: 200 })).items)
      expect((await engine.decisions.get(id)).replayable).toBe(true)
  })

  it("tells which citations still stand", async () => {
    const { docId } = await engine.documents.create({
      path: "vault.md",
      content: "# Vault door\n\nThe vault door weighs 900 kg.\n"
    })
    const { trace } = await engine.askTraced("How much does the vault door weigh?")
    const states = async () =>
      (await engine.decisions.get(trace.decisionId ?? "")).citations.map(({ docId: doc, state }) => [
        doc,
        state
      ])
    expect(await states()).toEqual([[docId, "current"]])
    await engine.documents.replace(docId, "# Vault door\n\nThe vault door weighs 950 kg.\n")
    expect(await states()).toEqual([[docId, "changed"]])
    await engine.documents.remove(docId)
    expect(await states()).toEqual([[docId, "gone"]])
  })
})

const world = () => Layer.provideMerge(wiring, portsOf({ vault: folderFor(), data: ":memory:", logger }))

/** Runs in an engine of its own. */
const within = <A, E>(work: Effect.Effect<A, E, Layer.Layer.Success<ReturnType<typeof world>>>) =>
  runEffect(Effect.provide(work, world()))

const workspaceWith = (settings: object) =>
  Effect.gen(function* () {
    const workspace = yield* makeWorkspace()
    const store = yield* WorkspaceStore
    yield* store.update(
      { ...(yield* store.get(workspace)), settings: Settings.parse(settings) },
      "2026-01-01T00:00:00.000Z"
    )
    return { workspace, here: asCaller(workspace) }
  })

const write = (path: string, content: string) => runOperation(operations.createDocument, { path, content })
const ask = (question: string, policyMode?: "off" | "shadow" | "enforce") =>
  askTraced(Query.parse({ question, ...(policyMode === undefined ? {} : { policyMode }) }))

describe("settings of the workspace", () => {
  it.each([
    [{ policy: { mode: "off" } }, "off", 0],
    [{}, "shadow", 1],
    [{ policy: { mode: "enforce" } }, "enforce", 1],
    [{ policy: { mode: "enforce" }, retention: { decisionDays: 0 } }, "enforce", 0]
  ] as const)("decide of the mode and the log: %j", (settings, mode, rows) =>
    within(
      Effect.gen(function* () {
        const { here, workspace } = yield* workspaceWith(settings)
        yield* here(write("a.md", files["archive.md"] ?? ""))
        const { answer } = yield* here(ask(questions[0]))
        expect(answer.policy.mode).toBe(mode)
        const { total } = yield* (yield* PolicyStore).decisions.list(workspace, {}, { limit: 1, offset: 0 })
        expect(total).toBe(rows)
      })
    )
  )

  it("keep decisions without answers, and without what tells the question", () => {
    const settings = { retention: { answerDays: 0 }, policy: { mode: "enforce", keepQuestions: false } }
    return within(
      Effect.gen(function* () {
        const { here, workspace } = yield* workspaceWith(settings)
        yield* here(write("a.md", files["archive.md"] ?? ""))
        const { trace } = yield* here(ask("What does the archive say about the SECRET-77?"))
        const log = (yield* PolicyStore).decisions
        const [row] = (yield* log.list(workspace, {}, { limit: 1, offset: 0 })).items
        if (row === undefined) throw new RangeError("There is no decision.")
        expect([row.id, row.answerId, row.question]).toEqual([trace.decisionId, null, null])
        expect(row.questionHash).toMatch(/^[0-9a-f]{64}$/)
        expect(JSON.stringify(row)).not.toMatch(/SECRET/i)
        expect(row.reasons).toEqual(["unknown_term:[redacted]"])
        expect(isReplayable(row)).toBe(true)
      })
    )
  })

  it("take questions out of what was kept before, and forget what is too old", () =>
    within(
      Effect.gen(function* () {
        const { here, workspace } = yield* workspaceWith({})
        yield* here(write("a.md", files["archive.md"] ?? ""))
        const { trace } = yield* here(ask(questions[0]))
        const [log, store] = [(yield* PolicyStore).decisions, yield* WorkspaceStore]
        const change = (settings: object) =>
          Effect.flatMap(store.get(workspace), (own) =>
            store.update({ ...own, settings: Settings.parse(settings) }, "2026-01-01T00:00:00.000Z")
          )
        const question = Effect.map(log.list(workspace, {}, { limit: 1, offset: 0 }), ({ items }) =>
          items.map((row) => row.question)
        )
        yield* here(pruneDecisions())
        expect(yield* question).toEqual([questions[0]])
        yield* change({ policy: { keepQuestions: false } })
        yield* here(pruneDecisions())
        expect(yield* question).toEqual([null])
        yield* change({ retention: { decisionDays: 0 } })
        expect(yield* here(pruneDecisions())).toBe(1)
        expect(yield* question).toEqual([])
        const answers = yield* AnswerStore
        expect(
          trace.answerId === null ? true : Option.isSome(yield* answers.find(workspace, trace.answerId))
        ).toBe(true)
      })
    ))
})

describe("enforcing", () => {
  it("calls no model where a rule answers first, and shows of what a model wrote what is supported", () => {
    let calls = 0
    const reply = {
      answerable: true,
      missing: null,
      sentences: [
        { text: "The archive keeps invoices for ten years.", citations: ["S1"] },
        { text: "Ninety years.", citations: ["S1"] }
      ]
    }
    const chat = scriptedChatModel(() => {
      calls += 1
      return JSON.stringify(reply)
    }, "test/chat")
    const ports = portsOf({ vault: folderFor(), data: ":memory:", logger, models: { chat } })
    return runEffect(
      Effect.gen(function* () {
        const { here } = yield* workspaceWith({ policy: { mode: "enforce" } })
        yield* here(write("a.md", files["archive.md"] ?? ""))
        const stopped = yield* here(ask("What does the archive say about the KX-1?"))
        expect([calls, stopped.answer.policy.verdict, stopped.answer.usage.inputTokens]).toEqual([
          0,
          "abstain_with_pointers",
          0
        ])
        expect(stopped.answer.model.chat).toBe("test/chat")
        const { answer } = yield* here(ask(questions[0]))
        expect([calls, answer.answer, answer.policy.verdict]).toEqual([
          1,
          "The archive keeps invoices for ten years. [S1] Ninety years. [S1]",
          "answer_with_caveats"
        ])
        expect(answer.policy.caveats.map(({ code }) => code)).toContain("partial_grounding")
      }).pipe(Effect.provide(Layer.provideMerge(wiring, ports)))
    )
  })

  it("keeps to an abstention whatever irrelevant documents come, and answers nothing whose support is gone", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.array(fc.constantFrom("tide", "lamp", "ferry", "paper", "moss"), { minLength: 3, maxLength: 8 }),
          {
            minLength: 1,
            maxLength: 3
          }
        ),
        (texts) =>
          within(
            Effect.gen(function* () {
              const { here } = yield* workspaceWith({ policy: { mode: "enforce" } })
              const made = yield* here(write("a.md", files["pump.md"] ?? ""))
              const unknown = "How much does the pump KX-9999 weigh?"
              const known = "How much does the pump KX-2041 weigh?"
              const verdict = (question: string) =>
                Effect.map(here(ask(question)), ({ answer }) => answer.policy.verdict)
              expect(yield* verdict(unknown)).toBe("abstain_with_pointers")
              expect(yield* verdict(known)).toMatch(/^answer/)
              for (const [place, words] of texts.entries())
                yield* here(write(`noise-${place}.md`, `# Noise\n\nA ${words.join(" ")}.\n`))
              expect(yield* verdict(unknown)).toBe("abstain_with_pointers")
              const id: DocumentId = made.docId
              yield* here(runOperation(operations.deleteDocument, { id }))
              expect(["clarify", "abstain_with_pointers"]).toContain(yield* verdict(known))
            })
          )
      ),
      { numRuns: runs(4) }
    ))
})
