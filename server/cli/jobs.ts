import * as Effect from "effect/Effect"
import type { Engine } from "../../core/engine/engine.js"
import type { JobStatus, StartedJobs } from "../../core/jobs/index.js"
import { listing } from "./documents.js"
import { type Failure, failed, wrongUsage } from "./failure.js"
import type { CommonInput } from "./options.js"
import { call, withWorkspace } from "./session.js"
import { answer, paint, tableColumns } from "./terminal.js"
import { cleanLine, counted, table } from "./text.js"

export const list = (
  input: CommonInput & {
    readonly status: JobStatus | undefined
    readonly kind: string | undefined
    readonly limit: number
    readonly offset: number
  }
): Effect.Effect<void, Failure> =>
  withWorkspace(input, { worker: false }, ({ engine }) =>
    Effect.gen(function* () {
      const { kind, limit, offset, status } = input
      const page = yield* call(() =>
        engine.jobs.list({
          limit,
          offset,
          ...(status === undefined ? {} : { status }),
          ...(kind === undefined ? {} : { kind })
        })
      )
      yield* answer(input.json, page, () => {
        const rows = page.items.map((job) => [
          job.kind,
          job.status,
          `${job.attempt}`,
          job.queuedAt.slice(0, 19).replace("T", " "),
          job.id,
          cleanLine(job.error ?? "")
        ])
        const columns = [
          { title: "kind" },
          { title: "status" },
          { title: "attempt", align: "right" as const },
          { title: "queued" },
          { title: "id" },
          { title: "error", shrink: true }
        ]
        const shown = table(columns, rows, tableColumns(), paintJob)
        return listing(shown, { total: page.total, offset }, page.items.length, "job")
      })
    })
  )

type Startable = Parameters<Engine["jobs"]["start"]>[0] | "retry"

export const start = (
  input: CommonInput & {
    readonly kind: Startable
    readonly ids: ReadonlyArray<string>
    readonly all: boolean
    readonly wait: boolean
  }
): Effect.Effect<void, Failure> =>
  Effect.gen(function* () {
    const { all, ids, kind, wait } = input
    if (all === ids.length > 0) return yield* wrongUsage("Give either ids or --all.")
    yield* withWorkspace(input, { worker: wait }, ({ engine }) =>
      Effect.gen(function* () {
        const subjects = all ? undefined : ids
        const started = yield* call(() =>
          kind === "retry" ? engine.jobs.retry(subjects) : engine.jobs.start(kind, subjects)
        )
        if (wait) yield* ended(engine, started)
        const { items, total } = started
        yield* answer(input.json, started, () =>
          [
            wait ? `${counted(total, "job")} done.` : queued(total),
            ...items.map((one) => paint.dim(`  ${one.jobId}  ${one.kind}  ${one.subjectId ?? ""}`))
          ].join("\n")
        )
      })
    )
  })

/** Waits until no job of the workspace waits or runs; fails when one of these has failed for good. */
const ended = (engine: Engine, { items }: StartedJobs): Effect.Effect<void, Failure> =>
  Effect.gen(function* () {
    yield* Effect.async<void>((resume) => {
      const off = engine.on("queue", ({ running, waiting }) => {
        if (running + waiting === 0) resume(Effect.void)
      })
      return Effect.sync(off)
    })
    const ids = new Set(items.map(({ jobId }) => jobId))
    const dead = yield* call(() => engine.jobs.list({ status: "dead", limit: 200 }))
    const mine = dead.items.find(({ id }) => ids.has(id))
    if (mine !== undefined)
      return yield* failed("job_dead", `${mine.kind} has failed: ${mine.error ?? "it did not say why"}`)
  })

const queued = (total: number): string =>
  `${counted(total, "job")} queued; the next ingest or ask works on ${total === 1 ? "it" : "them"}.`

export const retry = (
  input: CommonInput & { readonly ids: ReadonlyArray<string> }
): Effect.Effect<void, Failure> =>
  withWorkspace(input, { worker: false }, ({ engine }) =>
    Effect.gen(function* () {
      const started = yield* call(() => engine.jobs.retry(input.ids.length === 0 ? undefined : input.ids))
      const { items, total } = started
      yield* answer(input.json, started, () =>
        total === 0
          ? "No dead jobs."
          : [
              `${counted(total, "job")} queued again; the next ingest or ask works on ${total === 1 ? "it" : "them"}.`,
              ...items.map(({ jobId, kind }) => paint.dim(`  ${jobId}  ${kind}`))
            ].join("\n")
      )
    })
  )

const statusColumn = 1

const paintJob = (cell: string, column: number, isTitle: boolean): string => {
  if (isTitle || column !== statusColumn) return isTitle || column > statusColumn ? paint.dim(cell) : cell
  switch (cell.trim()) {
    case "dead":
      return paint.red(cell)
    case "running":
      return paint.cyan(cell)
    case "succeeded":
      return paint.green(cell)
    default:
      return cell
  }
}
