import * as Effect from "effect/Effect"
import type { Random } from "./random.js"

/** How often what happens to a process, at each place where something may. */
export interface Hazards {
  readonly crash: number
  readonly pause: number
  readonly pauseMs: number
}

/** No hazards: what is left ends undisturbed. */
export const calm: Hazards = { crash: 0, pause: 0, pauseMs: 0 }

/** A process of a simulation. Once it has crashed nothing of it goes on: it never returns, and cleans nothing up. */
export interface SimulatedProcess {
  readonly isAlive: () => boolean
  readonly kill: () => void
  /** A place where the process may crash, or be stopped for a while. */
  readonly gate: Effect.Effect<void>
  /** Work between two such places; a crash may also undo it, as a database does with what was not committed. */
  readonly within: <A, E, R>(
    work: Effect.Effect<A, E, R>,
    run: (work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E, R>
}

class Crashed extends Error {}

/** Makes a simulated process; `hazards` is read anew at each place where it may crash or pause. */
export const makeProcess = (random: Random, hazards: () => Hazards): SimulatedProcess => {
  let alive = true
  const gate = Effect.suspend((): Effect.Effect<void> => {
    const { crash, pause, pauseMs } = hazards()
    if (alive && random.chance(crash)) alive = false
    if (!alive) return Effect.never
    return random.chance(pause)
      ? Effect.flatMap(Effect.sleep(pauseMs), () => (alive ? Effect.void : Effect.never))
      : Effect.void
  })
  return {
    isAlive: () => alive,
    kill: () => {
      alive = false
    },
    gate,
    within: (work, run) =>
      Effect.zipRight(
        gate,
        run(
          Effect.tap(work, () =>
            Effect.suspend(() => {
              if (alive && random.chance(hazards().crash)) alive = false
              return alive ? Effect.void : Effect.die(new Crashed())
            })
          )
        ).pipe(
          Effect.catchAllDefect((defect) => (defect instanceof Crashed ? Effect.never : Effect.die(defect))),
          Effect.zipLeft(gate)
        )
      )
  }
}
