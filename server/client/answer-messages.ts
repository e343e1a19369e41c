import { chunkStream } from "./chunk-stream.js"
import type { UiMessageChunk } from "./messages.js"

/** A source, as far as it is shown. */
interface ShownSource {
  readonly id: string
  readonly docTitle: string
  readonly sourceUrl?: string | undefined
}

/** The events of an answer, from `streamQuery` of a client or from `engine.ask`. */
type Asked =
  | { readonly type: "stage"; readonly name: string }
  | { readonly type: "sources"; readonly sources: ReadonlyArray<ShownSource> }
  | { readonly type: "claim"; readonly index: number; readonly claim: object }
  | {
      readonly type: "answer"
      readonly answerId: string | null
      readonly answer: { readonly answer: string; readonly sources: ReadonlyArray<ShownSource> }
    }

/** The chunks that an answer has beside those of a run. A data chunk with an id replaces the one before it. */
export type UiAnswerChunk =
  | UiMessageChunk
  | { readonly type: "data-stage"; readonly data: { readonly name: string }; readonly transient: true }
  | {
      readonly type: "data-claim"
      readonly id: string
      /** The claim, and its place in the answer. */
      readonly data: object & { readonly index: number }
    }
  | {
      readonly type: "data-answer"
      readonly id: string
      /** The StructuredAnswer, and the id under which it is kept. */
      readonly data: object & { readonly answerId: string | null }
    }
  | { readonly type: "source-url"; readonly sourceId: string; readonly url: string; readonly title: string }

/**
 * The stream of an answer as the AI SDK's UI message stream, for `useChat`: stages, sources, and each checked sentence as
 * a part `data-claim`, which a later one of its id replaces; then the text, and the whole answer as `data-answer`. The
 * text comes last, because no text part can be taken back. `events` are those of `streamQuery`, or of `engine.ask`.
 */
export const uiAnswerStream = (
  messageId: string,
  events: AsyncIterable<Asked>
): ReadableStream<UiAnswerChunk> => {
  // Taken at once: `engine.ask` looks in its next turn whether anybody goes through its parts.
  const iterator = events[Symbol.asyncIterator]()
  return chunkStream(answerChunks(messageId, { [Symbol.asyncIterator]: () => iterator }))
}

async function* answerChunks(
  messageId: string,
  events: AsyncIterable<Asked>
): AsyncGenerator<UiAnswerChunk, undefined> {
  yield { type: "start", messageId }
  try {
    let isSourced = false
    for await (const event of events) {
      if (event.type === "stage") yield { type: "data-stage", data: { name: event.name }, transient: true }
      else if (event.type === "sources") {
        isSourced = true
        for (const source of event.sources) yield sourceChunk(source)
      } else if (event.type === "claim")
        yield {
          type: "data-claim",
          id: `claim-${event.index}`,
          data: { ...event.claim, index: event.index }
        }
      else {
        const { answer, answerId } = event
        if (!isSourced) for (const source of answer.sources) yield sourceChunk(source)
        yield { type: "text-start", id: "answer" }
        yield { type: "text-delta", id: "answer", delta: answer.answer }
        yield { type: "text-end", id: "answer" }
        yield { type: "data-answer", id: "answer", data: { ...answer, answerId } }
      }
    }
  } catch (error) {
    yield { type: "error", errorText: error instanceof Error ? error.message : "The question failed." }
  }
  yield { type: "finish" }
}

const sourceChunk = ({ docTitle, id, sourceUrl }: ShownSource): UiAnswerChunk =>
  sourceUrl === undefined
    ? { type: "source-document", sourceId: id, mediaType: "text/markdown", title: docTitle }
    : { type: "source-url", sourceId: id, url: sourceUrl, title: docTitle }

/** A message of `useChat`, as far as it is read. */
interface UiMessage {
  readonly role: string
  readonly parts: ReadonlyArray<{ readonly type: string; readonly text?: string }>
}

/** Most characters of a question, and turns before it, that the server takes. */
const [questionMax, answerMax, turnsMax] = [4000, 20_000, 20] as const

const textOf = ({ parts }: UiMessage): string =>
  parts
    .flatMap(({ text, type }) => (type === "text" && text !== undefined ? [text] : []))
    .join("\n")
    .trim()

/** The question of a chat: its last message of the user, with those before it and their answers. */
export const queryOfMessages = (
  messages: ReadonlyArray<UiMessage>
): { question: string; turns: Array<{ question: string; answer?: string }> } => {
  const turns: Array<{ question: string; answer?: string }> = []
  for (const message of messages) {
    const text = textOf(message)
    if (text === "") continue
    const last = turns.at(-1)
    if (message.role === "user") turns.push({ question: text.slice(0, questionMax) })
    else if (message.role === "assistant" && last !== undefined) last.answer = text.slice(0, answerMax)
  }
  const asked = turns.pop()
  return { question: asked?.question ?? "", turns: turns.slice(-turnsMax) }
}

/** A UI message stream as the response that `useChat` reads. */
export const uiMessageResponse = (chunks: ReadableStream<UiAnswerChunk>): Response => {
  const encoder = new TextEncoder()
  const lines = new TransformStream<UiAnswerChunk, Uint8Array>({
    transform: (chunk, controller) =>
      controller.enqueue(encoder.encode(`data: ${JSON.stringify(chunk)}\n\n`)),
    flush: (controller) => controller.enqueue(encoder.encode("data: [DONE]\n\n"))
  })
  return new Response(chunks.pipeThrough(lines), {
    headers: {
      "content-type": "text/event-stream",
      "cache-control": "no-cache",
      "x-accel-buffering": "no",
      "x-vercel-ai-ui-message-stream": "v1"
    }
  })
}
