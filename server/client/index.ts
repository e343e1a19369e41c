/**
 * A client of the HTTP interface: one method for each operation, under its operationId, with the types of the
 * OpenAPI document. It needs nothing but `fetch`, and works in Node, in browsers behind a proxy, and at the edge.
 */
import { type Lists, methodsOf, type Operations, pagesOf } from "./generated.js"
import { makePages } from "./pages.js"
import { makeCall } from "./request.js"
import { type RunStreamEvent, streamRun } from "./run-stream.js"
import type { CallOptions, ClientOptions } from "./types.js"

export { type ErrorIssue, KanonApiError, KanonConnectionError } from "./error.js"
export { readEvents, type ServerSentEvent } from "./events.js"
export type * from "./generated.js"
export { replyOf } from "./request.js"
export type { RunStreamEvent } from "./run-stream.js"
export type { Attempt, CallOptions, ClientOptions, PageOptions } from "./types.js"
export { type UiMessageChunk, uiMessageStream } from "./ui-messages.js"

/** A client of one server: a method for each operation, under its operationId. */
export interface KanonClient extends Omit<Operations, "streamRun"> {
  /** The events of a run as they come; connects again by itself, and gives each event once. */
  readonly streamRun: (
    input: { readonly id: string },
    options?: CallOptions
  ) => AsyncGenerator<RunStreamEvent, undefined>
  /** Every list that comes in pages, as one sequence for `for await`. */
  readonly each: Lists
}

/**
 * A client of the server at `baseUrl`. Calls are rejected with a KanonApiError when the server refuses, and with
 * a KanonConnectionError when no whole answer comes; those that change nothing more the second time are tried
 * again by themselves.
 */
export const createClient = (options: ClientOptions): KanonClient => {
  const call = makeCall(options)
  return {
    ...methodsOf(call),
    streamRun: (input, given) => streamRun(options, input, given),
    each: pagesOf(makePages(call))
  }
}
