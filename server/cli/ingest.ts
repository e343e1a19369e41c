import { existsSync } from "node:fs"
import { isAbsolute, join, relative, resolve, sep } from "node:path"
import * as Effect from "effect/Effect"
import { z } from "zod"
import { lowerPriority } from "../../adapters/host/lower-priority.js"
import { isRemote } from "../../adapters/vault/vault-address.js"
import type { IngestReport } from "../../core/engine/engine/index.js"
import { command } from "./command.js"
import { type Failure, wrongUsage } from "./failure.js"
import { switchFlag, textFlag } from "./flags.js"
import { ingestFiles, withWorkspace } from "./session.js"
import { paint, proseColumns } from "./terminal.js"
import { cleanLine, counted, wrap } from "./text.js"

export const ingestCommand = command("ingest", {
  description: "Bring the index up to date with the files of the vault.",
  input: z.object({
    path: textFlag("Only the files at or under this path."),
    noWait: switchFlag(
      "Return once the files are searchable; vectors and graph follow with the next ingest or ask."
    )
  }),
  arguments: { path: {} },
  run: (input) =>
    Effect.zipRight(
      Effect.sync(lowerPriority),
      withWorkspace({ ...input, worker: !input.noWait, ingests: true }, function* ({ engine, place }) {
        const path = input.path === undefined ? undefined : yield* vaultPath(place.vault, input.path)
        const report = yield* ingestFiles(engine, {
          json: input.json,
          lines: true,
          path,
          wait: !input.noWait
        })
        return { output: report, text: () => summary(report, input.noWait) }
      })
    )
})

/**
 * The vault path that is meant: a file or folder as seen from the current folder when there is one in the vault,
 * else the words as they are. Undefined means all of the vault.
 */
const vaultPath = (vault: string, given: string): Effect.Effect<string | undefined, Failure> => {
  if (isRemote(vault)) return Effect.succeed(given)
  const within = (absolute: string): string | undefined => {
    const path = relative(vault, absolute)
    return path === ".." || path.startsWith(`..${sep}`) || isAbsolute(path)
      ? undefined
      : path.split(sep).join("/")
  }
  const fromHere = resolve(given)
  const seen = existsSync(fromHere) || isAbsolute(given) ? within(fromHere) : undefined
  const path = seen ?? (isAbsolute(given) ? undefined : within(join(vault, given)))
  if (path === undefined) {
    return wrongUsage(`${given} is outside of the vault ${vault}.`)
  }
  return Effect.succeed(path === "" ? undefined : path)
}

const summary = (report: IngestReport, wasBrief: boolean): string => {
  const { created, deleted, failed, moved, unchanged, updated } = report.documents
  const changes = [
    created > 0 ? paint.green(`${created} new`) : "",
    updated > 0 ? paint.cyan(`${updated} changed`) : "",
    moved > 0 ? paint.cyan(`${moved} moved`) : "",
    deleted > 0 ? paint.yellow(`${deleted} removed`) : "",
    failed > 0 ? paint.red(`${failed} failed`) : "",
    `${unchanged} unchanged`
  ].filter((part) => part !== "")
  const contents = [
    counted(report.chunks, "passage"),
    counted(report.entities, "entity", "entities"),
    counted(report.relations, "relation")
  ].join(", ")
  return [
    `${paint.bold("Documents")}  ${changes.join(", ")}`,
    `${paint.bold("Workspace")}  ${contents}  ${paint.dim(`(${(report.durationMs / 1000).toFixed(1)} s)`)}`,
    ...(wasBrief ? [paint.dim("Vectors and graph follow with the next ingest or ask.")] : []),
    ...remarks(paint.red(`Failed (${report.errors.length})`), report.errors),
    ...remarks(paint.yellow(`Remarks (${report.warnings.length})`), report.warnings)
  ].join("\n")
}

const remarks = (title: string, list: IngestReport["errors"]): ReadonlyArray<string> =>
  list.length === 0
    ? []
    : [
        "",
        title,
        ...list.map(({ code, message, path }) =>
          [
            `  ${path === "" ? "" : `${cleanLine(path)}  `}${paint.dim(cleanLine(code))}`,
            wrap(cleanLine(message), proseColumns(), "    ")
          ].join("\n")
        )
      ]
