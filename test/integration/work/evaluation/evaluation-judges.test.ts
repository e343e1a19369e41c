import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { z } from "zod"
import { scriptedAgentModel, scriptedChatModel } from "../../../../adapters/models/scripted.js"
import { operations } from "../../../../core/operations.js"
import type { WorkspaceId } from "../../../../core/platform/kernel/index.js"
import { runOperation } from "../../../../core/platform/kernel/index.js"
import { correctJudgedRate } from "../../../../core/work/evaluation/index.js"
import { startServer, type TestServer } from "../../../support/server.js"
import { workOff } from "../../../support/work-off.js"

const birds = Array.from({ length: 8 }, (_, at) => `bird${"abcdefgh"[at]}`)
const question = (bird: string) => `Where does the ${bird} nest?`

/** A workspace with a note about each bird. */
const nests = async (models: NonNullable<Parameters<typeof startServer>[0]>["models"] = {}) => {
  const server = await startServer({ models })
  const home = await server.workspace("home")
  const key = await server.key(home)
  const call = (method: string, path: string, body?: unknown) =>
    server.call(method, `/api/v1${path}`, { key, ...(body === undefined ? {} : { body }) })
  const docs: Array<string> = []
  for (const [at, bird] of birds.entries()) {
    const content = `# The ${bird}\n\nThe ${bird} nests in marsh number ${at + 10}. It leaves in autumn.\n`
    const { body } = await call("POST", "/documents", { path: `birds/${bird}.md`, content })
    docs.push(z.object({ docId: z.string() }).parse(body).docId)
  }
  const judge = (set: string, more: (at: number) => object) =>
    call("PUT", "/qrels", {
      judgments: birds.map((bird, at) => ({ set, queryId: `q${at}`, query: question(bird), ...more(at) }))
    })
  const evaluate = async (body: object) => {
    const started = await call("POST", "/evals", body)
    expect([started.status, started.body]).toEqual([202, expect.anything()])
    await server.as(home, workOff)
    const { id } = z.object({ id: z.string() }).parse(started.body)
    return operations.getEval.output.parse((await call("GET", `/evals/${id}?limit=200`)).body)
  }
  return { server, home, call, docs, judge, evaluate }
}

describe("figures that a judge found", () => {
  let world: Awaited<ReturnType<typeof nests>>
  beforeAll(async () => {
    world = await nests()
  })
  afterAll(() => world.server.close())

  it("are corrected by the labels that people give to claims, and asked for where they help most", async () => {
    const { evaluate, home, judge, server } = world
    await judge("claims", (at) => ({ docId: world.docs[at], grade: 3, answers: [`marsh number ${at + 10}`] }))
    const { eval: run, results } = await evaluate({ name: "claims", suite: "answer", set: "claims" })
    expect(run.judgeCorrections).toEqual([])
    expect(results.map(({ claims }) => claims?.[0]?.citations[0]?.docId)).toEqual(world.docs)
    const label = (labels: ReadonlyArray<object>) =>
      server.as(home, runOperation(operations.labelClaims, { id: run.id, labels }))
    const open = () => server.as(home, runOperation(operations.claimsToLabel, { id: run.id }))
    const claims = results.flatMap(({ claims: all = [], queryId }) =>
      all.map((claim, at) => ({
        queryId,
        claim: at + 1,
        verified: claim.verified,
        citations: claim.citations
      }))
    )
    expect((await open()).total).toBe(claims.length)
    expect((await open()).items[0]?.verified).toBe(true)
    // A person finds all claims of three answers supported, and one of a fourth not.
    const supported = claims.filter(({ queryId }) => ["q0", "q1", "q2"].includes(queryId))
    const doubted = claims.filter(({ queryId }) => queryId === "q3")
    const done = await label([
      ...supported.map(({ citations, claim, queryId }) => ({
        queryId,
        claim,
        supportedBy: citations.map(({ id }) => id)
      })),
      ...doubted.map(({ claim, queryId }) => ({ queryId, claim, supportedBy: [] }))
    ])
    expect([done.claims, done.labelled]).toEqual([claims.length, supported.length + doubted.length])
    const expected = correctJudgedRate({
      judged: { n: claims.length, positive: claims.length },
      calibration: {
        truePositive: supported.length,
        positives: supported.length,
        trueNegative: 0,
        negatives: doubted.length
      }
    })
    expect(done.judgeCorrections[0]).toMatchObject({
      metric: "groundedness",
      judge: run.versions["judge"],
      raw: 1,
      corrected: expected.corrected,
      specificity: 0
    })
    // Means over topics: three of four labelled answers are right where the judge says 1 of all eight.
    for (const metric of ["groundednessMacro", "citationPrecision", "citationRecall"])
      expect(done.judgeCorrections).toContainEqual(
        expect.objectContaining({ metric, raw: 1, corrected: 0.75, labels: 4, sensitivity: null })
      )
    const shown = await world.call("GET", `/evals/${run.id}`)
    expect(operations.getEval.output.parse(shown.body).eval.judgeCorrections).toEqual(done.judgeCorrections)
    await expect(label([{ queryId: "q0", claim: 99, supportedBy: [] }])).rejects.toThrow("claim")
    await expect(label([{ queryId: "q0", claim: 1, supportedBy: ["S99"] }])).rejects.toThrow("S99")
    expect((await open()).total).toBe(claims.length - done.labelled)
  })

  it("are corrected over topics where a model judged rankings and people some of them", async () => {
    const { call, docs, evaluate, judge } = world
    // The model finds every other bird's note irrelevant; people say that all are relevant.
    await judge("ranked", (at) => ({ docId: docs[at], grade: at % 2 === 0 ? 3 : 0, judge: "model:test" }))
    for (const at of [0, 1, 2, 3])
      await call("PUT", "/qrels", {
        judgments: [{ set: "ranked", queryId: `q${at}`, docId: docs[at], grade: 3 }]
      })
    const { eval: run } = await evaluate({ name: "ranked", suite: "retrieval", set: "ranked" })
    // The model is right on half of the labelled topics, so its verdicts have no weight and people's labels decide.
    expect(run.judgeCorrections).toContainEqual(
      expect.objectContaining({ metric: "rr", judge: "model:test", raw: 0.5, corrected: 1, labels: 4 })
    )
    expect(run.judgeCorrections.map(({ metric }) => metric)).toEqual(
      expect.arrayContaining(["ndcg@10", "ap", "recall@100", "p@10"])
    )
  })
})

describe("with models", () => {
  const answered = { text: "The bird nests in a marsh [S1].", usage: { costUsd: "0.01" } }
  const chat = {
    ...scriptedAgentModel((turn) =>
      turn === 0
        ? { calls: [{ name: "svc_search", arguments: { q: "nests in marsh" } }] }
        : "It nests in a marsh [S1]."
    ),
    generate: scriptedChatModel(() => ({
      ...answered,
      usage: { inputTokens: 10, outputTokens: 10, costUsd: "0.01", estimated: false }
    })).generate,
    costOf: () => "0.01"
  }
  let world: Awaited<ReturnType<typeof nests>>
  let home: WorkspaceId
  let server: TestServer
  beforeAll(async () => {
    world = await nests({ chat })
    home = world.home
    server = world.server
  })
  afterAll(() => world.server.close())

  it("judgments are proposed from feedback on runs, and stored when a person accepts them", async () => {
    const { call } = world
    await call("PUT", "/agents/asker", {
      name: "Asker",
      instructions: "Answer.",
      tools: [{ name: "svc_search" }]
    })
    const ask = async (input: string) => {
      const { body } = await call("POST", "/agents/asker/runs", { input })
      await server.as(home, workOff)
      return z.object({ runId: z.string() }).parse(body).runId
    }
    const feedback = async (run: string, kind: string, value: object) => {
      const { body } = await call("POST", `/runs/${run}/feedback`, { kind, value })
      return z.object({ id: z.string() }).parse(body).id
    }
    const proposals = () => server.as(home, runOperation(operations.proposeQrels, { set: "said" }))
    const accept = (feedbackIds: ReadonlyArray<string>, more: object = {}) =>
      server.as(home, runOperation(operations.acceptQrels, { set: "said", feedbackIds, ...more }))
    const [first, second] = [await ask(question("birda")), await ask(question("birdb"))]
    const rated = await feedback(first, "rating", { rating: 5 })
    const corrected = await feedback(first, "correction", { text: "In marsh number 10." })
    await feedback(second, "thumb", { thumb: "down" })
    const flagged = await feedback(second, "citation_flag", {
      docId: world.docs[4],
      chunkId: "chk_gone",
      reason: "Another bird."
    })
    const proposed = await proposals()
    expect(proposed.items.map(({ feedbackId }) => feedbackId)).toEqual([flagged, corrected, rated])
    expect(proposed.items).toMatchObject(
      [
        { grade: 0, docId: world.docs[4], path: "birds/birde.md", queryId: second, why: /Another bird/ },
        { grade: null, docId: null, answers: ["In marsh number 10."], queryId: first },
        { grade: 3, query: question("birda"), queryId: first, docId: expect.stringMatching(/^doc_/) }
      ].map((one) => ("why" in one ? { ...one, why: expect.stringMatching(one.why as RegExp) } : one))
    )
    expect((await call("GET", "/qrels?set=said")).body).toMatchObject({ total: 0 })

    expect(await accept([rated, corrected])).toMatchObject({ created: 2 })
    expect(await accept([flagged], { docId: world.docs[4], grade: 1 })).toMatchObject({ created: 1 })
    expect((await proposals()).items).toEqual([])
    await expect(accept([rated])).rejects.toThrow("proposal")
    const stored = operations.listQrels.output.parse((await call("GET", "/qrels?set=said")).body).items
    expect(stored).toHaveLength(3)
    expect(stored).toContainEqual(expect.objectContaining({ answers: ["In marsh number 10."], docId: null }))
    expect(stored).toContainEqual(expect.objectContaining({ docId: world.docs[4], grade: 1 }))
    // The same question again belongs to the topic that is there.
    const again = await ask(question("birda"))
    await feedback(again, "correction", { text: "Marsh 10." })
    expect((await proposals()).items).toMatchObject([{ queryId: first, answers: ["Marsh 10."] }])
  })

  it("that have a price spend what agents may spend, stop at the cap, and are refused beyond it", async () => {
    const { call, judge } = world
    await judge("paid", (at) => ({ answers: [`marsh number ${at + 10}`] }))
    const spent = async () =>
      Number(operations.getWorkspace.output.parse((await call("GET", "/workspace")).body).usage.agentSpendUsd)
    const before = await spent()
    expect((await call("PATCH", "/workspace", { caps: { agentSpendUsd: `${before + 0.035}` } })).status).toBe(
      200
    )
    const started = await call("POST", "/evals", { name: "paid", suite: "answer", set: "paid" })
    expect(started.status).toBe(202)
    await server.as(home, workOff)
    const { id } = z.object({ id: z.string() }).parse(started.body)
    const { eval: run, results } = operations.getEval.output.parse((await call("GET", `/evals/${id}`)).body)
    expect(run).toMatchObject({ status: "failed", error: expect.stringContaining("may spend") })
    // Answered topics are kept, and no question was asked once the cap was reached.
    expect(results.length).toBeGreaterThan(0)
    expect(results.length).toBeLessThan(birds.length)
    const costs = (await spent()) - before
    expect(costs).toBeGreaterThanOrEqual(0.035)
    expect(costs).toBeLessThan(0.035 + 0.021)
    expect(await call("POST", "/evals", { name: "more", suite: "answer", set: "paid" })).toMatchObject({
      status: 402,
      body: { error: "spend_cap_exceeded" }
    })
    expect((await call("POST", "/evals", { name: "free", suite: "retrieval", set: "said" })).status).toBe(202)
  })
})
