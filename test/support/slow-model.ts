import * as Effect from "effect/Effect"
import type { ChatRequest } from "../../core/platform/models/index.js"

/** A reply that comes in parts, with a pause before each. With `hangs`, the last part never comes. */
interface SlowReply {
  readonly parts: ReadonlyArray<string>
  readonly pauseMs: number
  readonly hangs?: boolean
}

/** A chat model that writes in parts. `seen` counts the parts of the last call, the calls, and those that were stopped. */
export const slowModel = (reply: () => SlowReply) => {
  const seen = { asked: 0, stopped: 0, written: 0, isStreamed: false }
  const generate = ({ onText }: ChatRequest) =>
    Effect.gen(function* () {
      const { hangs = false, parts, pauseMs } = reply()
      Object.assign(seen, { asked: seen.asked + 1, written: 0, isStreamed: onText !== undefined })
      for (const [place, part] of parts.entries()) {
        yield* Effect.sleep(pauseMs)
        if (hangs && place === parts.length - 1) yield* Effect.never
        seen.written += 1
        onText?.(part)
      }
      const usage = { inputTokens: 1, outputTokens: 1, costUsd: "0", estimated: true }
      return { text: parts.join(""), finishReason: "stop" as const, usage, modelId: "test/slow" }
    }).pipe(
      Effect.onInterrupt(() =>
        Effect.sync(() => {
          seen.stopped += 1
        })
      )
    )
  return { seen, chat: { modelId: "test/slow", generate } }
}
