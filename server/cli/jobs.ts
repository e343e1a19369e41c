import * as Effect from "effect/Effect"
import { z } from "zod"
import type { Engine } from "../../core/engine/engine/index.js"
import { operations } from "../../core/operations.js"
import type { StartedJobs } from "../../core/platform/jobs/index.js"
import { command, group, operationCommand } from "./command.js"
import { type Failure, failed, wrongUsage } from "./failure.js"
import { switchFlag } from "./flags.js"
import { call, withWorkspace } from "./session.js"
import { listOf, timeOf } from "./tables.js"
import { paint } from "./terminal.js"
import { counted } from "./text.js"

const list = operationCommand("list", operations.listJobs, {
  description: "List background jobs, newest first.",
  omit: ["subjectId"],
  print: ({ items, total }, { offset }) =>
    listOf(
      "job",
      items,
      { total, offset },
      ["kind", "status", "attempt", ["queued", ({ queuedAt }) => timeOf(queuedAt)], "id", "error"],
      { shrink: ["error"], right: ["attempt"], paint: { status: paintStatus } }
    )
})

const start = command("start", {
  description:
    "Start background work over documents or the whole workspace; the next ingest or ask works on it.",
  input: z.object({
    kind: operations.startJob.input.shape.kind,
    ids: z.array(z.string()).default([]),
    all: switchFlag("The whole workspace, or every dead job."),
    wait: switchFlag("Work on it now, and return when all background work is done.")
  }),
  arguments: {
    kind: { description: "ingest, reindex, reembed, reextract, graph_analytics, reconcile or retry." },
    ids: { name: "id", description: "Ids of documents (doc_…), or of dead jobs (job_…) for retry." }
  },
  run: function* (input) {
    const { all, ids, kind, wait } = input
    if (all === ids.length > 0) return yield* wrongUsage("Give either ids or --all.")
    yield* withWorkspace({ ...input, worker: wait }, function* ({ engine }) {
      const subjects = all ? undefined : ids
      const started = yield* call(() =>
        kind === "retry" ? engine.jobs.retry(subjects) : engine.jobs.start(kind, subjects)
      )
      if (wait) yield* waitForJobs(engine, started)
      const { items, total } = started
      return {
        output: started,
        text: () =>
          [
            wait ? `${counted(total, "job")} done.` : queued(total, "queued"),
            ...items.map((one) => paint.dim(`  ${one.jobId}  ${one.kind}  ${one.subjectId ?? ""}`))
          ].join("\n")
      }
    })
  }
})

const retry = operationCommand("retry", operations.startJob, {
  description: "Put dead jobs back into the queue; the next ingest or ask works on them.",
  omit: ["kind", "all"],
  arguments: {
    subjectIds: { name: "id", description: "Ids of dead jobs (job_…); without any, all of them." }
  },
  prepare: (given) =>
    Effect.succeed({ kind: "retry", ...given, ...(given["subjectIds"] === undefined ? { all: true } : {}) }),
  print: ({ items, total }) =>
    total === 0
      ? "No dead jobs."
      : [
          queued(total, "queued again"),
          ...items.map(({ jobId, kind }) => paint.dim(`  ${jobId}  ${kind}`))
        ].join("\n")
})

/** Waits until no job of the workspace waits or runs; fails when one of the started jobs is dead. */
const waitForJobs = (engine: Engine, { items }: StartedJobs): Effect.Effect<void, Failure> =>
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

const queued = (total: number, done: string): string =>
  `${counted(total, "job")} ${done}; the next ingest or ask works on ${total === 1 ? "it" : "them"}.`

const paintStatus = (cell: string): string => {
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

export const jobCommands = group("jobs", "Background work: vectors, graph, ranks.", [list, start, retry])
