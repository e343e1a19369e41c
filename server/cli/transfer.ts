import { createHash, randomUUID } from "node:crypto"
import { createReadStream, fstatSync, statSync } from "node:fs"
import { mkdir, open, readdir, realpath, rename, rm } from "node:fs/promises"
import { basename, dirname, join, resolve } from "node:path"
import * as Effect from "effect/Effect"
import { z } from "zod"
import { unfinishedImport } from "../../adapters/engine/import-mark.js"
import { isMarkGone, processMark } from "../../adapters/host/process-owner.js"
import type { ImportReport } from "../../adapters/sqlite/index.js"
import { absoluteVault } from "../../adapters/vault/vault-address.js"
import type { Engine } from "../../core/engine/engine/index.js"
import { ExportTrailer, type RecordCounts } from "../../core/upkeep/transfer/index.js"
import { databaseHomeOf, storeOf } from "../store.js"
import { command } from "./command.js"
import { type Failure, failed, openData, wrongUsage } from "./failure.js"
import { type CommonInput, place, switchFlag } from "./flags.js"
import { withHost } from "./host.js"
import { isRemembered, isSameVault, locate, type Place } from "./place.js"
import { recordPlace, requireOwnDatabase } from "./place-record.js"
import { warningLogger, withProgress } from "./progress.js"
import { call, here, withWorkspace } from "./session.js"
import { answer, paint, paintNote, printBytes, say } from "./terminal.js"
import { cleanLine, counted, named } from "./text.js"
import { refuseShared } from "./workspaces.js"

/** Destination of an export. */
export const exportOutput = z.object({
  out: place("FILE").describe("The file to write, replaced if it exists; the standard output by default.")
})
type ExportInput = CommonInput & z.output<typeof exportOutput>

export const exportWorkspace = command("workspace", {
  description: "Write the whole workspace, history and trash included, as one file.",
  input: exportOutput,
  flags: { out: { placeholder: "FILE" } },
  run: (input) =>
    input.out === undefined && !input.json && process.stdout.isTTY === true
      ? Effect.fail(
          wrongUsage("An export is nothing to read on a terminal: name a file with --out, or pipe it on.")
        )
      : writeExport(input, copy, { note: described, line: described })
})

/**
 * Writes what `copy` hands on to where it is wanted, and tells of it: in a note beside the standard output, in a line
 * and with its hash for a file.
 */
export const writeExport = <Sum extends { readonly sha256: string }>(
  input: ExportInput,
  copy: (engine: Engine, write: (piece: Uint8Array) => Promise<void>) => Promise<Sum>,
  described: { readonly note: (sum: Sum) => string; readonly line: (sum: Sum) => string }
): Effect.Effect<void, Failure> =>
  Effect.gen(function* () {
    const out = input.out !== undefined && isStandardOutput(input.out) ? undefined : input.out
    if (out === undefined && input.json)
      return yield* wrongUsage("--json describes a file: it needs --out FILE.")
    yield* withWorkspace(input, function* ({ engine }) {
      if (out === undefined) {
        const sum = yield* call(() => copy(engine, printBytes))
        return yield* Effect.as(say(`${paintNote.green("Exported")} ${described.note(sum)}`), undefined)
      }
      const file = resolve(out)
      const sum = yield* writeFileAtomically(file, (write) => copy(engine, write))
      return {
        output: { file, ...sum },
        text: () =>
          [
            `${paint.green("Exported")} ${described.line(sum)}`,
            `${paint.dim("file")}    ${cleanLine(file)}`,
            `${paint.dim("sha256")}  ${sum.sha256}`
          ].join("\n")
      }
    })
  })

export const importWorkspace = command("workspace", {
  description: "Make a workspace of an export, in a new vault.",
  input: z.object({
    file: z.string().describe("The file that kanon export wrote; - for the standard input."),
    noWait: switchFlag(
      "Return once the files are searchable; vectors and ranks follow with the next ingest or ask."
    ),
    acceptBrokenAudit: switchFlag(
      "Import an audit trail that was tampered with before the export; it is still reported as broken."
    )
  }),
  arguments: { file: {} },
  run: function* (input) {
    if (input.vault === undefined)
      return yield* wrongUsage(
        "An import needs --vault DIR: the folder to write the files to, empty or not there."
      )
    const found = input.file === "-" ? null : statSync(input.file, { throwIfNoEntry: false })
    if (found === undefined)
      return yield* failed("file_unavailable", `There is no file ${named(input.file)}.`)
    if (found?.isDirectory() === true)
      return yield* failed("file_unavailable", `${named(input.file)} is a folder, and no export.`)
    const target = yield* locate(input, { ...here(), makesVault: true, takesOtherVault: true })
    const { data } = target
    const vault = absoluteVault(input.vault)
    const isBeside = yield* requireRoom({ ...input, vault: undefined }, target, vault)
    const report = yield* withProgress({ silent: input.json, lines: true }, (onProgress) =>
      call(async () => {
        const store = await storeOf({ ...target, vault })
        // An export is read twice: what can be read once alone, such as a pipe, is taken in as a stream.
        const source =
          found === null
            ? process.stdin
            : found.isFile()
              ? resolve(input.file)
              : createReadStream(resolve(input.file))
        const wait = !input.noWait
        const { acceptBrokenAudit, json } = input
        const logger = warningLogger(json)
        return store.importWorkspace(source, { wait, acceptBrokenAudit, onProgress, logger })
      })
    )
    if (!isBeside) yield* recordPlace(target, report.workspace)
    yield* answer(input.json, { ...report.workspace, vault, data, records: report.records }, () =>
      told(report, vault, data)
    )
  }
})

/**
 * Whether the data holds other workspaces. Fails when the vault is that of one of them, or the data folder of the
 * database is another one.
 */
const requireRoom = (input: CommonInput, target: Place, vault: string): Effect.Effect<boolean, Failure> =>
  Effect.gen(function* () {
    const { data, database, fresh } = target
    if (fresh) {
      const home = database === undefined ? null : yield* openData(target, () => databaseHomeOf(database))
      if (home === null || home.workspace === null) return false
      return yield* failed(
        "conflict",
        `The database holds a workspace already${home.vault === null ? "" : `, of the vault ${home.vault}`}. Name its data folder with --data to import beside it.`
      )
    }
    // A database file alone may be left from an import that died before it wrote anything.
    if (!isRemembered(target) && unfinishedImport(data) !== null) return false
    if (isSameVault(target.vault, vault))
      return yield* failed(
        "conflict",
        `${data} holds a workspace of ${vault} already: an import makes a new one.`
      )
    yield* requireOwnDatabase(target)
    yield* withHost(input, function* ({ place }) {
      yield* refuseShared(place, vault)
    })
    return true
  })

/** Whether a name such as `/dev/stdout` means what this process writes its answers to. */
const isStandardOutput = (file: string): boolean => {
  try {
    const [found, ours] = [statSync(file), fstatSync(process.stdout.fd)]
    return found.dev === ours.dev && found.ino === ours.ino
  } catch {
    return false
  }
}

const told = ({ ingest, records, workspace }: ImportReport, vault: string, data: string): string =>
  [
    `${paint.green("Imported")} the workspace ${paint.bold(cleanLine(workspace.name))}: ${contents(records)}`,
    `${paint.dim("vault")}  ${cleanLine(vault)}`,
    `${paint.dim("data")}   ${cleanLine(data)}`,
    ...ingest.errors.map(({ message, path }) => paint.yellow(cleanLine(`${path} ${message}`)))
  ].join("\n")

interface Sum {
  readonly bytes: number
  /** Hash of all bytes of the file. */
  readonly sha256: string
  readonly records: RecordCounts
}

const described = ({ bytes, records }: Sum): string =>
  `${contents(records)} ${paintNote.dim(`(${(bytes / 1_000_000).toFixed(1)} MB)`)}`

const contents = ({ document, entity, relation, revision }: RecordCounts): string =>
  [
    counted(document, "document"),
    counted(entity, "entity", "entities"),
    counted(relation, "relation"),
    counted(revision, "revision")
  ].join(", ")

/** Hands the pieces of an export on, and says what they were. */
const copy = async (engine: Engine, write: (piece: Uint8Array) => Promise<void>): Promise<Sum> => {
  const hash = createHash("sha256")
  let bytes = 0
  let last = new Uint8Array()
  for await (const piece of engine.export()) {
    hash.update(piece)
    bytes += piece.byteLength
    last = new Uint8Array(piece)
    await write(piece)
  }
  const { records } = ExportTrailer.parse(JSON.parse(new TextDecoder().decode(last)))
  return { bytes, sha256: hash.digest("hex"), records }
}

/**
 * Writes a file so that it exists completely or not at all. An existing file is replaced, through a link the target.
 * A pipe or a device is written to directly, because a file in its place would not be one.
 */
export const writeFileAtomically = <A>(
  file: string,
  work: (write: (piece: Uint8Array) => Promise<void>) => Promise<A>
): Effect.Effect<A, Failure> =>
  Effect.gen(function* () {
    const { isThrough, path } = yield* onDisk(file, () => placeOf(file))
    const written = isThrough ? path : unfinishedFile(path)
    const target = yield* onDisk(file, async () => {
      if (!isThrough) {
        await mkdir(dirname(path), { recursive: true })
        await removeAbandoned(path)
      }
      return open(written, isThrough ? "w" : "wx", 0o600)
    })
    let held: Array<Uint8Array> = []
    let heldBytes = 0
    let full: { readonly error: unknown } | undefined
    const flush = async () => {
      const pieces = held
      held = []
      heldBytes = 0
      if (pieces.length === 0) return
      await target.writeFile(Buffer.concat(pieces)).catch((error: unknown) => {
        full = { error }
        throw error
      })
    }
    const write = async (piece: Uint8Array) => {
      held.push(piece)
      heldBytes += piece.byteLength
      if (heldBytes >= bytesPerWrite) await flush()
    }
    return yield* call(() => work(write)).pipe(
      // The disk's own fault, met in the middle of the work.
      Effect.mapError((failure) => (full === undefined ? failure : unwritable(file, full.error))),
      Effect.tap(() =>
        onDisk(file, async () => {
          await flush()
          if (!isThrough) await target.sync()
          await target.close()
          if (isThrough) return
          await rename(written, path)
          const folder = await open(dirname(path))
          await folder.sync().finally(() => folder.close())
        })
      ),
      Effect.onError(() =>
        Effect.promise(async () => {
          await target.close().catch(() => undefined)
          if (!isThrough) await rm(written, { force: true })
        })
      )
    )
  })

/** Returns where a file is written, and whether the destination takes bytes without being a file. */
const placeOf = async (file: string): Promise<{ readonly path: string; readonly isThrough: boolean }> => {
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined) return { path: file, isThrough: false }
  if (found.isDirectory()) throw new Error("it is a folder")
  // A pipe that is named by its descriptor lies nowhere.
  return found.isFile() ? { path: await realpath(file), isThrough: false } : { path: file, isThrough: true }
}

const unfinishedFile = (path: string): string => `${path}.${processMark}.${randomUUID().slice(0, 8)}.tmp`

/** Removes what processes that were killed have left of writing this file. */
const removeAbandoned = async (path: string): Promise<void> => {
  const start = `${basename(path)}.`
  for (const name of await readdir(dirname(path)).catch(() => [])) {
    const [mark, id, end] = name.startsWith(start) ? name.slice(start.length).split(".") : []
    if (mark === undefined || id === undefined || end !== "tmp" || !isMarkGone(mark)) continue
    await rm(join(dirname(path), name), { force: true })
  }
}

/** Bytes gathered before they go to the disk. */
const bytesPerWrite = 256 * 1024

const onDisk = <A>(file: string, work: () => Promise<A>): Effect.Effect<A, Failure> =>
  Effect.tryPromise({
    try: work,
    catch: (error) => unwritable(file, error)
  })

const unwritable = (file: string, error: unknown): Failure =>
  failed("file_unavailable", `${file} cannot be written: ${error instanceof Error ? error.message : error}`)
