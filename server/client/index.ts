/**
 * Client of the HTTP API: one method per operation, named by operationId, typed by the OpenAPI document. It needs
 * only `fetch` and runs in Node, in browsers behind a proxy, and on edge platforms.
 */
import { type Lists, methodsOf, type Operations, pagesOf } from "./generated.js"
import { makePages } from "./pages.js"
import { makeCall } from "./request.js"
import { type RunStreamEvent, streamRun } from "./stream.js"
import type { CallOptions, ClientOptions } from "./types.js"

export { type ErrorIssue, KanonApiError, KanonConnectionError } from "./error.js"
export { readEvents, type ServerSentEvent } from "./events.js"
export type * from "./generated.js"
export { type UiMessageChunk, uiMessageStream } from "./messages.js"
export { replyOf } from "./request.js"
export type { RunStreamEvent } from "./stream.js"
export type { Attempt, CallOptions, ClientOptions, PageOptions } from "./types.js"

/** A client of one server with a method per operation, named by operationId. */
export interface KanonClient extends Omit<Operations, "streamRun"> {
  /** Streams the events of a run, reconnecting as needed; yields each event once. */
  readonly streamRun: (
    input: { readonly id: string },
    options?: CallOptions
  ) => AsyncGenerator<RunStreamEvent, undefined>
  /** Every paged list as a sequence for `for await`. */
  readonly each: Lists
}

/**
 * Creates a client of the server at `baseUrl`. Calls reject with a KanonApiError for an error answer and with a
 * KanonConnectionError without a complete answer; idempotent calls are retried.
 */
export const createClient = (options: ClientOptions): KanonClient => {
  const call = makeCall(options)
  return {
    ...methodsOf(call),
    streamRun: (input, given) => streamRun(options, input, given),
    each: pagesOf(makePages(call))
  }
}
