import * as Effect from "effect/Effect"
import { processOwner } from "../../adapters/host/process-owner.js"
import { JobStore } from "../../core/platform/jobs/index.js"
import { Atomic, scopeOf, WorkspaceId } from "../../core/platform/kernel/index.js"
import { queueIn } from "./jobs.js"

// A process of its own on a database file: `job-child FILE WORKSPACE ACT`.
const [file = "", workspace = "", act = ""] = process.argv.slice(2)
const scope = scopeOf(WorkspaceId.parse(workspace))
const say = (word: string) => Effect.sync(() => process.stdout.write(`${word}\n`))
const die = Effect.sync(() => process.kill(process.pid, "SIGKILL"))

const acts: Readonly<
  Record<string, (store: JobStore["Type"], atomic: Atomic["Type"]) => Effect.Effect<unknown>>
> = {
  "die before the commit": (store, atomic) =>
    atomic.run(Effect.zipRight(store.enqueue(scope, [{ kind: "work" }]), Effect.zipRight(die, Effect.never))),
  "die after the commit": (store, atomic) =>
    Effect.zipRight(atomic.run(store.enqueue(scope, [{ kind: "work" }])), die),
  // Holds a job, and tries to store something each time a line comes in.
  hold: (store) =>
    Effect.gen(function* () {
      const owner = processOwner("child")
      const [lease] = yield* store.claim({
        kind: "work",
        limit: 1,
        workspaceMax: 1,
        maxAttempts: 5,
        owner,
        leaseMs: 300
      })
      if (lease === undefined) return yield* say("nothing")
      yield* say("held")
      yield* Effect.async<void>((resume) => void process.stdin.once("data", () => resume(Effect.void)))
      yield* say((yield* store.fence(lease, 300)) ? "stored" : "refused")
      process.stdin.destroy()
    })
}

const run = Effect.gen(function* () {
  const chosen = acts[act]
  if (chosen === undefined) return yield* say("unknown act")
  yield* chosen(yield* JobStore, yield* Atomic)
})
void Effect.runPromise(Effect.provide(run, queueIn(file)))
