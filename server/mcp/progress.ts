import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import {
  PartListener,
  StageListener,
  type StageName,
  stageNames
} from "../../core/answers/answering/index.js"
import { Caller } from "../../core/platform/kernel/index.js"
import { RunStore } from "../../core/work/agent-runs/index.js"
import { RunFeed, RunStarted } from "../../core/work/agents/index.js"

/** Progress of a call: stage number and text. */
export interface Progress {
  /** From 1; increases with every notification. */
  readonly progress: number
  /** Absent where nobody knows how far it goes. */
  readonly total?: number
  readonly message: string
}

const words: Readonly<Record<StageName, string>> = {
  gather: "Retrieving passages",
  select: "Reading passages",
  gate: "Judging the evidence",
  generate: "Answering",
  ground: "Checking what the answer cites",
  compare: "Comparing the sources",
  judge: "Judging the answer"
}

/**
 * Reports the stages of a question as they begin, and its sentences that are checked while the model still writes; other
 * operations are short and report none.
 */
export const withProgress = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  tell: (progress: Progress) => void
): Effect.Effect<A, E, R> => {
  let [stage, claims] = [0, 0]
  const total = stageNames.length
  return effect.pipe(
    Effect.provideService(StageListener, (name) =>
      Effect.sync(() => {
        stage = stageNames.indexOf(name) + 1
        tell({ progress: stage, total, message: words[name] })
      })
    ),
    Effect.provideService(PartListener, (part) =>
      Effect.sync(() => {
        // When the reply is whole, the result is about to come.
        if (part.type !== "claim" || stage !== stageNames.indexOf("generate") + 1) return
        claims += 1
        const { citations, text } = part.claim
        const message = [text, ...citations.map((id) => `[${id}]`)].join(" ")
        // Between two stages, and never twice the same.
        tell({ progress: stage + claims / (claims + 1), total, message })
      })
    )
  )
}

/**
 * Follows a run that was started until it ends or waits for a person, and tells of each step. The result is the one of
 * the start, with the status that the run has then.
 */
export const withRunProgress = <E, R>(
  start: Effect.Effect<unknown, E, R>,
  tell: (progress: Progress) => void
): Effect.Effect<unknown, E, R | RunFeed | RunStore | Caller> =>
  Effect.gen(function* () {
    const started = RunStarted.parse(yield* start)
    const [feed, store, { workspace }] = [yield* RunFeed, yield* RunStore, yield* Caller]
    let progress = 0
    yield* Stream.runForEach(feed.watch(workspace, started.runId), (event) =>
      Effect.sync(() => {
        progress += 1
        tell({
          progress,
          message: event.type === "tool_call" ? `Called ${event.name}` : messages[event.type]
        })
      })
    )
    const found = yield* store.find(workspace, started.runId)
    return {
      ...started,
      status: Option.match(found, { onNone: () => started.status, onSome: ({ status }) => status })
    }
  })

const messages = {
  model_call: "The model replied",
  suspended: "A call waits for a decision",
  final: "The run has ended",
  error: "The run could not begin"
} as const
