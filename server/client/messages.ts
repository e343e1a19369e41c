import { chunkStream } from "./chunk-stream.js"
import type { Operations, RunEvent } from "./generated.js"

/** The chunks of the AI SDK's UI message stream that a run has. */
export type UiMessageChunk =
  | { readonly type: "start"; readonly messageId: string }
  | { readonly type: "start-step" }
  | { readonly type: "finish-step" }
  | {
      readonly type: "tool-input-available"
      readonly toolCallId: string
      readonly toolName: string
      readonly input: unknown
    }
  | { readonly type: "tool-output-available"; readonly toolCallId: string; readonly output: unknown }
  | { readonly type: "tool-output-error"; readonly toolCallId: string; readonly errorText: string }
  | { readonly type: "tool-approval-request"; readonly approvalId: string; readonly toolCallId: string }
  | { readonly type: "text-start"; readonly id: string }
  | { readonly type: "text-delta"; readonly id: string; readonly delta: string }
  | { readonly type: "text-end"; readonly id: string }
  | {
      readonly type: "source-document"
      readonly sourceId: string
      readonly mediaType: string
      readonly title: string
    }
  | { readonly type: "error"; readonly errorText: string }
  | { readonly type: "finish" }

type Steps = Awaited<ReturnType<Operations["listRunSteps"]>>["steps"]

/**
 * A run's stream as the AI SDK's UI message stream, so that `useChat` and what is built on it show runs. Calls come with
 * their arguments and results, a waiting call as an approval request, citations as source documents.
 */
export const uiMessageStream = (
  client: Pick<Operations, "listRunSteps">,
  runId: string,
  events: AsyncIterable<RunEvent>
): ReadableStream<UiMessageChunk> => chunkStream(chunksOf(client, runId, events))

async function* chunksOf(
  client: Pick<Operations, "listRunSteps">,
  runId: string,
  events: AsyncIterable<RunEvent>
): AsyncGenerator<UiMessageChunk, undefined> {
  const shown = new Set<string>()
  yield { type: "start", messageId: runId }
  for await (const event of events) {
    switch (event.type) {
      case "model_call":
        yield { type: "start-step" }
        yield { type: "finish-step" }
        break
      case "tool_call":
        yield* callChunks((await client.listRunSteps({ id: runId })).steps, shown)
        break
      case "suspended":
        yield* approvalChunks((await client.listRunSteps({ id: runId })).steps)
        yield { type: "finish" }
        return
      case "error":
        yield { type: "error", errorText: event.message }
        yield { type: "finish" }
        return
      case "final":
        if (event.text !== null) {
          yield { type: "text-start", id: "answer" }
          yield { type: "text-delta", id: "answer", delta: event.text }
          yield { type: "text-end", id: "answer" }
        }
        for (const [at, { chunkId }] of event.citations.entries())
          yield {
            type: "source-document",
            sourceId: chunkId,
            mediaType: "text/markdown",
            title: `S${at + 1}`
          }
        if (event.status !== "succeeded" && event.text === null)
          yield { type: "error", errorText: event.status }
        yield { type: "finish" }
        return
    }
  }
}

function* callChunks(steps: Steps, shown: Set<string>): Generator<UiMessageChunk> {
  for (const { error, id, input, kind, output, status } of steps) {
    const isCall =
      kind === "tool_call" ||
      kind === "mcp_call" ||
      (kind === "guardrail" && input?.["toolName"] !== undefined)
    if (!isCall || status === "pending" || status === "skipped" || shown.has(id)) continue
    shown.add(id)
    yield {
      type: "tool-input-available",
      toolCallId: id,
      toolName: String(input?.["toolName"] ?? ""),
      input: input?.["arguments"] ?? {}
    }
    yield status === "ok"
      ? { type: "tool-output-available", toolCallId: id, output: output?.["result"] ?? null }
      : { type: "tool-output-error", toolCallId: id, errorText: error?.message ?? status }
  }
}

function* approvalChunks(steps: Steps): Generator<UiMessageChunk> {
  for (const { id, input, kind, status } of steps) {
    if (kind !== "approval" || status !== "pending") continue
    yield {
      type: "tool-input-available",
      toolCallId: id,
      toolName: String(input?.["toolName"] ?? ""),
      input: input?.["arguments"] ?? {}
    }
    yield { type: "tool-approval-request", approvalId: String(input?.["approvalId"] ?? ""), toolCallId: id }
  }
}
