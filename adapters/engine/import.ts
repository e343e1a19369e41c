import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
  rmdirSync,
  rmSync
} from "node:fs"
import { join, resolve } from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import * as Layer from "effect/Layer"
import type { Engine, IngestProgress, IngestReport } from "../../core/engine/engine/index.js"
import {
  loadWorkspace,
  type OpenExport,
  requireEmptyVault,
  verifyExportFile
} from "../../core/engine/engine/index.js"
import { Vault } from "../../core/files/documents/index.js"
import {
  Conflict,
  DataFull,
  ImportUnfinished,
  invalid,
  KanonError
} from "../../core/platform/kernel/index.js"
import type { Ports } from "../../core/ports.js"
import type { ReadOptions, RecordCounts } from "../../core/upkeep/transfer/index.js"
import { hostIds } from "../host/ids.js"
import { temporaryFolder } from "../host/temporary-folder.js"
import { directoryVault } from "../vault/directory.js"
import { objectVault } from "../vault/objects.js"
import { absoluteVault, isRemote, placeOf, portableVault } from "../vault/vault-address.js"
import { beginImport } from "./import-mark.js"
import type { CommonOptions } from "./options.js"

/** An export: the path of a file, or a stream of bytes (of Node or of the web). */
export type ExportSource = string | AsyncIterable<Uint8Array>

/** Destination of an import; the name of the workspace is in the export. */
export interface ImportOptions extends Omit<CommonOptions, "name" | "worker" | "workspace"> {
  /**
   * False returns as soon as the files are written and searchable; vectors and ranks follow in the background. So they
   * do beside other workspaces, whose files are elsewhere: whoever works on the jobs of that data makes them.
   */
  readonly wait?: boolean
  /** Accepts an audit trail that was broken before the export; it stays reported as broken. */
  readonly acceptBrokenAudit?: boolean
  readonly onProgress?: (progress: IngestProgress) => void
}

/** Result of an import. */
export interface ImportReport {
  readonly workspace: { readonly id: string; readonly name: string }
  /** Number of records of each kind in the export. */
  readonly records: RecordCounts
  /** The first ingest of the imported vault: all files unchanged, except those that could not be written. */
  readonly ingest: IngestReport
}

/** Functions of the database package that the import needs. */
export interface Host<Options> {
  readonly ports: (options: Options) => Layer.Layer<Ports>
  readonly open: (
    options: Options & { readonly worker: boolean; readonly workspace: string }
  ) => Promise<Engine>
  /** The data folder beside the vault; null for none. */
  readonly data: string | null
}

/** Validates the export, imports it, then opens an engine that derives the rest. */
export const importInto = async <Options extends ImportOptions>(
  host: Host<Options>,
  source: ExportSource,
  options: Options
): Promise<ImportReport> => {
  const { acceptBrokenAudit = false, onProgress, wait = true } = options
  if (host.data === ":memory:")
    throw new KanonError(invalid(["data"], "invalid_value", "An import needs a data folder that stays."))
  const reading = { acceptsBrokenTrail: acceptBrokenAudit }
  const place = placeOf(options.vault)
  if (place.kind === "objects") await requireEmptyVault(Layer.succeed(Vault, objectVault(place)))
  if (place.kind === "folder" && existsSync(place.folder))
    await requireEmptyVault(directoryVault(place.folder))
  return withFile(source, async (open) => {
    const { records } = await verifyExportFile(open, hostIds, reading)
    const { isFirst, name, workspaceId } = await loadFresh(host, open, options, reading)
    try {
      // A worker takes jobs of all workspaces, and would miss the files of the first one in this vault.
      const worker = isFirst && wait
      const engine = await host.open({ ...options, worker, workspace: workspaceId })
      try {
        const ingest = await engine.ingest({
          wait: worker,
          ...(onProgress === undefined ? {} : { onProgress })
        })
        return { workspace: { id: workspaceId, name }, records, ingest }
      } finally {
        await engine.close()
      }
    } catch (error) {
      throw error instanceof KanonError && error.fault instanceof DataFull
        ? new KanonError(new DataFull({ outcome: importedAllTheSame }))
        : error
    }
  })
}

const importedAllTheSame =
  "The workspace is imported, but its derived data is incomplete. Free disk space: the next ingest continues."

/** Creates the folders and imports; removes created folders if the import fails. */
const loadFresh = async <Options extends ImportOptions>(
  host: Host<Options>,
  open: OpenExport,
  options: Options,
  reading: ReadOptions
) => {
  const folders = [isRemote(options.vault) ? null : resolve(options.vault), host.data]
  const made = folders.flatMap((folder) =>
    folder === null ? [] : (mkdirSync(folder, { recursive: true }) ?? [])
  )
  let end = () => {}
  try {
    if (host.data !== null) end = beginImport(host.data)
    const imported = await loadWorkspace(
      host.ports(options),
      open,
      portableVault(absoluteVault(options.vault), host.data),
      reading
    )
    end()
    return imported
  } catch (error) {
    end()
    // The folder may hold files of others.
    const isTaken =
      error instanceof KanonError &&
      (error.fault instanceof Conflict || error.fault instanceof ImportUnfinished)
    for (const folder of made) {
      if (!isTaken) rmSync(folder, { recursive: true, force: true })
      else if (readdirSync(folder).length === 0) rmdirSync(folder)
    }
    throw error
  }
}

/** Provides a source that can be read twice; a stream is copied to a temporary file meanwhile. */
const withFile = async <A>(source: ExportSource, use: (open: OpenExport) => Promise<A>): Promise<A> => {
  if (typeof source === "string") return use(() => createReadStream(source))
  const folder = temporaryFolder("import")
  try {
    const file = join(folder, "export")
    await pipeline(Readable.from(source), createWriteStream(file, { mode: 0o600 }))
    return await use(() => createReadStream(file))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
