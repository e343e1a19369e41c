import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type { Scope } from "effect/Scope"

/** Wakes those who watch a run in this process. */
export interface RunHub {
  readonly publish: (run: string) => Effect.Effect<void>
  readonly publishAll: Effect.Effect<void>
  readonly watch: (run: string) => Effect.Effect<Effect.Effect<void>, never, Scope>
}

export const makeRunHub = (): RunHub => {
  const watching = new Map<string, Set<Queue.Queue<void>>>()
  const wake = (queues: Iterable<Queue.Queue<void>>) =>
    Effect.forEach(queues, (queue) => Queue.offer(queue, undefined), { discard: true })
  return {
    publish: (run) => Effect.suspend(() => wake(watching.get(run) ?? [])),
    publishAll: Effect.suspend(() => wake([...watching.values()].flatMap((queues) => [...queues]))),
    watch: (run) =>
      Effect.map(
        Effect.acquireRelease(
          Effect.tap(Queue.sliding<void>(1), (queue) =>
            Effect.sync(() => {
              watching.set(run, (watching.get(run) ?? new Set()).add(queue))
            })
          ),
          (queue) =>
            Effect.sync(() => {
              const queues = watching.get(run)
              queues?.delete(queue)
              if (queues?.size === 0) watching.delete(run)
            })
        ),
        (queue) => Queue.take(queue)
      )
  }
}
