import * as Effect from "effect/Effect"
import { PartListener, StageListener, type TracedAnswer } from "../../answers/answering/index.js"
import type { AskEvent, Asking, AskOptions, AskPart } from "./engine.js"

/** Tells the parts of an answer to a listener whose errors have no effect. */
export const tellingParts = <A, E, R>(
  asked: Effect.Effect<A, E, R>,
  onPart: (part: AskPart) => void
): Effect.Effect<A, E, R> => {
  const tell = (part: AskPart) => Effect.ignore(Effect.try(() => onPart(part)))
  return asked.pipe(
    Effect.provideService(StageListener, (name) => tell({ type: "stage", name })),
    Effect.provideService(PartListener, tell)
  )
}

/** What the parts of an answer and its end wait in until the loop takes them. */
type Told = AskPart | { readonly end: PromiseSettledResult<TracedAnswer> }

/**
 * Asks, for whoever awaits the answer or goes through its parts. The question begins in the next turn, when it is known
 * which: a model that nobody listens to need not stream.
 */
export const asking = (
  ask: (more: Pick<AskOptions, "onPart" | "signal">) => Promise<TracedAnswer>,
  { onPart, signal }: Pick<AskOptions, "onPart" | "signal">
): Asking => {
  let listener = onPart
  let left: AbortController | undefined
  const traced = Promise.resolve().then(() => {
    const signals = [signal, left?.signal].filter((one) => one !== undefined)
    return ask({
      ...(signals.length === 0 ? {} : { signal: AbortSignal.any(signals) }),
      ...(listener === undefined ? {} : { onPart: listener })
    })
  })
  const answer = traced.then((given) => given.answer)
  const waiting: Array<Told> = []
  let wake = () => {}
  const put = (told: Told) => {
    waiting.push(told)
    wake()
  }
  const events = async function* (leave: AbortController): AsyncGenerator<AskEvent, undefined> {
    try {
      for (;;) {
        const told = waiting.shift()
        if (told === undefined) {
          await new Promise<void>((resolve) => {
            wake = resolve
          })
          continue
        }
        if (!("end" in told)) {
          yield told
          continue
        }
        if (told.end.status === "rejected") throw told.end.reason
        const { answer: whole, trace } = told.end.value
        yield { type: "answer", answerId: trace.answerId, answer: whole }
        return
      }
    } finally {
      leave.abort()
    }
  }
  return Object.assign(answer, {
    [Symbol.asyncIterator]: () => {
      // The loop throws it; nobody awaits the promise.
      answer.catch(() => undefined)
      left = new AbortController()
      listener = (part) => {
        onPart?.(part)
        put(part)
      }
      void Promise.allSettled([traced]).then(([end]) => put({ end }))
      return events(left)
    }
  })
}
