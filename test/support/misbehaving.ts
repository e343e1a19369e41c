import type { IncomingMessage, ServerResponse } from "node:http"
import { type LoopbackServer, listenOnLoopback } from "./loopback.js"

/** One request as it came. */
export interface Received {
  readonly path: string
  readonly headers: IncomingMessage["headers"]
  readonly body: unknown
}

/** Handles a request in the place of a provider. */
export type Behaviour = (received: Received, response: ServerResponse, before: number) => void

export interface Misbehaving extends LoopbackServer {
  readonly received: ReadonlyArray<Received>
}

/** A local server that does what no provider should, byte by byte if need be. */
export const misbehaving = async (behaviour: Behaviour): Promise<Misbehaving> => {
  const received: Array<Received> = []
  const server = await listenOnLoopback(({ headers, url }, response, body) => {
    const one = { path: url ?? "", headers, body: JSON.parse(body.length === 0 ? "{}" : String(body)) }
    received.push(one)
    behaviour(one, response, received.length - 1)
  })
  return { ...server, received }
}

/** Replies with JSON. */
export const says = (
  response: ServerResponse,
  json: unknown,
  status = 200,
  headers: Record<string, string> = {}
) => {
  response.writeHead(status, { "content-type": "application/json", ...headers })
  response.end(JSON.stringify(json))
}

/** A reply of each chat protocol that says this text. */
export const chatReplies = {
  "openai-compatible": (text: string) => ({
    id: "c",
    object: "chat.completion",
    created: 1,
    model: "fake",
    choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
    usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 }
  }),
  anthropic: (text: string) => ({
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "fake",
    content: [{ type: "tool_use", id: "t1", name: "json", input: jsonOf(text) }],
    stop_reason: "tool_use",
    stop_sequence: null,
    usage: { input_tokens: 100, output_tokens: 20 }
  }),
  ollama: (text: string) => ({
    model: "fake",
    message: { role: "assistant", content: text },
    done: true,
    done_reason: "stop",
    prompt_eval_count: 100,
    eval_count: 20
  })
} as const

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return { text }
  }
}

/** Faults of transport, whatever the protocol. */
export const transportFaults: Readonly<Record<string, Behaviour>> = {
  "a reset connection": (_, response) => response.destroy(),
  "half a reply": (_, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": "5000" })
    response.write('{"choices": [{"message": {"content": "{\\"answ')
    setTimeout(() => response.destroy(), 5)
  },
  "no JSON at all": (_, response) => {
    response.writeHead(200, { "content-type": "text/html" })
    response.end("<html>Bad gateway</html>")
  },
  "JSON of another kind": (_, response) => says(response, [1, 2, 3]),
  "an empty reply": (_, response) => says(response, {}),
  "status 500": (_, response) => says(response, { error: { message: "boom" } }, 500),
  "status 429 for long": (_, response) =>
    says(response, { error: { message: "slow down" } }, 429, { "retry-after": "600" }),
  "status 401": (received, response) =>
    says(
      response,
      { error: { message: `bad key ${received.headers.authorization ?? received.headers["x-api-key"]}` } },
      401
    ),
  "a redirect": (_, response) => {
    response.writeHead(302, { location: "http://169.254.169.254/latest/meta-data" })
    response.end()
  },
  silence: () => {},
  "a slow drip": (_, response) => {
    response.writeHead(200, { "content-type": "application/json" })
    const timer = setInterval(() => response.write(" "), 10)
    response.on("close", () => clearInterval(timer))
  },
  "without end": (_, response) => {
    response.writeHead(200, { "content-type": "application/json" })
    const part = Buffer.alloc(1024 * 1024, 32)
    const more = (): void => {
      if (response.writableEnded || response.destroyed) return
      if (response.write(part)) setImmediate(more)
      else response.once("drain", more)
    }
    more()
  }
}
