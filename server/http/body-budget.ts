import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** The bodies of others leave no room for this one. */
export class BodiesTooMany extends Data.TaggedError("BodiesTooMany")<{
  readonly retryAfterSeconds: number
}> {}

/** Keeps room for a body until its request is served. */
export type ReserveBody = (bytes: number) => Effect.Effect<void, BodiesTooMany, Scope.Scope>

export interface BodyBudgetOptions {
  /** Bytes of all bodies that are read or served at once. */
  readonly bytes: number
  /** Bytes of the largest body. */
  readonly bodyBytes: number
  /** How long a body may take to arrive. One that finds no room waits half as long for it. */
  readonly bodyMs: number
}

/** Bodies of up to this size need no room: a thousand of them take as much as a few large ones. */
export const freeBytes = 64 * 1024
const unit = 64 * 1024
const retryAfterSeconds = 5

/**
 * Bounds the bodies that a server holds at once. A body that finds no room is not read until there is some, so the
 * client notices a slow connection. One owner has a quarter of the room, at least that of one body: the large bodies of a
 * workspace wait for each other, and leave room to others.
 */
export class BodyBudget {
  private readonly room: Effect.Semaphore
  private readonly unitsOfAll: number
  private readonly unitsOfOne: number
  private readonly owners = new Map<string, { readonly room: Effect.Semaphore; users: number }>()

  constructor(private readonly options: BodyBudgetOptions) {
    const largest = Math.ceil(options.bodyBytes / unit)
    this.unitsOfAll = Math.max(largest, Math.floor(options.bytes / unit))
    this.unitsOfOne = Math.max(largest, Math.floor(this.unitsOfAll / 4))
    this.room = Effect.unsafeMakeSemaphore(this.unitsOfAll)
  }

  /** Returns what keeps room for the bodies of an owner. */
  readonly of =
    (owner: string): ReserveBody =>
    (bytes) => {
      if (bytes <= freeBytes) return Effect.void
      const units = Math.min(this.unitsOfOne, Math.ceil(bytes / unit))
      const taken = Effect.gen(this, function* () {
        const own = yield* Effect.acquireRelease(
          Effect.sync(() => this.join(owner)),
          (joined) => Effect.sync(() => this.leave(owner, joined))
        )
        yield* kept(own.room, units)
        yield* kept(this.room, units)
      })
      return Effect.timeoutFail(taken, {
        duration: this.options.bodyMs / 2,
        onTimeout: () => new BodiesTooMany({ retryAfterSeconds })
      })
    }

  private join(owner: string) {
    const own = this.owners.get(owner) ?? { room: Effect.unsafeMakeSemaphore(this.unitsOfOne), users: 0 }
    this.owners.set(owner, own)
    own.users += 1
    return own
  }

  private leave(owner: string, own: { users: number }): void {
    own.users -= 1
    if (own.users === 0) this.owners.delete(owner)
  }
}

/** Takes permits until the scope closes, however it ends; none if the wait for them is interrupted. */
const kept = (room: Effect.Semaphore, units: number) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.zipRight(
      restore(room.take(units)),
      Effect.addFinalizer(() => room.release(units))
    )
  )
