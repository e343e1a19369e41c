import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { basename, join, relative, sep } from "node:path"
import * as Effect from "effect/Effect"
import { z } from "zod"
import { OnConflict, type SyncRun, type UploadedFile } from "../../core/connected/sources/index.js"
import type { Engine } from "../../core/engine/engine/index.js"
import { defined } from "../../core/platform/kernel/index.js"
import { command } from "./command.js"
import { type Failure, failed, wrongUsage } from "./failure.js"
import { switchFlag, textFlag } from "./flags.js"
import { withProgress } from "./progress.js"
import { call, withWorkspace } from "./session.js"
import { timeOf } from "./tables.js"
import { answer, paint, proseColumns } from "./terminal.js"
import { cleanLine, counted, wrap } from "./text.js"

/** Interval for looking at a running sync. */
const lookMs = 200

/** The command that starts a sync and waits for its end. */
export const syncCommand = (resolve: (engine: Engine, given: string) => Effect.Effect<string, Failure>) =>
  command("sync", {
    description: "Sync a content connector: bring over what changed at its source.",
    input: z.object({
      connector: z.string().describe("The id or the name of the connector."),
      files: textFlag(
        "For markdown_upload: a file, a folder, or a zip, such as an export of Notion or Obsidian."
      ),
      full: switchFlag("Read everything again; of an upload: these are all files there are."),
      dryRun: switchFlag("Only tell what would change."),
      allowRemovals: switchFlag(
        "Remove documents even when nothing is left at the source, or more than a fifth is gone."
      ),
      onConflict: OnConflict.optional().describe(
        "What stays of documents that were edited here and at the source: keep the text here, or that of the source."
      ),
      noWait: switchFlag("Only start it; a worker carries it out.")
    }),
    arguments: { connector: {}, files: {} },
    run: (input) =>
      withWorkspace({ ...input, worker: !input.noWait }, function* ({ engine }) {
        const id = yield* resolve(engine, input.connector)
        const options = {
          mode: input.full ? ("full" as const) : ("incremental" as const),
          dryRun: input.dryRun,
          allowRemovals: input.allowRemovals
        }
        const { files, onConflict } = input
        const upload = files === undefined ? null : yield* readUpload(files)
        const started = yield* call(() =>
          upload === null
            ? engine.connectors.sync(id, { ...options, ...defined({ onConflict }) })
            : engine.connectors.upload(id, upload, { ...options, onConflict: onConflict ?? null })
        )
        if (input.noWait)
          return { output: started, text: () => `Started ${started.syncId}; a worker carries it out.` }
        const run = yield* withProgress({ silent: input.json, lines: true }, (onProgress) =>
          call(() => watchSync(engine, id, started.syncId, onProgress))
        )
        yield* answer(input.json, run, () => runLines(run).join("\n"))
        if (run.status === "cancelled") return yield* failed("sync_cancelled", "The sync was cancelled.")
        const reason = run.failures.find(({ externalId }) => externalId === null)?.reason
        if (run.status !== "succeeded") yield* failed("sync_failed", reason ?? "The sync failed.")
      })
  })

/** Waits until a run has ended. */
const watchSync = async (
  engine: Engine,
  id: string,
  syncId: string,
  onProgress: (progress: { readonly phase: "sync"; readonly done: number; readonly total: number }) => void
): Promise<SyncRun> => {
  for (;;) {
    const { syncs } = await engine.connectors.get(id, { limit: 200 })
    const run = syncs.find((one) => one.id === syncId)
    if (run === undefined) throw new Error("The sync run is gone.")
    if (run.status !== "queued" && run.status !== "running") return run
    const done = run.created + run.updated + run.unchanged + run.failed
    const total =
      run.percent === null ? Math.max(run.seen, done) : Math.round((100 * done) / Math.max(run.percent, 1))
    onProgress({ phase: "sync", done, total })
    await new Promise((resolve) => setTimeout(resolve, lookMs))
  }
}

/** The files of an upload: one file, or those of a folder. What starts with a dot goes along only for Obsidian. */
const readUpload = (given: string): Effect.Effect<ReadonlyArray<UploadedFile>, Failure> => {
  if (!existsSync(given)) return wrongUsage(`There is no file or folder ${given}.`)
  const fileAt = (path: string, name: string): UploadedFile => ({
    path: name,
    bytes: readFileSync(path),
    url: null,
    author: null,
    modifiedAt: statSync(path).mtime.toISOString()
  })
  if (!statSync(given).isDirectory()) return Effect.sync(() => [fileAt(given, basename(given))])
  return Effect.sync(() =>
    readdirSync(given, { recursive: true, withFileTypes: true }).flatMap((entry) => {
      const path = join(entry.parentPath, entry.name)
      const name = relative(given, path).split(sep).join("/")
      const isHidden = /(?:^|\/)\./.test(name) && !name.startsWith(".obsidian/")
      return entry.isFile() && !isHidden ? [fileAt(path, name)] : []
    })
  )
}

/** A run in words. */
export const runLines = (run: SyncRun): ReadonlyArray<string> => {
  const counts = [
    run.created > 0 ? paint.green(`${run.created} new`) : "",
    run.updated > 0 ? paint.cyan(`${run.updated} changed`) : "",
    run.removed > 0 ? paint.yellow(`${run.removed} removed`) : "",
    run.accessChanged > 0 ? `${run.accessChanged} with other readers` : "",
    run.failed > 0 ? paint.red(`${run.failed} failed`) : "",
    run.warned > 0 ? paint.yellow(`${run.warned} with warnings`) : "",
    `${run.unchanged} unchanged`
  ].filter((part) => part !== "")
  const at = run.finishedAt ?? run.startedAt ?? run.queuedAt
  const kind = run.dryRun ? "dry run" : run.mode
  return [
    `${paint.bold(statusText(run.status))}  ${counts.join(", ")}  ${paint.dim(`(${kind}, ${timeOf(at)}, ${run.id})`)}`,
    ...(run.heldRemovals === 0
      ? []
      : [
          paint.yellow(
            `${counted(run.heldRemovals, "document")} of which the source names no more ${run.heldRemovals === 1 ? "was" : "were"} kept: --allow-removals removes ${run.heldRemovals === 1 ? "it" : "them"}.`
          )
        ]),
    ...(run.changes ?? []).map(
      ({ externalId, op, path }) => `  ${op.padEnd(8)} ${cleanLine(path ?? externalId)}`
    ),
    ...run.failures.flatMap(({ externalId, reason }) =>
      externalId === null
        ? [wrap(cleanLine(reason), proseColumns(), "  ")]
        : [`  ${cleanLine(externalId)}`, wrap(cleanLine(reason), proseColumns(), "    ")]
    ),
    ...run.warnings.flatMap(({ externalId, messages }) => [
      `  ${cleanLine(externalId)}`,
      ...messages.map((message) => paint.dim(wrap(cleanLine(message), proseColumns(), "    ")))
    ])
  ]
}

const statusText = (status: SyncRun["status"]): string => {
  switch (status) {
    case "succeeded":
      return paint.green("Synced")
    case "failed":
      return paint.red("Failed")
    case "cancelled":
      return paint.yellow("Cancelled")
    case "running":
      return paint.cyan("Running")
    case "queued":
      return "Queued"
  }
}
