import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { z } from "zod"
import type { WorkspaceId } from "../../../../core/platform/kernel/index.js"
import { EvalItem, EvalResult, EvalView, Judgment } from "../../../../core/work/evaluation/index.js"
import { Comparison } from "../../../../core/work/evaluation/operations.js"
import { cancelEval } from "../../../../core/work/evaluation/run.js"
import { startServer, type TestServer } from "../../../support/server.js"
import { workOff } from "../../../support/work-off.js"

const Shown = z.object({
  eval: EvalView,
  metrics: z.record(z.string(), z.unknown()).nullable(),
  results: z.array(EvalResult),
  total: z.number()
})
const Qrels = z.object({ items: z.array(Judgment), total: z.number() })

let server: TestServer
let home: WorkspaceId
let key = ""
const docs: Array<string> = []

const call = (method: string, path: string, body?: unknown, as = key) =>
  server.call(method, `/api/v1${path}`, { key: as, ...(body === undefined ? {} : { body }) })
const put = (...judgments: ReadonlyArray<object>) => call("PUT", "/qrels", { judgments })
const start = async (body: object) => {
  const answer = await call("POST", "/evals", body)
  expect([answer.status, answer.body]).toEqual([202, expect.objectContaining({ status: "queued" })])
  await server.as(home, workOff)
  return Shown.parse((await call("GET", `/evals/${z.object({ id: z.string() }).parse(answer.body).id}`)).body)
}
const text = async (path: string, accept = "*/*") =>
  (
    await server.fetch(
      new Request(`http://kanon.test/api/v1${path}`, { headers: { authorization: `Bearer ${key}`, accept } })
    )
  ).text()

const birds = ["heron", "kestrel", "plover", "wren", "osprey", "curlew"]
const question = (bird: string) => `Where does the ${bird} nest?`

beforeAll(async () => {
  server = await startServer()
  home = await server.workspace("home")
  key = await server.key(home)
  for (const [at, bird] of birds.entries()) {
    const content = `# The ${bird}\n\nThe ${bird} nests in marsh number ${at + 10}. It leaves in autumn.\n`
    const { body } = await call("POST", "/documents", { path: `birds/${bird}.md`, content })
    docs.push(z.object({ docId: z.string() }).parse(body).docId)
  }
  const judgments = birds.map((bird, at) => ({
    set: "birds",
    queryId: `q${at}`,
    query: question(bird),
    docId: docs[at],
    grade: 3,
    answers: [`marsh number ${at + 10}`]
  }))
  const answer = await put(...judgments, {
    set: "birds",
    queryId: "none",
    query: "What does a unicorn cost?",
    expectAbstain: true
  })
  expect(answer).toMatchObject({ status: 200, body: { created: 7, updated: 0, removed: 0, unchanged: 0 } })
})
afterAll(() => server.close())

describe("judgments", () => {
  it("are written once, changed, found again by every filter, and removed", async () => {
    const one = { set: "small", queryId: "x", query: "Which bird?", docId: docs[0], grade: 2, note: "sure" }
    expect((await put(one)).body).toMatchObject({ created: 1 })
    expect((await put(one)).body).toMatchObject({ unchanged: 1, created: 0 })
    expect((await put({ ...one, grade: 1 })).body).toMatchObject({ updated: 1 })
    for (const filter of [
      "set=small",
      "set=small&query=x",
      "set=small&query=WHICH",
      `set=small&docId=${docs[0]}`
    ]) {
      const { items, total } = Qrels.parse((await call("GET", `/qrels?${filter}`)).body)
      expect([total, items[0]?.grade, items[0]?.note]).toEqual([1, 1, "sure"])
      expect(items[0]?.judge).toMatch(/^key_/)
    }
    expect(Qrels.parse((await call("GET", "/qrels?set=small&query=%25")).body).total).toBe(0)
    expect(await text("/qrels?set=small&format=trec")).toBe(`x 0 ${docs[0]} 1\n`)
    expect(await text("/qrels?set=small", "text/plain")).toBe(`x 0 ${docs[0]} 1\n`)
    expect((await put({ set: "small", queryId: "x", docId: docs[0], grade: null })).body).toMatchObject({
      removed: 1
    })
    expect(Qrels.parse((await call("GET", "/qrels?set=small")).body).total).toBe(0)
  })

  it("are refused as a whole when a document is unknown or a field is wrong", async () => {
    const good = { set: "bad", queryId: "x", query: "Which?", docId: docs[0], grade: 2 }
    expect(await put(good, { ...good, queryId: "y", docId: "doc_00000000000000000000000000" })).toMatchObject(
      {
        status: 404,
        body: { error: "not_found" }
      }
    )
    for (const wrong of [
      { ...good, grade: 5 },
      { ...good, grade: 1.5 },
      { ...good, queryId: "a b" },
      { ...good, docId: undefined },
      { ...good, grade: undefined },
      { ...good, query: undefined },
      { ...good, judge: "somebody" },
      { ...good, expectAbstain: true, answers: ["a"] }
    ])
      expect(await put(wrong), JSON.stringify(wrong)).toMatchObject({
        status: 400,
        body: { error: "invalid_body", issues: [expect.anything()] }
      })
    expect(Qrels.parse((await call("GET", "/qrels?set=bad")).body).total).toBe(0)
  })

  it("hang on the quoted text when the document is cut anew", async () => {
    const path = "cut.md"
    const first = "# Cut\n\nThe first paragraph is here.\n\n## Part\n\nThe marsh is wide.\n"
    const made = z
      .object({ docId: z.string() })
      .parse((await call("POST", "/documents", { path, content: first })).body)
    const found = z
      .object({ results: z.array(z.object({ chunkId: z.string(), docId: z.string() })) })
      .parse((await call("GET", "/search?q=marsh+wide")).body)
    const chunk = found.results.find(({ docId }) => docId === made.docId)?.chunkId
    const judgment = {
      set: "cut",
      queryId: "x",
      query: "How wide?",
      docId: made.docId,
      chunkId: chunk,
      grade: 1
    }
    expect(await put({ ...judgment, quote: "The marsh is wide." })).toMatchObject({ status: 200 })
    const anchor = async () => Qrels.parse((await call("GET", "/qrels?set=cut")).body).items[0]?.chunkId
    expect(await anchor()).toBe(chunk)
    await call("PATCH", `/documents/${made.docId}`, { content: `${first}It is wet.\n` })
    const moved = await anchor()
    expect(moved).not.toBe(chunk)
    expect((await call("GET", `/chunks/${moved}`)).body).toMatchObject({ docId: made.docId })
    await call("DELETE", `/documents/${made.docId}`)
    expect(await anchor()).toBeNull()
  })

  it("of a person are not replaced by a model's, and correct what the model judged", async () => {
    const about = (at: number) => ({ set: "judged", queryId: `q${at}`, query: question(birds[at] ?? "") })
    const grades = [3, 3, 3, 0, 0, 0]
    const model = { judge: "model:test" }
    await put(...grades.map((grade, at) => ({ ...about(at), docId: docs[at], grade, ...model })))
    await put({ ...about(0), docId: docs[0], grade: 3 }, { ...about(3), docId: docs[3], grade: 0 })
    await put({ ...about(1), docId: docs[1], grade: 2 }, { ...about(4), docId: docs[4], grade: 0 })
    expect((await put({ ...about(0), docId: docs[0], grade: 0, ...model })).body).toMatchObject({
      unchanged: 1
    })
    await put({ ...about(0), docId: docs[0], grade: 3, ...model })
    const run = await start({ name: "judged", suite: "retrieval", set: "judged" })
    const [share, ...ofMetrics] = run.eval.judgeCorrections
    expect(share).toMatchObject({ judge: "model:test", labels: 4, sensitivity: 1, specificity: 1, raw: 0.5 })
    expect(ofMetrics).toContainEqual(
      expect.objectContaining({ judge: "model:test", labels: 4, metric: "ndcg@10", raw: 0.5, corrected: 0.5 })
    )
  })
})

describe("an evaluation run", () => {
  it("of retrieval finds what is judged, under one digest, with metrics by both names", async () => {
    const [first, second] = [
      await start({ name: "first", suite: "retrieval", set: "birds" }),
      await start({ name: "second", suite: "retrieval", set: "birds" })
    ]
    expect(first.eval).toMatchObject({
      status: "succeeded",
      topics: 6,
      done: 6,
      corpusChanged: false,
      seed: 1
    })
    expect(first.eval.configDigest).toBe(second.eval.configDigest)
    expect(first.eval.corpusFingerprint).toBe(second.eval.corpusFingerprint)
    expect(first.metrics).toMatchObject({
      ndcg: 1,
      "ndcg@10": 1,
      mrr: 1,
      map: 1,
      groundedness: null,
      abstention: null
    })
    expect(first.results).toHaveLength(6)
    expect(first.results[0]).toMatchObject({ queryId: "q0", metrics: { "ndcg@10": 1 } })
    expect(first.results[0]?.ranking[0]).toBe(docs[0])
    expect(second.results).toEqual(first.results)
    const other = await start({ name: "first", suite: "retrieval", set: "birds", seed: 2 })
    expect(other.eval.configDigest).not.toBe(first.eval.configDigest)
    const lines = (await text(`/evals/${first.eval.id}?format=trec`)).trim().split("\n")
    expect((await text(`/evals/${first.eval.id}`, "text/plain")).trim().split("\n")).toEqual(lines)
    expect(lines[0]).toMatch(new RegExp(`^q0 Q0 ${docs[0]} 1 [0-9.e-]+ ${first.eval.id}$`))
    const listed = z
      .object({ items: z.array(EvalItem), total: z.number() })
      .parse((await call("GET", "/evals?suite=retrieval&status=succeeded&limit=2")).body)
    expect(listed.items[0]?.id).toBe(other.eval.id)
    expect(listed.items).toHaveLength(2)
  })

  it("of answers scores them, leaves no decision, and of abstention counts what is to be declined", async () => {
    const decisions = async () =>
      z.object({ total: z.number() }).parse((await call("GET", "/policy/decisions")).body).total
    const before = await decisions()
    const answers = await start({ name: "answers", suite: "answer", set: "birds" })
    expect(answers.eval).toMatchObject({ status: "succeeded", topics: 6 })
    const { f1, groundedness, right } = z
      .object({ f1: z.number(), groundedness: z.number(), right: z.number() })
      .parse(answers.metrics)
    expect(right).toBe(1)
    expect(groundedness).toBe(1)
    expect(f1).toBeGreaterThan(0.2)
    expect(answers.results[0]).toMatchObject({
      right: true,
      confidence: expect.any(Number),
      verdict: expect.any(String)
    })
    const declined = await start({ name: "declined", suite: "abstention", set: "birds" })
    expect(declined.eval.topics).toBe(7)
    const none = declined.results.find(({ queryId }) => queryId === "none")
    expect(none).toMatchObject({ expectAbstain: true, verdict: "abstain_with_pointers", right: false })
    expect(declined.metrics).toMatchObject({
      abstention: { recall: 1, harm: 0, overAbstention: expect.any(Number) }
    })
    expect(await decisions()).toBe(before)
  })

  it("says that the corpus changed, keeps what it judged by, and can be cancelled", async () => {
    const queued = await call("POST", "/evals", { name: "cancelled", suite: "retrieval", set: "birds" })
    const { id } = EvalView.pick({ id: true }).parse(queued.body)
    expect(await call("GET", `/evals/${id}?format=trec`)).toMatchObject({
      status: 409,
      body: { error: "conflict" }
    })
    expect(await server.as(home, cancelEval(id))).toBe(true)
    await server.as(home, workOff)
    expect(Shown.parse((await call("GET", `/evals/${id}`)).body).eval.status).toBe("cancelled")
    expect(await server.as(home, cancelEval(id))).toBe(false)
  })

  it("is refused for an empty set, a wrong body, and answers without the right to ask", async () => {
    expect(await call("POST", "/evals", { name: "x", suite: "retrieval", set: "nothing" })).toMatchObject({
      status: 400,
      body: { error: "invalid_body" }
    })
    expect(await call("POST", "/evals", { name: "", suite: "retrieval", set: "birds" })).toMatchObject({
      status: 400
    })
    const alone = { name: "x", suite: "retrieval", set: "birds", options: { channels: ["vector"] } }
    expect(await call("POST", "/evals", alone)).toMatchObject({
      status: 400,
      body: { issues: [{ code: "no_vectors" }] }
    })
    const writer = await server.key(home, ["kb:write"])
    expect(await call("POST", "/evals", { name: "x", suite: "answer", set: "birds" }, writer)).toMatchObject({
      status: 403,
      body: { error: "insufficient_scope" }
    })
    expect(
      await call("POST", "/evals", { name: "x", suite: "retrieval", set: "birds" }, writer)
    ).toMatchObject({
      status: 202
    })
    expect(
      await call("POST", "/evals", { name: "x", suite: "answer", set: "birds", calibrate: true })
    ).toMatchObject({ status: 400 })
    await server.as(home, workOff)
  })
})

describe("a comparison", () => {
  it("pairs the topics of two runs and names what got worse", async () => {
    const good = await start({ name: "good", suite: "retrieval", set: "birds" })
    // The same ranking is worse where another document is the right one.
    await put(
      { set: "birds", queryId: "q0", docId: docs[0], grade: 0 },
      { set: "birds", queryId: "q0", docId: docs[5], grade: 3 }
    )
    const bad = await start({ name: "bad", suite: "retrieval", set: "birds" })
    await put(
      { set: "birds", queryId: "q0", docId: docs[0], grade: 3 },
      { set: "birds", queryId: "q0", docId: docs[5], grade: null }
    )
    const compared = Comparison.parse(
      (await call("GET", `/evals/${bad.eval.id}/compare?baseline=${good.eval.id}`)).body
    )
    expect(compared).toMatchObject({ metric: "ndcg@10", n: 6, meanA: 1, test: "randomisation_exact" })
    expect(compared.delta).toBeCloseTo(compared.meanB - compared.meanA, 12)
    expect(compared.losses).toBe(1)
    expect(compared.losses).toBe(compared.regressions.length)
    expect(compared.regressions.every(({ delta }) => delta < 0)).toBe(true)
    const same = Comparison.parse(
      (await call("GET", `/evals/${good.eval.id}/compare?baseline=${good.eval.id}&metric=ap&seed=7`)).body
    )
    expect(same).toMatchObject({
      metric: "ap",
      delta: 0,
      pValue: 1,
      wins: 0,
      losses: 0,
      ties: 6,
      regressions: []
    })
    await put({ set: "birds", queryId: "q9", query: "Which bird leaves?", docId: docs[0], grade: 1 })
    const larger = await start({ name: "larger", suite: "retrieval", set: "birds" })
    const path = `/evals/${larger.eval.id}/compare?baseline=${good.eval.id}`
    expect(await call("GET", path)).toMatchObject({ status: 409, body: { error: "conflict" } })
    expect(
      await call("GET", `/evals/${good.eval.id}/compare?baseline=${good.eval.id}&metric=nope`)
    ).toMatchObject({
      status: 400,
      body: { error: "invalid_params" }
    })
    expect(await call("GET", `/evals/${good.eval.id}/compare`)).toMatchObject({ status: 400 })
    await put({ set: "birds", queryId: "q9", docId: docs[0], grade: null })
  })
})
