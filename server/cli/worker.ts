import * as Effect from "effect/Effect"
import { lowerPriority } from "../../adapters/host/lower-priority.js"
import { packageVersion } from "../../adapters/host/package-version.js"
import type { Ended } from "../../core/jobs/index.js"
import { begin } from "./begin.js"
import { type Failure, failed } from "./failure.js"
import type { CommonInput } from "./options.js"
import { configOf } from "./serve.js"
import { stopping } from "./stopping.js"
import { paintNote, print, say, toJson } from "./terminal.js"
import { cleanLine } from "./text.js"

interface WorkerInput extends CommonInput {
  readonly host: string | undefined
  readonly healthPort: string | undefined
  readonly slots: string | undefined
  readonly config: string | undefined
}

/** Works on the jobs of all workspaces until a signal stops it; a server that answers on the same machine goes first. */
export const worker = (input: WorkerInput): Effect.Effect<void, Failure> =>
  Effect.gen(function* () {
    const config = yield* configOf({
      host: input.host,
      port: input.healthPort,
      config: input.config,
      workerSlots: input.slots,
      noWorker: false,
      noBuiltInModels: false
    })
    const place = yield* begin(input)
    lowerPriority()
    const { startWorking } = yield* Effect.promise(() => import("../main.js"))
    const told = (ended: Ended) =>
      input.json ? print(toJson({ event: "job", ...lineOf(ended) })) : say(wordsOf(ended))
    yield* Effect.acquireUseRelease(
      Effect.tryPromise({
        try: () =>
          startWorking({
            place,
            config,
            version: packageVersion,
            log: (line) => process.stderr.write(`${line}\n`),
            onJobEnd: told,
            isHealthServed: input.healthPort !== undefined
          }),
        catch: (error) => failed("not_working", error instanceof Error ? error.message : String(error))
      }),
      ({ url }) =>
        Effect.gen(function* () {
          stopping.isDone = true
          if (input.json) yield* print(toJson({ event: "started", health: url }))
          else {
            yield* print(`Kanon works on the jobs of ${cleanLine(place.vault)}`)
            if (url !== null) yield* say(paintNote.dim(`Health: ${url}/readyz, metrics: ${url}/metrics`))
          }
          return yield* Effect.never
        }),
      (working) =>
        Effect.zipRight(
          Effect.promise(() => working.close()),
          Effect.suspend(() => (input.json ? print(toJson({ event: "stopped" })) : Effect.void))
        )
    )
  })

const lineOf = ({ durationMs, error, job, outcome }: Ended) => ({
  jobId: job.id,
  workspaceId: job.workspaceId,
  kind: job.kind,
  attempt: job.attempt,
  outcome,
  error,
  durationMs: Math.round(durationMs * 10) / 10
})

const wordsOf = ({ durationMs, error, job, outcome }: Ended): string =>
  `${job.kind} ${job.id} ${outcome.replace("_", " ")} after ${Math.round(durationMs)} ms${error === null ? "" : `: ${cleanLine(error)}`}`
