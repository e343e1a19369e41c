import * as Effect from "effect/Effect"
import { StageListener, type StageName, stageNames } from "../../core/answering/index.js"

/** How far a call is: counted in stages, and said in words. */
export interface Progress {
  /** From 1; every notification tells of a later one. */
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

/** Tells of the stages of a question as they begin; of other work, which is short, there is nothing to tell. */
export const withProgress = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  tell: (progress: Progress) => void
): Effect.Effect<A, E, R> =>
  Effect.provideService(effect, StageListener, (stage) =>
    Effect.sync(() =>
      tell({ progress: stageNames.indexOf(stage) + 1, total: stageNames.length, message: words[stage] })
    )
  )
