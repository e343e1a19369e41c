import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Caller, isFault, timestampOf } from "../kernel/index.js"
import { JobStore } from "./store.js"

/** How long the lock of a dead holder lasts. */
const lockMs = 30_000
const renewMs = 10_000
/** A lock that ends later than this was taken before the clock was set back. */
const longestMs = 10 * lockMs
const retryMs = 200

/**
 * Runs a rebuild under the workspace's rebuild lock; a second process waits and then inspects the result of the
 * first. If the lock cannot be stored (read-only or damaged data), the work runs without it, because every change of
 * a rebuild is confirmed in its own transaction.
 */
export const withRebuildLock = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    acquire,
    (lock) => (lock === null ? work : Effect.raceFirst(work, renew(lock))),
    (lock) => (lock === null ? Effect.void : Effect.catchAllDefect(release(lock), () => Effect.void))
  )

interface RebuildLock {
  /** The moment until which this process holds the lock. */
  heldUntil: string
}

/** Takes or renews the lock; null while another process holds it. */
const tryLock = (held: string | null, lengthMs: number) =>
  Effect.gen(function* () {
    const [inspection, { workspace }] = [(yield* JobStore).inspection, yield* Caller]
    const until = timestampOf((yield* Clock.currentTimeMillis) + lengthMs)
    return (yield* inspection.takeRebuildLock(workspace, { until, held, longestMs })) ? until : null
  })

const acquire = Effect.gen(function* () {
  for (;;) {
    const heldUntil = yield* tryLock(null, lockMs)
    if (heldUntil !== null) {
      const lock: RebuildLock = { heldUntil }
      return lock
    }
    yield* Effect.interruptible(Effect.sleep(retryMs))
  }
}).pipe(
  Effect.catchAllDefect((defect) =>
    isFault(defect) && defect._tag !== "DataReadOnly" ? Effect.die(defect) : Effect.succeed(null)
  )
)

const renew = (lock: RebuildLock) =>
  Effect.forever(
    Effect.delay(
      tryLock(lock.heldUntil, lockMs).pipe(
        Effect.tap((heldUntil) =>
          Effect.sync(() => {
            lock.heldUntil = heldUntil ?? lock.heldUntil
          })
        ),
        Effect.catchAllDefect(() => Effect.void)
      ),
      renewMs
    )
  )

const release = ({ heldUntil }: RebuildLock) => tryLock(heldUntil, 0)
