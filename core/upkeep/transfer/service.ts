import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { DocumentStore, fileBytesMax, Vault } from "../../files/documents/index.js"
import {
  atomically,
  Conflict,
  canonicalJson,
  crashPoint,
  escapeControls,
  Ids,
  type InvalidExport,
  scopeOf,
  type WorkspaceId,
  type WorkspaceScope
} from "../../platform/kernel/index.js"
import { WorkspaceStore } from "../../platform/workspace/index.js"
import { subjectOf } from "./inspect-records.js"
import { lineBytesMax, lineSplitter } from "./lines.js"
import {
  type ArchiveRecord,
  type DocumentRecord,
  type ExportTrailer,
  exportFormat,
  exportVersion,
  noCounts,
  type RecordCounts
} from "./model.js"
import { countsOf, exportReader, type ReadOptions, recordJudge, refusal } from "./reader.js"
import { WorkspaceArchive } from "./store.js"

/** Maximum number of records, and of bytes, per write. */
const recordsPerBatch = 200
const bytesPerBatch = 8 * 1024 * 1024

const encoder = new TextEncoder()
const lineOf = (value: unknown): Uint8Array => encoder.encode(`${escapeControls(canonicalJson(value))}\n`)

/**
 * Streams a workspace as the lines of an export, one line per element, the trailer last. Holds one record at a time
 * and reads one snapshot. Fails on a record that no import would accept, so that a broken export is noticed at once.
 */
export const exportWorkspace = (
  workspace: WorkspaceScope
): Stream.Stream<Uint8Array, InvalidExport, WorkspaceArchive | Ids | Vault> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const [archive, ids, vault] = [yield* WorkspaceArchive, yield* Ids, yield* Vault]
      const { sha256 } = ids
      const digest = ids.digest()
      const judge = recordJudge(sha256)
      const counts = noCounts()
      const digested = (line: Uint8Array) => {
        digest.update(line)
        return line
      }
      const first = Stream.sync(() =>
        digested(lineOf({ format: exportFormat, version: exportVersion, workspaceId: workspace }))
      )
      const found = archive
        .read(workspace)
        .pipe(Stream.mapEffect(withTrashedText(vault, sha256)), Stream.mapEffect(withOriginal(vault, sha256)))
      const records = Stream.mapEffect(found, (record) => {
        counts[record.kind] += 1
        const line = lineOf(record)
        const problem = line.byteLength > lineBytesMax ? "It is too large for one line." : judge(record)
        return problem === undefined
          ? Effect.succeed(digested(line))
          : Effect.fail(refusal("damaged_workspace", null, unfit(record, problem)))
      })
      const last = Stream.sync(() => {
        const trailer: ExportTrailer = { kind: "end", records: countsOf(counts), sha256: digest.finish() }
        return lineOf(trailer)
      })
      return Stream.concat(Stream.concat(first, records), last)
    })
  )

/**
 * Takes the text that the database has lost from the trash of the vault. Fails if the trash cannot be read, because
 * the export could lose that text.
 */
const withTrashedText =
  (vault: Context.Tag.Service<typeof Vault>, sha256: (bytes: Uint8Array) => string) =>
  (record: ArchiveRecord): Effect.Effect<ArchiveRecord, InvalidExport> =>
    record.kind !== "document" || record.content !== null
      ? Effect.succeed(record)
      : Effect.mapBoth(vault.readTrash(record.id), {
          onFailure: ({ message }) =>
            refusal(
              "damaged_workspace",
              null,
              `The text of ${record.path} is in the trash of the vault, if anywhere, and that cannot be read. ${message}`
            ),
          onSuccess: (file) =>
            Option.match(
              Option.filter(file, (bytes) => sha256(bytes) === record.contentHash),
              {
                onNone: () => record,
                onSome: (bytes) => ({ ...record, content: decoder.decode(bytes) })
              }
            )
        })

/** The file of a live document whose text was converted from it; without it where it is gone, or changed since. */
const withOriginal =
  (vault: Context.Tag.Service<typeof Vault>, sha256: (bytes: Uint8Array) => string) =>
  (record: ArchiveRecord): Effect.Effect<ArchiveRecord> => {
    if (record.kind !== "document" || record.file === undefined || record.deletedAt !== null)
      return Effect.succeed(record)
    const { hash } = record.file
    return Effect.match(vault.read(record.path, fileBytesMax(record.path)), {
      onFailure: () => record,
      onSuccess: (file) => {
        const original = Option.getOrNull(file)?.bytes
        return original === undefined || sha256(original) !== hash
          ? record
          : { ...record, original: Encoding.encodeBase64(original) }
      }
    })
  }

const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

const unfit = (record: ArchiveRecord, problem: string): string =>
  `The ${subjectOf(record)} cannot be exported. ${problem} Run 'kanon doctor --repair', which rebuilds derived data, or restore the workspace from a backup or an export.`

/** Result of an import. */
export interface Imported {
  readonly workspaceId: WorkspaceId
  readonly name: string
  readonly records: RecordCounts
  /** Whether the store held no workspace before. */
  readonly isFirst: boolean
}

/** Reads and validates a whole export without writing anything. */
export const verifyExport = <E, R>(
  source: Stream.Stream<Uint8Array, E, R>,
  options: ReadOptions = {}
): Effect.Effect<ExportTrailer, E | InvalidExport, R | Ids> => readExport(source, options, () => Effect.void)

/**
 * Imports an export, atomically in one unit of work. The files of live documents become pending writes, which the
 * reconciliation at the next start completes from the stored bytes. Other workspaces stay as they are. Conflict when
 * the store holds a workspace of the same id, or the vault holds a Markdown file.
 *
 * @param owe Enqueues, in the same unit of work, the jobs for derived data.
 * @param vault The host's name for the vault, recorded for a workspace that is not the first one of the store.
 */
export const loadExport = <E, R, R2>(
  source: Stream.Stream<Uint8Array, E, R>,
  owe: (workspace: WorkspaceScope) => Effect.Effect<unknown, never, R2>,
  vault: string,
  options: ReadOptions = {}
) =>
  Effect.gen(function* () {
    yield* refuseFullVault
    return yield* atomically(
      Effect.gen(function* () {
        const [archive, store] = [yield* WorkspaceArchive, yield* WorkspaceStore]
        const isFirst = Option.isNone(yield* store.first)
        const loading: { workspace?: { scope: WorkspaceScope; name: string } } = {}
        const trailer = yield* readExport(source, options, (records, line) =>
          writeBatch(loading, records, line)
        )
        const { workspace } = loading
        if (workspace === undefined) return yield* refusal("cut_short", null, "There is no workspace in it.")
        if (!isFirst) yield* store.setVault(workspace.scope, vault)
        const dangling = yield* archive.settle(workspace.scope)
        if (Option.isSome(dangling)) return yield* refusal("invalid_record", null, dangling.value)
        const imported: Imported = {
          workspaceId: workspace.scope,
          name: workspace.name,
          records: trailer.records,
          isFirst
        }
        yield* owe(workspace.scope)
        yield* crashPoint("import.insideTransaction")
        return imported
      })
    )
  })

/** Validates every line and passes on records in batches of one kind; holds one batch and one line at a time. */
const readExport = <E, R, E2, R2>(
  source: Stream.Stream<Uint8Array, E, R>,
  options: ReadOptions,
  take: (records: ReadonlyArray<ArchiveRecord>, line: number) => Effect.Effect<void, E2, R2>
) =>
  Effect.gen(function* () {
    const reader = exportReader((yield* Ids).digest(), (yield* Ids).sha256, options)
    const splitter = lineSplitter(lineBytesMax)
    let open: Array<ArchiveRecord> = []
    let openBytes = 0
    const flush = Effect.suspend(() => {
      const batch = open
      open = []
      openBytes = 0
      return batch.length === 0 ? Effect.void : take(batch, reader.line())
    })
    yield* Stream.runForEach(source, (piece) =>
      Effect.gen(function* () {
        const lines = splitter.push(piece)
        if (lines === null)
          return yield* refusal(
            "invalid_record",
            reader.line() + 1,
            `It is longer than ${lineBytesMax} bytes.`
          )
        for (const line of lines) {
          const record = yield* reader.next(line)
          if (record === null) continue
          const isFull = open.length >= recordsPerBatch || openBytes + line.byteLength > bytesPerBatch
          if (isFull || open[0]?.kind !== record.kind) yield* flush
          open.push(record)
          openBytes += line.byteLength
        }
      })
    )
    yield* flush
    return yield* reader.finish(splitter.restBytes())
  })

const writeBatch = (
  loading: { workspace?: { scope: WorkspaceScope; name: string } },
  records: ReadonlyArray<ArchiveRecord>,
  line: number
) =>
  Effect.gen(function* () {
    const archive = yield* WorkspaceArchive
    const [first] = records
    if (first?.kind === "workspace") loading.workspace = { scope: scopeOf(first.id), name: first.name }
    const { workspace } = loading
    if (workspace === undefined) return
    yield* archive.write(workspace.scope, records).pipe(
      Effect.mapError(({ message }) =>
        first?.kind === "workspace"
          ? new Conflict({
              message: `The data already contains the workspace ${first.id}; an import creates a new one.`
            })
          : refusal("invalid_record", line, `A record shortly before it clashes with another one: ${message}`)
      )
    )
    for (const record of records)
      if (record.kind === "document" && record.deletedAt === null)
        yield* recordPendingWrite(workspace.scope, record)
  })

/** Records a pending write: the file is written after the commit, from the stored bytes or from the staged original. */
const recordPendingWrite = (workspace: WorkspaceScope, record: DocumentRecord) =>
  Effect.gen(function* () {
    const [documents, vault] = [yield* DocumentStore, yield* Vault]
    const { contentHash, file, id, original, path } = record
    // Without its original a document has no file: the next ingest puts it in the trash.
    if (file !== undefined && original === undefined) return
    const bytes = original === undefined ? null : Either.getOrNull(Encoding.decodeBase64(original))
    yield* documents.openIntent(workspace, {
      kind: "write",
      documentId: id,
      path,
      from: bytes === null ? null : yield* vault.stage(path, bytes),
      contentHash: file?.hash ?? contentHash,
      expects: ""
    })
  })

/** Fails when the vault holds a Markdown file. */
export const refuseFullVault = Effect.gen(function* () {
  const { entries, refused } = yield* (yield* Vault).walk("")
  const [found] = [...entries, ...refused]
  if (found === undefined) return
  return yield* new Conflict({
    message: `The vault already contains files, such as ${found.path}; an import needs an empty one. If they are those of a killed import, its workspace is complete: kanon status shows it.`
  })
})
