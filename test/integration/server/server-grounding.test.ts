import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { z } from "zod"
import { GroundingReport } from "../../../core/answers/answering/index.js"
import { type Judgement, ModelFailed } from "../../../core/platform/models/index.js"
import { startServer, type TestServer } from "../../support/server.js"

const Saved = z.object({ docId: z.string() })

/** How long a check may hold up everybody else: about a hundred times what a request takes. */
const pauseMaxMs = 200

let server: TestServer
let judged: TestServer
let key: string
let judgedKey: string
let docs: Readonly<Record<string, string>>
let judgedDocs: Readonly<Record<string, string>>
/** Next reply of the judge; null when it is down. */
let said: ((claims: number) => ReadonlyArray<Judgement>) | null = null

const pages = {
  "archive.md": "# Archive\n\nInvoices are kept for 10 years in the archive.\n\nGuest access is not allowed.",
  "orlin.md": "# Orlin\n\nThe Orlin backup runs every 6 hours.\n\nOrlin was retired on 12 May 2022.",
  "notes.md": "# Notes\n\nThe Orlin backup runs every 8 hours."
}

const filled = async (at: TestServer) => {
  const workspace = await at.workspace("home")
  const key = await at.key(workspace)
  const ids: Record<string, string> = {}
  for (const [path, content] of Object.entries(pages)) {
    const { body } = await at.call("POST", "/api/v1/documents", { key, body: { path, content } })
    ids[path] = Saved.parse(body).docId
  }
  return [key, ids] as const
}

beforeAll(async () => {
  server = await startServer()
  ;[key, docs] = await filled(server)
  judged = await startServer({
    models: {
      judge: {
        modelId: "test/judge",
        judge: (claims) =>
          said === null
            ? new ModelFailed({ modelId: "test/judge", message: "down", retryable: true })
            : Effect.succeed({
                judgements: said(claims.length),
                usage: { inputTokens: 7, outputTokens: 3, costUsd: "0.001", estimated: false }
              })
      }
    }
  })
  ;[judgedKey, judgedDocs] = await filled(judged)
})
afterAll(async () => {
  await server.close()
  await judged.close()
})

const post = (at: TestServer, key: string, body: object) =>
  at.call("POST", "/api/v1/grounding/check", { key, body })

const checked = async (body: object, at = server, by = key) => {
  const { body: given, status } = await post(at, by, body)
  expect(status).toBe(200)
  const report = GroundingReport.parse(given)
  const ids = new Set(report.sources.map(({ id }) => id))
  for (const { citations } of report.claims) for (const id of citations) expect(ids).toContain(id)
  expect(report.groundedness.total).toBe(report.claims.length)
  expect(report.claims.filter(({ status }) => status === "supported")).toHaveLength(
    report.groundedness.verified
  )
  return report
}

describe("POST /grounding/check", () => {
  it("tells statement by statement what the workspace carries", async () => {
    const report = await checked({
      text: "Invoices are kept for ten years [S4]. Guest access is allowed. What of Merrow? The moon is made of green cheese.\n\n- Orlin was retired in May 2022 and the Orlin database was deleted in June 2023."
    })
    expect(report.claims.map(({ status, text }) => [text, status])).toEqual([
      ["Invoices are kept for ten years.", "supported"],
      ["Guest access is allowed.", "contradicted"],
      ["The moon is made of green cheese.", "unsupported"],
      ["Orlin was retired in May 2022 and the Orlin database was deleted in June 2023.", "unsupported"]
    ])
    expect(report.groundedness).toEqual({ verified: 1, total: 4 })
    expect(report.claims[2]?.citations).toEqual([])
    expect(report.usage).toEqual({ inputTokens: 0, outputTokens: 0, costUsd: 0 })
  })

  it("shows where the sources of a statement disagree, and says so in the verdict", async () => {
    const { conflicts, policy } = await checked({ text: "The Orlin backup runs every 6 hours." })
    expect(conflicts.map(({ kind, sides }) => [kind, sides.map(({ value }) => value).sort()])).toEqual([
      ["number", ["every 6 hours", "every 8 hours"]]
    ])
    expect(policy.caveats.map(({ code }) => code)).toContain("conflicting_evidence")
  })

  it("looks for what a text says twice once, and counts it twice", async () => {
    const said = "Invoices are kept for ten years."
    const { claims, groundedness } = await checked({ text: `${said} The moon is cheese. ${said}` })
    expect(claims.map(({ status }) => status)).toEqual(["supported", "unsupported", "supported"])
    expect(groundedness).toEqual({ verified: 2, total: 3 })
  })

  it.each([
    [
      "many statements",
      Array.from({ length: 500 }, (_, at) => `Invoice ${at} is kept for ten years.`).join(" ")
    ],
    // Each part is another one: what a text says twice is looked for once.
    [
      "one statement",
      `Invoices are kept ${Array.from({ length: 620 }, (_, at) => `in archive ${at} for ten years and `).join("")}in the archive.`
    ],
    ["numbers alone", Array.from({ length: 3_000 }, (_, at) => `${at} years`).join(", ")]
  ])("lets others have their turn while it checks 20,000 characters of %s", async (_, text) => {
    const whole = text.slice(0, 20_000)
    await post(server, key, { text: whole.slice(0, 4_000) })
    let isDone = false
    const pausesMs: Array<number> = []
    // Time of the processor, which does not grow while other programs have it.
    let last = process.cpuUsage()
    const look = () => {
      const { system, user } = process.cpuUsage(last)
      last = process.cpuUsage()
      pausesMs.push((user + system) / 1000)
      if (!isDone) setTimeout(look)
    }
    setTimeout(look)
    const { status } = await post(server, key, { text: whole })
    isDone = true
    expect(status).toBe(200)
    // One turn comes with the request and one with its answer.
    expect(pausesMs.length).toBeGreaterThan(4)
    expect(Math.max(...pausesMs)).toBeLessThan(pauseMaxMs)
  })

  it("looks only into the documents that are named", async () => {
    const text = "Invoices are kept for 10 years in the archive."
    expect((await checked({ text, docIds: [docs["archive.md"]] })).claims[0]?.status).toBe("supported")
    const elsewhere = await checked({ text, docIds: [docs["orlin.md"]] })
    expect(elsewhere.claims[0]).toEqual({ text, status: "unsupported", citations: [] })
    const nothing = await checked({ text, entityIds: [], policyMode: "enforce" })
    expect(nothing).toMatchObject({ sources: [], policy: { verdict: "abstain_with_pointers" } })
  })

  it("answers 404 where a named document or entity is not there, and takes a merged one for its head", async () => {
    const text = "The Orlin backup runs every 6 hours."
    const made = async (name: string) =>
      z
        .object({ id: z.string() })
        .parse((await server.call("POST", "/api/v1/entities", { key, body: { name, type: "backup" } })).body)
        .id
    const [orlin, twin, gone] = [
      await made("Orlin backup"),
      await made("Orlin save"),
      await made("Orlin copy")
    ]
    const merged = await server.call("POST", `/api/v1/entities/${twin}/merge`, {
      key,
      body: { intoId: orlin }
    })
    expect(merged.status).toBe(200)
    await checked({ text, entityIds: [orlin, twin] })
    await server.call("DELETE", `/api/v1/entities/${gone}`, { key })
    const trashed = await server.call("POST", "/api/v1/documents", {
      key,
      body: { path: "trashed.md", content: text }
    })
    const { docId } = Saved.parse(trashed.body)
    await server.call("DELETE", `/api/v1/documents/${docId}`, { key })
    for (const ids of [
      { docIds: [docs["orlin.md"], "doc_00000000000000000000000000"] },
      { docIds: [docId] },
      { docIds: [judgedDocs["orlin.md"]] },
      { entityIds: ["ent_00000000000000000000000000"] },
      { docIds: ["x"] },
      { entityIds: [orlin, gone] }
    ])
      expect(await post(server, key, { text, ...ids })).toMatchObject({
        status: 404,
        body: { error: "not_found" }
      })
  })

  it("keeps to its bounds, and to what a judge needs", async () => {
    for (const body of [{}, { text: "" }, { text: "k".repeat(20_001) }, { text: "It is.", docIds: [7] }])
      expect((await post(server, key, body)).status).toBe(400)
    const many = Array.from({ length: 51 }, () => docs["archive.md"])
    expect((await post(server, key, { text: "It is.", docIds: many })).status).toBe(400)
    expect(await post(server, key, { text: "It is.", judge: true })).toMatchObject({
      status: 409,
      body: { error: "no-model-configured" }
    })
    expect((await checked({ text: "k".repeat(20_000), policyMode: "off" })).policy.mode).toBe("off")
    expect((await checked({ text: "?!" })).claims).toEqual([])
  })

  it("has a judge look, whose quote must stand there, and does without one that is down", async () => {
    const text = "Bills stay in the archive for a decade. Invoices are kept for 9 years in the archive."
    const docIds = [judgedDocs["archive.md"]]
    const quoting = (quote: string) => (count: number) =>
      Array.from({ length: count }, () => ({ supported: "yes" as const, quote }))
    const statuses = async (body: object) => {
      const { claims, usage } = await checked({ text, docIds, ...body }, judged, judgedKey)
      return [...claims.map(({ status }) => status), usage.inputTokens]
    }
    said = quoting("Invoices are kept for 10 years")
    expect(await statuses({})).toEqual(["supported", "contradicted", 7])
    said = quoting("Bills are kept for a decade")
    expect(await statuses({})).toEqual(["unsupported", "contradicted", 7])
    expect((await statuses({ judge: false })).slice(1)).toEqual(["contradicted", 0])
    said = null
    const { policy } = await checked({ text, docIds, judge: true }, judged, judgedKey)
    expect(policy.reasons).toContain("judge_unavailable")
  })
})
