import type { WireError } from "./errors.js"

/** Headers of every response: nothing is cached unless it says so, and nothing is guessed or framed. */
const always = { "cache-control": "no-store", "x-content-type-options": "nosniff" }

export const json = (
  status: number,
  body: unknown,
  requestId: string,
  headers: Readonly<Record<string, string>> = {}
): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: {
      ...always,
      "content-type": "application/json; charset=utf-8",
      "x-request-id": requestId,
      ...headers
    }
  })

export const failure = ({ body, headers, status }: WireError, requestId: string): Response =>
  json(status, body, requestId, headers)
