import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Scope from "effect/Scope"
import { JsonBoundsReader } from "../../core/platform/kernel/index.js"
import { readBody } from "../http/body.js"
import type { ReserveBody } from "../http/body-budget.js"
import { parseJson } from "../http/input.js"

/** Bounds of a message: arguments of tools are flat, and their long parts are text. */
const messageBounds = { depth: 64, values: 20_000, members: 2_000 }

/**
 * Reads the message of a request within bounds; requests without a body have none. The answer to a message that
 * cannot be read is an error of JSON-RPC. Room for the message is kept until the scope closes.
 */
export const readMessage = async (
  request: Request,
  limits: { readonly bytes: number; readonly timeMs: number },
  reserve: ReserveBody,
  scope: Scope.Scope
): Promise<Either.Either<{ readonly parsedBody?: unknown }, Response>> => {
  if (request.method !== "POST") return Either.right({})
  const count = new JsonBoundsReader(messageBounds)
  const read = await readBody(request, limits, reserve, count).pipe(
    Scope.extend(scope),
    Effect.either,
    Effect.runPromise
  )
  if (Either.isLeft(read)) return Either.left(refusals[read.left._tag]())
  const bytes = read.right ?? new Uint8Array()
  if (count.broken !== null)
    return Either.left(refusal(400, invalidRequest, `The message exceeds the limit of ${count.broken}.`))
  const parsed = parseJson(bytes)
  return parsed === undefined
    ? Either.left(refusal(400, parseError, "The message is not JSON in UTF-8."))
    : Either.right({ parsedBody: parsed.value })
}

/** Error codes of JSON-RPC, and the one that MCP uses for its transport. */
const [parseError, invalidRequest, transportError] = [-32700, -32600, -32000]

const refusal = (
  status: number,
  code: number,
  message: string,
  headers: Readonly<Record<string, string>> = {}
): Response => Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status, headers })

const refusals = {
  PayloadTooLarge: () => refusal(413, transportError, "The message exceeds the limit of this server."),
  UnsupportedMediaType: () =>
    refusal(415, transportError, "The message must be application/json, and not compressed."),
  BodiesTooMany: () =>
    refusal(503, transportError, "The server holds too many large messages. Try again.", {
      "retry-after": "5"
    }),
  BodyUnread: () => refusal(408, transportError, "The message did not arrive in time.")
}

const [json, stream] = ["application/json", "text/event-stream"]

/**
 * Returns the request with the media types that a wildcard accepts written out, as the transport looks for them by
 * name. The body has been read already.
 */
export const withWideAccept = (request: Request): Request => {
  const accepted = (request.headers.get("accept") ?? "*/*")
    .split(",")
    .map((one) => one.split(";", 1)[0]?.trim())
  const headers = new Headers(request.headers)
  const isAccepted = (type: string) =>
    [type, "*/*", type.replace(/\/.*/, "/*")].some((one) => accepted.includes(one))
  headers.set("accept", [json, stream].filter(isAccepted).join(", "))
  return new Request(request.url, { method: request.method, headers, signal: request.signal })
}

/** Returns a response that calls `over` when its body has been sent, or will not be. */
export const withEnd = (response: Response, over: () => void): Response => {
  const { body, headers, status } = response
  if (body === null) {
    over()
    return response
  }
  const passing = new TransformStream<Uint8Array, Uint8Array>()
  // Either end may go away; the other one is closed with it.
  body
    .pipeTo(passing.writable)
    .catch(() => undefined)
    .finally(over)
  return new Response(passing.readable, { status, headers })
}

/**
 * Returns a response with the headers that every response has. A stream that may stay silent begins with a comment,
 * so that its headers are sent at once.
 */
export const withResponseHeaders = (response: Response, method: string, requestId: string): Response => {
  const { body, headers, status } = response
  headers.set("x-request-id", requestId)
  headers.set("x-content-type-options", "nosniff")
  if (!headers.has("cache-control")) headers.set("cache-control", "no-store")
  if (method !== "GET" || status !== 200 || body === null) return response
  const opened = new TransformStream<Uint8Array, Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode(": open\n\n"))
  })
  // Either end may go away; the other one is closed with it.
  body.pipeTo(opened.writable).catch(() => undefined)
  return new Response(opened.readable, { status, headers })
}
