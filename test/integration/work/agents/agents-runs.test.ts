import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { z } from "zod"
import { type ScriptedTurn, scriptedAgentModel } from "../../../../adapters/models/scripted.js"
import { createEngine as createPostgres } from "../../../../adapters/postgres/index.js"
import { createEngine as createSqlite, type Engine } from "../../../../adapters/sqlite/index.js"
import type { TurnRequest } from "../../../../core/platform/models/index.js"
import type { RunEvent } from "../../../../core/work/agent-runs/index.js"
import { temporaryFolder } from "../../../support/folders.js"
import { dropDatabase, makeMigrated } from "../../../support/postgres.js"

type Script = (turn: number, request: TurnRequest) => ScriptedTurn | Promise<ScriptedTurn>

const databases = { SQLite: null, Postgres: makeMigrated } as const

describe.each(Object.entries(databases))("agent runs on %s", (_, make) => {
  let vault: string
  let engine: Engine
  let database: string | undefined
  let script: Script = () => "unscripted"
  const sent: Array<string> = []
  const model = scriptedAgentModel((turn, request) => script(turn, request), {
    costOf: ({ input, output }) => ((input + output) / 1_000_000).toFixed(10)
  })

  beforeAll(async () => {
    vault = temporaryFolder("agents")
    const options = {
      vault,
      models: { chat: model },
      tools: [
        {
          name: "send_mail",
          description: "Send a mail.",
          input: z.object({ to: z.string() }),
          effect: "write" as const,
          run: ({ to }: { readonly to: string }) => {
            sent.push(to)
            return { sent: to }
          }
        }
      ]
    }
    database = make === null ? undefined : await make()
    engine =
      database === undefined
        ? await createSqlite({ ...options, data: ":memory:" })
        : await createPostgres({ ...options, database })
    await engine.documents.create({
      path: "laksa.md",
      content: "# Laksa\n\nLaksa is a spicy noodle soup from Malaysia."
    })
    await engine.agents.put("writer", {
      name: "Writer",
      instructions: "Write what is asked for.",
      tools: ["svc_search", "svc_get_chunk", "svc_create_document", "svc_replace_document", "send_mail"].map(
        (name) => ({ name })
      )
    })
  })
  afterEach(() => {
    sent.length = 0
  })
  afterAll(async () => {
    await engine.close()
    if (database !== undefined) await dropDatabase(database)
  })

  const watch = async (id: string): Promise<ReadonlyArray<RunEvent>> => {
    const events: Array<RunEvent> = []
    for await (const event of engine.runs.events(id)) events.push(event)
    return events
  }
  const runOf = async (input: string, slug = "writer") => {
    const { runId } = await engine.runs.start(slug, input)
    return { runId, events: await watch(runId), ...(await engine.runs.get(runId)) }
  }

  it("a run searches, answers with renumbered citations, and counts exactly what it used", async () => {
    script = (turn) =>
      turn === 0
        ? { calls: [{ name: "svc_search", arguments: { q: "laksa" } }] }
        : "Laksa is a noodle soup [S1]. Nobody knows more [S9]."
    const { events, run, steps } = await runOf("What is laksa?")
    expect(events.map(({ type }) => type)).toEqual(["model_call", "tool_call", "model_call", "final"])
    expect(run).toMatchObject({ status: "succeeded", error: null, trigger: "embedded" })
    expect(run.output?.text).toBe("Laksa is a noodle soup [S1]. Nobody knows more.")
    expect(run.output?.citations).toHaveLength(1)
    expect(run.output?.groundedness?.total).toBeGreaterThan(0)
    expect(steps.map(({ kind }) => kind)).toEqual([
      "guardrail",
      "model_call",
      "tool_call",
      "model_call",
      "guardrail"
    ])
    expect(steps.map(({ idx }) => idx)).toEqual([0, 1, 2, 3, 4])
    const total = steps.reduce((sum, { costUsd }) => sum + Math.round(Number(costUsd) * 1e10), 0)
    expect(Math.round(Number(run.costUsd) * 1e10)).toBe(total)
    const docId = run.output?.citations[0]?.docId ?? ""
    expect((await engine.documents.lineage(docId)).downstream.answerCount).toBe(1)
  })

  it("a run tells which words of its answer no source carries", async () => {
    script = (turn) =>
      turn === 0
        ? { calls: [{ name: "svc_search", arguments: { q: "laksa" } }] }
        : "Laksa is a spicy noodle cake from Malaysia [S1]."
    const { steps } = await runOf("What is laksa?")
    const text = "Laksa is a spicy noodle cake from Malaysia."
    const start = text.indexOf("cake")
    expect(steps.at(-1)).toMatchObject({
      kind: "guardrail",
      output: { claims: [{ text, unmatched: [{ start, end: start + "cake".length }] }] }
    })
  })

  it("a write waits for a person, and runs once with exactly the arguments that were shown", async () => {
    script = (turn, { messages }) =>
      turn === 0
        ? {
            text: "I will note it.",
            calls: [{ name: "svc_create_document", arguments: { path: "note.md", content: "# Note" } }]
          }
        : `Done: ${messages.at(-1)?.content.includes("error") ? "no" : "yes"}`
    const first = await runOf("Write a note.")
    expect(first.events.at(-1)).toMatchObject({ type: "suspended", toolName: "svc_create_document" })
    const approval = first.steps.at(-1)
    expect(approval).toMatchObject({ kind: "approval", status: "pending" })
    expect(approval?.input).toMatchObject({ toolName: "svc_create_document", reason: "I will note it." })
    expect(JSON.stringify(approval?.input?.["preview"])).toContain("+# Note")
    const listed = await engine.runs.list({ status: "suspended" })
    const approvalId = listed.items[0]?.pendingApproval?.approvalId ?? ""
    const decisions = await Promise.allSettled([
      engine.runs.decide(first.runId, approvalId, "allow", "fine"),
      engine.runs.decide(first.runId, approvalId, "allow"),
      engine.runs.decide(first.runId, approvalId, "allow")
    ])
    expect(decisions.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
    for (const one of decisions) if (one.status === "rejected") expect(one.reason.code).toBe("not_open")
    const events = await watch(first.runId)
    expect(events.at(-1)).toMatchObject({ type: "final", status: "succeeded", text: "Done: yes" })
    expect((await engine.documents.getByPath("note.md")).content).toContain("# Note")
    const audit = await engine.audit.list({ action: "document.create" })
    expect(audit.items[0]?.details).toMatchObject({ activity: `agent:${first.runId}` })
  })

  it("denies, conflicts and cancellation close a waiting call and write nothing", async () => {
    script = (turn) =>
      turn === 0 ? { calls: [{ name: "send_mail", arguments: { to: "a@b" } }] } : "I did not."
    const denied = await runOf("Mail a@b.")
    const approvalOf = (steps: typeof denied.steps) =>
      String(steps.find(({ kind }) => kind === "approval")?.input?.["approvalId"])
    await engine.runs.decide(denied.runId, approvalOf(denied.steps), "deny", "not today")
    expect((await watch(denied.runId)).slice(-3)).toMatchObject([
      { type: "tool_call", ok: false },
      { type: "model_call" },
      { type: "final", status: "succeeded" }
    ])
    expect(model.requests.at(-1)?.messages.at(-1)?.content).toContain("not today")

    const { docId } = await engine.documents.create({ path: "target.md", content: "# One" })
    script = (turn) =>
      turn === 0
        ? { calls: [{ name: "svc_replace_document", arguments: { id: docId, content: "# Two" } }] }
        : "ok"
    const stale = await runOf("Replace it.")
    await engine.documents.replace(docId, "# Three")
    await expect(engine.runs.decide(stale.runId, approvalOf(stale.steps), "allow")).rejects.toMatchObject({
      code: "conflict"
    })
    expect(await engine.runs.cancel(stale.runId)).toEqual({ cancelled: true })
    expect(await engine.runs.cancel(stale.runId)).toEqual({ cancelled: false })
    expect((await watch(stale.runId)).at(-1)).toMatchObject({ type: "final", status: "interrupted" })
    expect((await engine.documents.get(docId)).content).toBe("# Three")
    expect(sent).toEqual([])
  })

  it("several calls of one turn wait at once and are decided in any order", async () => {
    script = (turn) =>
      turn === 0
        ? {
            calls: [
              { name: "send_mail", arguments: { to: "one" } },
              { name: "svc_search", arguments: { q: "laksa" } },
              { name: "send_mail", arguments: { to: "two" } }
            ]
          }
        : "Sent."
    const { runId, steps } = await runOf("Mail both.")
    const waiting = steps
      .filter(({ kind }) => kind === "approval")
      .map(({ input }) => String(input?.["approvalId"]))
    expect(waiting).toHaveLength(2)
    await engine.runs.decide(runId, waiting[1] ?? "", "allow")
    expect((await watch(runId)).at(-1)).toMatchObject({ type: "suspended", approvalId: waiting[0] })
    await engine.runs.decide(runId, waiting[0] ?? "", "allow")
    expect((await watch(runId)).at(-1)).toMatchObject({ type: "final", status: "succeeded" })
    expect(sent).toEqual(["two", "one"])
  })

  it("malformed arguments, loops, empty replies and an unreachable model each end as stated", async () => {
    const cases: ReadonlyArray<readonly [string, Script, string]> = [
      [
        "malformed",
        (turn) => ({ calls: [{ name: "svc_search", arguments: { q: turn } }] }),
        "invalid_tool_arguments"
      ],
      ["loop", () => ({ calls: [{ name: "svc_search", arguments: { q: "same" } }] }), "tool_loop"],
      ["empty", () => "", "empty_reply"]
    ]
    for (const [name, made, code] of cases) {
      script = made
      const { run } = await runOf(name)
      expect([name, run.status, run.error?.code]).toEqual([name, "failed", code])
    }
  })

  it("a budget of steps ends a run gracefully with a text", async () => {
    await engine.agents.put("short", {
      name: "Short",
      instructions: "Work.",
      tools: [{ name: "svc_search" }],
      budgets: { steps: 2 }
    })
    script = (turn) => ({
      text: "Working on it.",
      calls: [{ name: "svc_search", arguments: { q: `q${turn}` } }]
    })
    const { run } = await runOf("Go.", "short")
    expect(run).toMatchObject({ status: "budget_exceeded", error: { code: "budget_steps" } })
    expect(run.output?.text).toBe("Working on it.")
  })

  it("a conversation carries earlier turns, feedback is kept by kind, and a fork reuses the prefix", async () => {
    script = (turn) =>
      turn === 0 ? { calls: [{ name: "svc_search", arguments: { q: "laksa" } }] } : "A soup [S1]."
    const first = await runOf("What is laksa?")
    script = (_turn, { messages }) => `Earlier: ${messages.filter(({ role }) => role === "user").length - 1}`
    const { runId } = await engine.runs.start("writer", "And then?", {
      conversationId: first.run.conversationId ?? ""
    })
    expect((await watch(runId)).at(-1)).toMatchObject({ text: "Earlier: 1" })
    await engine.runs.feedback(runId, "rating", { rating: 2 })
    await expect(engine.runs.feedback(runId, "rating", { rating: 9 })).rejects.toMatchObject({
      code: "invalid_body"
    })
    expect((await engine.runs.list({ feedback: "negative" })).items.map(({ id }) => id)).toEqual([runId])
    expect((await engine.runs.replay(first.runId)).divergedAt).toBeNull()
    script = () => "Forked [S1]."
    const fork = await engine.runs.fork(first.runId, { at: 3 })
    expect((await watch(fork.runId)).map(({ type }) => type)).toEqual([
      "model_call",
      "tool_call",
      "model_call",
      "final"
    ])
    const forked = await engine.runs.get(fork.runId)
    expect(forked.run).toMatchObject({ forkedFrom: first.runId, output: { text: "Forked [S1]." } })
  })
})
