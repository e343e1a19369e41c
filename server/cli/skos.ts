import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { extname } from "node:path"
import { buffer } from "node:stream/consumers"
import { promisify } from "node:util"
import { gunzip } from "node:zlib"
import * as Effect from "effect/Effect"
import { z } from "zod"
import type { Engine } from "../../core/engine/engine/index.js"
import type { ImportMode, RdfSource, SkosImportReport } from "../../core/knowledge/vocabulary/index.js"
import { operations } from "../../core/operations.js"
import { defined } from "../../core/platform/kernel/index.js"
import { command } from "./command.js"
import { type Failure, failed, wrongUsage } from "./failure.js"
import { type CommonInput, switchFlag, textFlag } from "./flags.js"
import { withProgress } from "./progress.js"
import { call, withWorkspace } from "./session.js"
import { paint } from "./terminal.js"
import { cleanLine, counted, named } from "./text.js"
import { exportOutput, writeExport } from "./transfer.js"

export const exportSkos = command("skos", {
  description: "Write the published and retired concepts as a SKOS vocabulary in JSON-LD.",
  input: exportOutput,
  flags: { out: { placeholder: "FILE" } },
  run: (input) =>
    writeExport(input, copy, {
      note: ({ concepts }) => counted(concepts, "concept"),
      line: ({ bytes, concepts }) =>
        `${counted(concepts, "concept")} ${paint.dim(`(${(bytes / 1_000_000).toFixed(1)} MB)`)}`
    })
})

/** Hands the pieces of the vocabulary on, and says what they were. Every node is a line of its own. */
const copy = async (engine: Engine, write: (piece: Uint8Array) => Promise<void>) => {
  const hash = createHash("sha256")
  const decoder = new TextDecoder()
  let [bytes, concepts, rest] = [0, 0, ""]
  for await (const piece of engine.exportSkos()) {
    hash.update(piece)
    bytes += piece.byteLength
    const lines = (rest + decoder.decode(piece, { stream: true })).split("\n")
    rest = lines.pop() ?? ""
    concepts += lines.filter((line) => line.includes(conceptMark)).length
    await write(piece)
  }
  return { concepts, bytes, sha256: hash.digest("hex") }
}

/** In a text it would stand with its quotation marks escaped. */
const conceptMark = ',"@type":"Concept",'

const { dryRun, mode } = operations.importSkos.input.shape
const importInput = z.object({
  file: z.string().describe("The vocabulary; - for the standard input."),
  format: z
    .enum(["json-ld", "turtle", "n-triples"])
    .optional()
    .describe("Its format; by default by the extension: .jsonld or .json, .ttl, .nt."),
  mode: mode
    .unwrap()
    .optional()
    .describe("propose, the default: a change request for each new concept. apply: at once."),
  language: textFlag("The language of preferred labels that become names; en by default."),
  type: textFlag("The type of concepts that have none; concept by default."),
  update: switchFlag(
    "Apply a newer edition: changed labels, definitions and parents, retired concepts, concepts left out."
  ),
  strict: switchFlag("Exit 1 when something was left out: concepts, links, statements of SKOS, changes."),
  dryRun
})
type ImportInput = CommonInput & z.output<typeof importInput>

export const importSkos = command("skos", {
  description: "Import a SKOS vocabulary: proposals for its concepts, or the concepts at once.",
  input: importInput,
  arguments: { file: {} },
  flags: {
    language: { placeholder: "TAG" },
    type: { description: "The type of concepts that have none; concept by default." }
  },
  run: function* (input) {
    const source = yield* read(input)
    const { dryRun, language, mode = "propose", strict, type, update } = input
    yield* withWorkspace({ ...input, worker: !dryRun }, function* ({ engine }) {
      const { jobId, ...foreseen } = yield* call(() =>
        engine.importSkos(source, { mode, dryRun, update, ...defined({ language, type }) })
      )
      if (jobId !== null) yield* waitForImport(engine, jobId, input.json)
      const report = jobId === null ? foreseen : yield* call(() => engine.skosImport(jobId))
      if (strict && leftOut(report, update) > 0) process.exitCode = 1
      return { output: { jobId, ...report }, text: () => told(report, { mode, dryRun, update }) }
    })
  }
})

const formats: Readonly<Record<string, RdfSource["format"]>> = {
  ".jsonld": "json-ld",
  ".json": "json-ld",
  ".ttl": "turtle",
  ".nt": "n-triples"
}

const read = ({ file, format: given }: ImportInput): Effect.Effect<RdfSource, Failure> =>
  Effect.gen(function* () {
    const format = given ?? formats[extname(file.replace(/\.gz$/i, "")).toLowerCase()]
    if (format === undefined)
      return yield* wrongUsage(
        `${named(file)} does not end like what is read: JSON-LD (.jsonld, .json), Turtle (.ttl) or N-Triples (.nt). If it is one of these, say with --format which.`
      )
    const bytes = yield* Effect.tryPromise({
      try: async () => unpacked(await (file === "-" ? buffer(process.stdin) : readFile(file))),
      catch: (error) =>
        failed(
          "file_unavailable",
          `${named(file)} cannot be read: ${error instanceof Error ? error.message : error}`
        )
    })
    const text = yield* Effect.try({
      try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes),
      catch: () => wrongUsage(`${named(file)} is not written in UTF-8: letters of it would be lost.`)
    })
    if (format !== "json-ld") return { format, text }
    const document = yield* Effect.try({
      try: (): unknown => JSON.parse(text),
      catch: () => wrongUsage(`${named(file)} is no JSON.`)
    })
    return { format, document }
  })

/** Returns the content of a file, decompressed if its first bytes say that gzip made it. */
const unpacked = (bytes: Buffer): Promise<Buffer> | Buffer =>
  bytes[0] === 0x1f && bytes[1] === 0x8b ? promisify(gunzip)(bytes, { maxOutputLength }) : bytes

/** More than this is no text to JavaScript, or a trap. */
const maxOutputLength = 512 * 1024 * 1024

const pollMs = 200

/** Waits for the job, showing how far it is; fails when it has failed for good. */
const waitForImport = (engine: Engine, jobId: string, silent: boolean): Effect.Effect<void, Failure> =>
  withProgress({ silent, lines: true }, (onProgress) =>
    Effect.gen(function* () {
      for (;;) {
        const { items } = yield* call(() => engine.jobs.list({ kind: "skos_import", limit: 200 }))
        const job = items.find(({ id }) => id === jobId)
        if (job?.progress != null)
          onProgress({ phase: "vocabulary", done: job.progress.done, total: job.progress.total })
        if (job === undefined || job.status === "succeeded") return
        if (job.status === "dead")
          return yield* failed("job_dead", `The import has failed: ${job.error ?? "it did not say why"}`)
        yield* Effect.sleep(pollMs)
      }
    })
  )

/** Reasons for which a statement is kept, under another word, or is none of SKOS. */
const harmless: ReadonlySet<string> = new Set(["other_word", "told_otherwise"])

/** Number of things that the document says and the workspace does not hold. */
export const leftOut = ({ notKept, totals }: SkosImportReport, update: boolean): number => {
  const statements = notKept.reduce((sum, { count, reason }) => sum + (harmless.has(reason) ? 0 : count), 0)
  const changes = update ? 0 : totals.differences
  return totals.conflicts + totals.problems - totals.proposedAlready + statements + changes
}

interface Run {
  readonly mode: ImportMode
  readonly dryRun: boolean
  readonly update: boolean
}

const told = (report: SkosImportReport, { dryRun, mode, update }: Run): string => {
  const { conflicts, created, differences, notKept, problems, relations, renamed, totals } = report
  const done = dryRun ? "Would take in" : mode === "propose" ? "Proposed" : "Took in"
  const rows: ReadonlyArray<readonly [number, string]> = [
    [report.matched, "known already"],
    [report.joined, "one with another of their name"],
    [totals.renamed, "under a name of their own, since their label is taken"],
    [report.changed, "changed"],
    [report.moved, "moved"],
    [report.retired, "retired"],
    [report.gone, "left out of this edition"],
    [totals.conflicts, "in conflict"],
    [report.skipped, "skipped"],
    [totals.brokenLinks, "broken links"],
    [report.collections, "collections"]
  ]
  return [
    `${paint.green(done)} ${counted(created, "concept")}, ${counted(relations, "relation")}`,
    ...(mode === "propose" && !dryRun && created > 0
      ? [
          paint.dim("They wait for a decision (kanon requests list), and their relations with them."),
          paint.dim("With --mode apply a vocabulary is taken in at once.")
        ]
      : []),
    ...rows
      .filter(([count]) => count > 0)
      .map(([count, what]) => `${paint.dim(what)}  ${count.toLocaleString("en")}`),
    ...(totals.differences > 0 && !update
      ? [paint.dim("Known concepts stay as they are; with --update they follow this edition.")]
      : []),
    ...shown(
      differences.map(({ change, conceptId }) => `${change} ${conceptId}`),
      totals.differences
    ),
    ...shown(
      renamed.map(({ conceptId, name }) => `${conceptId} is ${named(name)}`),
      totals.renamed
    ),
    ...shown(
      conflicts.map(
        ({ conceptId, existingId, reason }) =>
          `${reason} ${conceptId}${existingId === null ? "" : ` (${existingId})`}`
      ),
      totals.conflicts
    ),
    ...shown(
      problems.map(
        ({ conceptId, reason, targetId }) =>
          `${reason} ${conceptId}${targetId === null ? "" : ` -> ${targetId}`}`
      ),
      totals.problems
    ),
    ...(notKept.length === 0 ? [] : [paint.dim("What it says besides and is not kept as it stands there:")]),
    ...shown(
      notKept.map(({ count, reason, word }) => `${reason} ${word} (${count.toLocaleString("en")})`),
      notKept.length
    )
  ].join("\n")
}

/** The first few, and how many there are besides. */
const shown = (lines: ReadonlyArray<string>, total: number): ReadonlyArray<string> => [
  ...lines.slice(0, shownMax).map((line) => paint.yellow(cleanLine(line))),
  ...(total > shownMax
    ? [paint.dim(`and ${(total - shownMax).toLocaleString("en")} more; --json lists up to 1,000`)]
    : [])
]

const shownMax = 10
