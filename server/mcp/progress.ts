import * as Effect from "effect/Effect"
import { StageListener, type StageName, stageNames } from "../../core/answering/index.js"

/** Progress of a call: stage number and text. */
export interface Progress {
  /** From 1; increases with every notification. */
  readonly progress: number
  readonly total: number
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

/** Reports the stages of a question as they begin; other operations are short and report none. */
export const withProgress = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  tell: (progress: Progress) => void
): Effect.Effect<A, E, R> =>
  Effect.provideService(effect, StageListener, (stage) =>
    Effect.sync(() =>
      tell({ progress: stageNames.indexOf(stage) + 1, total: stageNames.length, message: words[stage] })
    )
  )
