import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Caller, isFault, timestampOf } from "../kernel/index.js"
import { JobInspection } from "./inspection.js"

/** A holder that died is waited for so long. */
const turnMs = 30_000
const beatMs = 10_000
/** Clocks of several hosts differ; a turn that would end later than this is of a clock that was set back. */
const longestMs = 10 * turnMs
const lookMs = 200

/**
 * Does the work while nobody else repairs the workspace, in whatever process: of two that come at once, the second finds
 * what the first has left. Where the turn cannot be noted (data that can only be read, or that is damaged just there)
 * nobody waits: what is mended is judged within its unit of work all the same.
 */
export const inRepairTurn = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    taken,
    (turn) => (turn === null ? work : Effect.raceFirst(work, prolonged(turn))),
    (turn) => (turn === null ? Effect.void : Effect.catchAllDefect(givenBack(turn), () => Effect.void))
  )

interface Turn {
  held: string
}

const ask = (held: string | null, lengthMs: number) =>
  Effect.gen(function* () {
    const [inspection, { workspace }] = [yield* JobInspection, yield* Caller]
    const until = timestampOf((yield* Clock.currentTimeMillis) + lengthMs)
    return (yield* inspection.takeRepair(workspace, { until, held, longestMs })) ? until : null
  })

const taken = Effect.gen(function* () {
  for (;;) {
    const held = yield* ask(null, turnMs)
    if (held !== null) {
      const turn: Turn = { held }
      return turn
    }
    yield* Effect.interruptible(Effect.sleep(lookMs))
  }
}).pipe(
  Effect.catchAllDefect((defect) =>
    isFault(defect) && defect._tag !== "DataReadOnly" ? Effect.die(defect) : Effect.succeed(null)
  )
)

const prolonged = (turn: Turn) =>
  Effect.forever(
    Effect.delay(
      ask(turn.held, turnMs).pipe(
        Effect.tap((held) =>
          Effect.sync(() => {
            turn.held = held ?? turn.held
          })
        ),
        Effect.catchAllDefect(() => Effect.void)
      ),
      beatMs
    )
  )

const givenBack = ({ held }: Turn) => ask(held, 0)
