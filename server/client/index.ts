/**
 * Client of the HTTP API: one method per operation, named by operationId, typed by the OpenAPI document. It needs
 * only `fetch` and runs in Node, in browsers behind a proxy, and on edge platforms.
 */
import {
  type Lists,
  methodsOf,
  type Operations,
  pagesOf,
  type QueryInput,
  type RunEvent,
  type RunStarted,
  type StartRunInput
} from "./generated.js"
import { makePages } from "./pages.js"
import { makeCall } from "./request.js"
import { type AnswerEvent, type InlineRunInput, startInline, streamQuery, streamRun } from "./stream.js"
import type { CallOptions, ClientOptions } from "./types.js"

export {
  queryOfMessages,
  type UiAnswerChunk,
  uiAnswerStream,
  uiMessageResponse
} from "./answer-messages.js"
export { type ErrorIssue, KanonApiError, KanonConnectionError } from "./error.js"
export { readEvents, type ServerSentEvent } from "./events.js"
export type * from "./generated.js"
export { type UiMessageChunk, uiMessageStream } from "./messages.js"
export { replyOf } from "./request.js"
export type { AnswerEvent, InlineRunInput } from "./stream.js"
export type { Attempt, CallOptions, ClientOptions, PageOptions } from "./types.js"

/** A client of one server with a method per operation, named by operationId. */
export interface KanonClient extends Omit<Operations, "startRun"> {
  /** Queues a run; with `stream: "inline"` works on it within the request and streams its events. */
  readonly startRun: StartRun
  /** Streams the events of a run, reconnecting as needed; yields each event once. */
  readonly streamRun: (
    input: { readonly id: string },
    options?: CallOptions
  ) => AsyncGenerator<RunEvent, undefined>
  /** Asks, and yields what is known of the answer before it is whole; the last event is the answer. */
  readonly streamQuery: (input: QueryInput, options?: CallOptions) => AsyncGenerator<AnswerEvent, undefined>
  /** Every paged list as a sequence for `for await`. */
  readonly each: Lists
}

/** The two forms of `startRun`. */
export interface StartRun {
  (input: InlineRunInput, options?: CallOptions): AsyncGenerator<RunEvent, undefined>
  (input: StartRunInput & { readonly stream?: undefined }, options?: CallOptions): Promise<RunStarted>
}

/**
 * Creates a client of the server at `baseUrl`. Calls reject with a KanonApiError for an error answer and with a
 * KanonConnectionError without a complete answer; idempotent calls are retried.
 */
export const createClient = (options: ClientOptions): KanonClient => {
  const call = makeCall(options)
  const methods = methodsOf(call)
  function startRun(input: InlineRunInput, given?: CallOptions): AsyncGenerator<RunEvent, undefined>
  function startRun(
    input: StartRunInput & { readonly stream?: undefined },
    given?: CallOptions
  ): Promise<RunStarted>
  function startRun(input: StartRunInput, given?: CallOptions) {
    return input.stream === "inline"
      ? startInline(options, { ...input, stream: input.stream }, given)
      : methods.startRun(input, given)
  }
  return {
    ...methods,
    startRun,
    streamRun: (input, given) => streamRun(options, input, given),
    streamQuery: (input, given) => streamQuery(options, input, given),
    each: pagesOf(makePages(call))
  }
}
