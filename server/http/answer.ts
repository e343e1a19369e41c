import { HTTPResponse } from "h3"
import type { WireError } from "./errors.js"

/** A response, or an input that h3 converts to one. */
export type Reply = Response | HTTPResponse

/** Headers of every response: no caching by default, no content sniffing, no framing. */
const defaultHeaders = { "cache-control": "no-store", "x-content-type-options": "nosniff" }

export const json = (
  status: number,
  body: unknown,
  requestId: string,
  headers: Readonly<Record<string, string>> = {}
): Response => new Response(JSON.stringify(body), { status, headers: headersOf(requestId, headers) })

/**
 * Returns the same as an h3 response, which is sent at once with its length, while a `Response` is read as a stream.
 */
export const reply = (
  status: number,
  body: unknown,
  requestId: string,
  headers: Readonly<Record<string, string>> = {}
): HTTPResponse => new HTTPResponse(JSON.stringify(body), { status, headers: headersOf(requestId, headers) })

const headersOf = (requestId: string, headers: Readonly<Record<string, string>>) => ({
  ...defaultHeaders,
  "content-type": "application/json; charset=utf-8",
  "x-request-id": requestId,
  ...headers
})

/** Returns a streamed response; an error while reading closes the connection, so that the client notices it. */
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
    headers: { ...defaultHeaders, "content-type": mediaType, "x-request-id": requestId, ...headers }
  })

export const failure = ({ body, headers, status }: WireError, requestId: string): HTTPResponse =>
  reply(status, body, requestId, headers)
