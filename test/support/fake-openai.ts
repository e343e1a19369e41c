import { listenOnLoopback } from "./loopback.js"

/** A request that the server received. */
export interface FakeRequest {
  readonly path: string
  readonly authorization: string | undefined
  readonly body: Readonly<Record<string, unknown>>
}

/**
 * Reply of the server: JSON with a status, the parts of a streamed completion, a broken connection, or no reply at all.
 */
export type FakeReply =
  | { readonly events: ReadonlyArray<string> }
  | { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly json: unknown }
  | "drop"
  | "hang"

export interface FakeOpenAi {
  readonly baseUrl: string
  readonly requests: ReadonlyArray<FakeRequest>
  readonly close: () => Promise<void>
}

/** A local server that speaks enough of the OpenAI protocol; `answer` sees the request and how many came before. */
export const fakeOpenAi = async (
  answer: (request: FakeRequest, before: number) => FakeReply,
  /** `onClose` is called when a client leaves before its answer. */
  { onClose = () => undefined }: { readonly onClose?: () => void } = {}
): Promise<FakeOpenAi> => {
  const requests: Array<FakeRequest> = []
  const { close, url } = await listenOnLoopback((incoming, outgoing, sent) => {
    const body = JSON.parse(sent.length === 0 ? "{}" : String(sent))
    const request = { path: incoming.url ?? "", authorization: incoming.headers.authorization, body }
    requests.push(request)
    const reply = answer(request, requests.length - 1)
    outgoing.once("close", () => outgoing.writableFinished || onClose())
    if (reply === "hang") return
    if (reply === "drop") incoming.socket.destroy()
    else if ("events" in reply)
      outgoing.writeHead(200, { "content-type": "text/event-stream" }).end(streamed(reply.events))
    else
      outgoing
        .writeHead(reply.status ?? 200, { "content-type": "application/json", ...reply.headers })
        .end(JSON.stringify(reply.json))
  })
  return { baseUrl: `${url}/v1`, requests, close }
}

/** The server-sent events of a completion in parts. */
const streamed = (parts: ReadonlyArray<string>): string => {
  const head = { id: "c1", object: "chat.completion.chunk", created: 1, model: "fake" }
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason }]
  })
  const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 }
  return [
    ...parts.map((content) => chunk({ role: "assistant", content })),
    chunk({}, "stop"),
    { ...head, choices: [], usage }
  ]
    .map((event) => `data: ${JSON.stringify(event)}\n\n`)
    .concat("data: [DONE]\n\n")
    .join("")
}

/** A chat completion that says this. */
export const completion = (
  content: string,
  more: { readonly finish?: string; readonly usage?: unknown } = {}
): FakeReply => ({
  json: {
    id: "c1",
    object: "chat.completion",
    created: 1,
    model: "fake",
    choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: more.finish ?? "stop" }],
    usage:
      more.usage === undefined ? { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 } : more.usage
  }
})

/** An error as such servers word it. */
export const refusal = (
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {}
): FakeReply => ({
  status,
  headers,
  json: { error: { message, type: "error", code: null } }
})
