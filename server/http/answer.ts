import { HTTPResponse } from "h3"
import type { WireError } from "./errors.js"

/** A response, or what h3 makes one of. */
export type Reply = Response | HTTPResponse

/** Headers of every response: nothing is cached unless it says so, and nothing is guessed or framed. */
const always = { "cache-control": "no-store", "x-content-type-options": "nosniff" }

export const json = (
  status: number,
  body: unknown,
  requestId: string,
  headers: Readonly<Record<string, string>> = {}
): Response => new Response(JSON.stringify(body), { status, headers: headersOf(requestId, headers) })

/** The same for h3 to make a response of: sent at once and with its length, where a `Response` is read as a stream. */
export const reply = (
  status: number,
  body: unknown,
  requestId: string,
  headers: Readonly<Record<string, string>> = {}
): HTTPResponse => new HTTPResponse(JSON.stringify(body), { status, headers: headersOf(requestId, headers) })

const headersOf = (requestId: string, headers: Readonly<Record<string, string>>) => ({
  ...always,
  "content-type": "application/json; charset=utf-8",
  "x-request-id": requestId,
  ...headers
})

/** A body that is sent while it is read; where reading fails half-way the connection is cut, so that it is seen. */
export const streamed = (
  status: number,
  {
    body,
    headers = {},
    mediaType
  }: {
    readonly body: ReadableStream<Uint8Array>
    readonly mediaType: string
    readonly headers?: Readonly<Record<string, string>>
  },
  requestId: string
): Response =>
  new Response(body, {
    status,
    headers: { ...always, "content-type": mediaType, "x-request-id": requestId, ...headers }
  })

export const failure = ({ body, headers, status }: WireError, requestId: string): HTTPResponse =>
  reply(status, body, requestId, headers)
