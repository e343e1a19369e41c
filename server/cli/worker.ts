import * as Effect from "effect/Effect"
import { z } from "zod"
import { lowerPriority } from "../../adapters/host/lower-priority.js"
import { packageVersion } from "../../adapters/host/package-version.js"
import type { Ended } from "../../core/platform/jobs/index.js"
import { command } from "./command.js"
import { failed } from "./failure.js"
import { textFlag } from "./flags.js"
import { configOf } from "./serve.js"
import { preparePlace, shutdown } from "./session.js"
import { paintNote, print, say, toJson } from "./terminal.js"
import { cleanLine } from "./text.js"

export const workerCommand = command("worker", {
  description: "Work on the background jobs of all workspaces until a signal stops it.",
  input: z.object({
    host: textFlag("The address to serve health at; 127.0.0.1 by default.", "ADDRESS"),
    healthPort: textFlag("Serve health and metrics at this port; 0 takes a free one.", "N"),
    slots: textFlag("Concurrent jobs of each kind; 4 by default.", "N"),
    config: textFlag("A JSON file of settings; KANON_CONFIG by default.", "FILE")
  }),
  run: function* (input) {
    const config = yield* configOf({
      host: input.host,
      port: input.healthPort,
      config: input.config,
      workerSlots: input.slots
    })
    const place = yield* preparePlace(input)
    lowerPriority()
    const { startWorking } = yield* Effect.promise(() => import("../main.js"))
    const reportJob = (ended: Ended) =>
      input.json ? print(toJson({ event: "job", ...lineOf(ended) })) : say(wordsOf(ended))
    yield* Effect.acquireUseRelease(
      Effect.tryPromise({
        try: () =>
          startWorking({
            place,
            config,
            version: packageVersion,
            log: (line) => process.stderr.write(`${line}\n`),
            onJobEnd: reportJob,
            isHealthServed: input.healthPort !== undefined
          }),
        catch: (error) => failed("not_working", error instanceof Error ? error.message : String(error))
      }),
      ({ url }) =>
        Effect.gen(function* () {
          shutdown.isGraceful = true
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
  }
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
