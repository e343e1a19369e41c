// `useAsk` in a document: what it shows while an answer comes, and when a question is left.
import { act, createElement, type ReactNode } from "react"
import { afterEach, describe, expect, it } from "vitest"
import { KanonProvider } from "../../../react/provider.js"
import { type AskOutcome, type AskState, type AskTransport, useAsk } from "../../../react/use-ask.js"
import type { AnswerEvent, KanonClient, StructuredAnswer } from "../../../server/client/index.js"
import { withPageDocument } from "../../support/page-document.js"

const answer = { answer: "Four litres. [S1]", claims: [], sources: [] } as unknown as StructuredAnswer
const claim = (text: string): Extract<AnswerEvent, { type: "claim" }>["claim"] => ({
  text,
  citations: ["S1"],
  status: "supported"
})

/** Events that the test hands out one by one, and whether their reader has left. */
const makeStream = () => {
  const waiting: Array<(event: AnswerEvent | Error) => void> = []
  const state = { isLeft: false, asked: 0 }
  async function* events(signal: AbortSignal | undefined): AsyncGenerator<AnswerEvent, undefined> {
    state.asked += 1
    try {
      for (;;) {
        const event = await new Promise<AnswerEvent | Error>((resolve, reject) => {
          waiting.push(resolve)
          signal?.addEventListener("abort", () => reject(signal.reason))
        })
        if (event instanceof Error) throw event
        yield event
      }
    } finally {
      state.isLeft = true
    }
  }
  const client = {
    streamQuery: (_: unknown, { signal }: { readonly signal?: AbortSignal } = {}) => events(signal)
  } as unknown as KanonClient
  const give = (event: AnswerEvent | Error) =>
    act(async () => {
      waiting.shift()?.(event)
      await new Promise((resolve) => setTimeout(resolve, 0))
    })
  return { client, give, state }
}

let end: () => Promise<void> = async () => undefined
withPageDocument()
afterEach(() => end())

/** Mounts the hook and returns its present state. */
const mounted = async (client: KanonClient, transport?: AskTransport) => {
  const { createRoot } = await import("react-dom/client")
  let state: AskState | undefined
  const Probe = (): ReactNode => {
    state = useAsk(transport)
    return null
  }
  const root = createRoot(document.createElement("div"))
  // biome-ignore lint/correctness/noChildrenProp: the properties of the provider want it.
  const tree = createElement(KanonProvider, { client, children: createElement(Probe) })
  await act(async () => root.render(tree))
  let isMounted = true
  end = async () => {
    if (isMounted) await act(async () => root.unmount())
    isMounted = false
  }
  return () => state ?? expect.fail("not rendered")
}

const question = { question: "How much oil?" }
/** Asks, and returns once the hook has begun; the outcome is in an object, since it is not to be awaited here. */
const ask = async (state: () => AskState) => {
  let outcome: Promise<AskOutcome> = Promise.reject(new Error("not asked"))
  outcome.catch(() => undefined)
  await act(async () => {
    outcome = state().ask(question)
    await Promise.resolve()
  })
  return { outcome }
}

describe("useAsk", () => {
  it("shows stage, sources and checked sentences as they come, lets a later one replace an earlier, and ends with the answer", async () => {
    const { client, give } = makeStream()
    const state = await mounted(client)
    const { outcome } = await ask(state)
    await give({ type: "stage", name: "gather" })
    expect(state()).toMatchObject({ isAsking: true, stage: "gather", claims: [] })
    await give({ type: "claim", index: 0, claim: claim("Four litres.") })
    await give({ type: "claim", index: 1, claim: claim("Five gears.") })
    await give({ type: "claim", index: 0, claim: claim("4 litres.") })
    expect(state().claims.map(({ text }) => text)).toEqual(["4 litres.", "Five gears."])
    await give({ type: "answer", answerId: "ans_1", answer })
    expect(await outcome).toEqual({ kind: "answered", answer, answerId: "ans_1" })
    expect(state()).toMatchObject({
      isAsking: false,
      stage: null,
      claims: [],
      last: { answer, answerId: "ans_1" }
    })
  })

  it("keeps the last answer beside the error of a question that failed", async () => {
    const { client, give } = makeStream()
    const state = await mounted(client)
    const { outcome: first } = await ask(state)
    await give({ type: "answer", answerId: null, answer })
    await first
    const { outcome: second } = await ask(state)
    await give(new Error("The model is down."))
    expect(await second).toMatchObject({ kind: "failed" })
    expect(state()).toMatchObject({
      isAsking: false,
      error: expect.objectContaining({ message: "The model is down." }),
      last: { answer }
    })
  })

  it.each(["stop", "a newer question", "unmounting"])(
    "leaves the stream after %s, which shows nothing of it any more",
    async (how) => {
      const { client, give, state: stream } = makeStream()
      const state = await mounted(client)
      const { outcome: first } = await ask(state)
      await give({ type: "claim", index: 0, claim: claim("Four litres.") })
      if (how === "stop") await act(async () => state().stop())
      else if (how === "unmounting") await end()
      else await ask(state)
      expect(await first).toEqual({ kind: "stopped" })
      expect(stream.isLeft).toBe(true)
      if (how === "unmounting") return
      expect(state()).toMatchObject({ isAsking: how !== "stop", claims: [], error: null })
    }
  )

  it("takes a transport in the place of the client", async () => {
    const { client, state: stream } = makeStream()
    const transport: AskTransport = async (_, { onStage }) => {
      onStage("judge")
      return { answer, answerId: null }
    }
    const state = await mounted(client, transport)
    expect(await (await ask(state)).outcome).toMatchObject({ kind: "answered" })
    expect(stream.asked).toBe(0)
  })
})
