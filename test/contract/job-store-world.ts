import * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"
import type { ClaimRequest, JobStore, NewJob } from "../../core/platform/jobs/index.js"
import { type Atomic, scopeOf, WorkspaceId, type WorkspaceScope } from "../../core/platform/kernel/index.js"
import type { Steps } from "./contract-tests.js"

export type Store = JobStore["Type"]

/** One process's way to the database. */
export interface Process {
  readonly store: Store
  readonly atomic: Atomic["Type"]
  /** Makes another workspace. */
  readonly workspace: Effect.Effect<WorkspaceScope>
}

export const workspaceOf = (letter: string) => scopeOf(WorkspaceId.parse(`ws_01${letter.repeat(24)}`))
export const [home, away] = [workspaceOf("a"), workspaceOf("b")]
export const leaseMs = 30_000

export const claim = (store: Store, options: Partial<ClaimRequest> = {}) =>
  store.claim({
    kind: "work",
    limit: 1,
    workspaceMax: 100,
    maxAttempts: 5,
    owner: "one",
    leaseMs,
    ...options
  })

export const claimOne = (store: Store, options: Partial<ClaimRequest> = {}) =>
  Effect.flatMap(claim(store, options), ([lease]) =>
    lease === undefined ? Effect.die("Nothing was claimed.") : Effect.succeed(lease)
  )

export const add = (store: Store, jobs: ReadonlyArray<Partial<NewJob>>, workspace = home) =>
  store.enqueue(
    workspace,
    jobs.map((job) => ({ kind: "work", ...job }))
  )

export const statuses = (store: Store, workspace = home) =>
  Effect.map(store.list(workspace, { limit: 200, offset: 0 }, {}), ({ items }) =>
    items.map((job) => job.status)
  )

export const only = (store: Store) =>
  Effect.flatMap(store.list(home, { limit: 2, offset: 0 }, {}), ({ items: [job] }) =>
    job === undefined ? Effect.die("There is no job.") : Effect.succeed(job)
  )

/** States a law of the queue that two processes share. */
export type JobLaw = (sentence: string, proof: (a: Process, b: Process) => Steps<void, Scope>) => void
