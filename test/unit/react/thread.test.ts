// `Thread`, `Composer` and the decisions of `RunTimeline` in a document.
import { act, createElement, type ReactNode } from "react"
import { afterEach, describe, expect, it } from "vitest"
import { KanonProvider } from "../../../react/provider.js"
import { RunTimeline } from "../../../react/run-timeline.js"
import { Composer, Thread } from "../../../react/thread.js"
import { type ThreadState, useThread } from "../../../react/use-thread.js"
import type { KanonClient, QueryInput, RunStep, StructuredAnswer } from "../../../server/client/index.js"
import { withPageDocument } from "../../support/page-document.js"

let end: () => Promise<void> = async () => undefined
withPageDocument()
afterEach(() => end())

const mount = async (tree: ReactNode) => {
  const { createRoot } = await import("react-dom/client")
  const place = document.createElement("div")
  document.body.appendChild(place)
  const root = createRoot(place)
  await act(async () => root.render(tree))
  end = async () => {
    await act(async () => root.unmount())
    place.remove()
  }
  const find = (testId: string): HTMLElement =>
    place.querySelector(`[data-testid="${testId}"]`) ?? expect.fail(`no ${testId}`)
  return { place, find }
}

const answerTo = (question: string) =>
  ({
    answer: `About ${question}`,
    claims: [{ text: `About ${question}`, citations: [], status: "supported" }],
    sources: [],
    dataCalls: [],
    groundedness: { verified: 1, total: 1 },
    policy: { mode: "off", verdict: "answer", confidence: 1, reasons: [], caveats: [], conflicts: [] }
  }) as unknown as StructuredAnswer

/** A client that answers every question but one, and keeps what it was asked. */
const makeClient = () => {
  const asked: Array<QueryInput> = []
  async function* streamQuery(input: QueryInput) {
    asked.push(input)
    if (input.question === "Fail?") throw new Error("The server is asleep.")
    yield { type: "answer", answer: answerTo(input.question), answerId: `ans_${asked.length}` }
  }
  return { asked, client: { streamQuery } as unknown as KanonClient }
}

describe("Thread and Composer", () => {
  it("ask questions of one conversation, keep each with its answer, and show what failed", async () => {
    const { asked, client } = makeClient()
    let thread: ThreadState | undefined
    const input = { pathPrefix: "notes/" }
    const Page = (): ReactNode => {
      thread = useThread({ input })
      return [
        createElement(Thread, { key: 1, thread, renderAnswer: ({ answerId }) => `kept as ${answerId}` }),
        createElement(Composer, { key: 2, thread })
      ]
    }
    // biome-ignore lint/correctness/noChildrenProp: the properties of the provider want it.
    const page = createElement(KanonProvider, { client, children: createElement(Page) })
    const { find, place } = await mount(page)
    expect(find("composer-ask").hasAttribute("disabled")).toBe(true)
    for (const question of ["One?", "Two?", "Fail?"])
      await act(async () => void (await thread?.ask(question)))
    const turns = [...place.querySelectorAll('[data-testid="turn"]')].map(({ textContent }) => textContent)
    expect(turns[0]).toMatch(/^One\?.*About One\?.*kept as ans_1$/)
    expect(turns[1]).toMatch(/^Two\?.*kept as ans_2$/)
    expect(turns[2]).toBe("Fail?The server is asleep.")
    expect(new Set(asked.map(({ conversationId }) => conversationId)).size).toBe(1)
    expect(asked[0]).toMatchObject({ question: "One?", pathPrefix: "notes/" })
  })
})

const waiting = {
  id: "step_1",
  idx: 1,
  kind: "approval",
  name: "svc_create_document",
  status: "pending",
  input: {
    approvalId: "apv_1",
    toolName: "svc_create_document",
    arguments: { path: "a.md" },
    reason: null,
    preview: { diff: "+# A" }
  },
  output: null,
  error: null,
  tokensIn: 0,
  tokensOut: 0,
  costUsd: "0",
  latencyMs: null
} as unknown as RunStep

describe("RunTimeline", () => {
  it("lets a person allow or deny a waiting call, and says why a decision failed", async () => {
    const decisions: Array<unknown> = []
    const onDecide = async (decision: { readonly decision: string }) => {
      decisions.push(decision)
      if (decision.decision === "deny") throw new Error("It was decided already.")
    }
    const { find, place } = await mount(createElement(RunTimeline, { steps: [waiting], onDecide }))
    expect(find("approval-diff").textContent).toBe("+# A")
    for (const id of ["approval-allow", "approval-deny"]) await act(async () => find(id).click())
    expect(decisions).toEqual([
      { approvalId: "apv_1", decision: "allow" },
      { approvalId: "apv_1", decision: "deny" }
    ])
    expect(place.querySelector('[role="alert"]')?.textContent).toBe("It was decided already.")
  })

  it("shows no buttons for calls that were decided, or without somebody to take the decision", async () => {
    const decided = { ...waiting, status: "ok" } as RunStep
    const { place } = await mount(createElement(RunTimeline, { steps: [decided], onDecide: () => undefined }))
    expect(place.querySelector("button")).toBeNull()
    await end()
    const other = await mount(createElement(RunTimeline, { steps: [waiting] }))
    expect(other.place.querySelector("button")).toBeNull()
  })
})
