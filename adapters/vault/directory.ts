import * as nodePath from "node:path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Vault } from "../../core/files/documents/index.js"
import { type ServiceLayer, serviceLayer } from "../../core/platform/kernel/index.js"
import { visitCrashPoint } from "../host/crash-points.js"
import { isAlive } from "../host/process-owner.js"
import { IsFolder, NotPlainFile, TooLarge, unavailable } from "./errors.js"
import { type FileCalls, ignoreMissing, nodeFiles } from "./files.js"
import { type IgnoreOptions, rulesAbove } from "./ignore-files.js"
import { type SyncedMoves, syncedMoves } from "./moves.js"
import { newHandle, ownFolder, type VaultPaths, vaultPaths } from "./paths.js"
import { trashedAmong } from "./trash-names.js"
import { walkVault } from "./walk.js"
import { watchVault } from "./watch.js"

/**
 * A vault in a directory. Writes go to a temporary file in the vault's own folder, are synced and renamed into place,
 * and the folder is synced: after a crash a file is complete, old or new.
 */
export const directoryVault = (root: string, files: FileCalls = nodeFiles): ServiceLayer<Vault> =>
  serviceLayer(Vault, Effect.succeed(makeVault(nodePath.resolve(root), files)))

/** The same as a value, over an absolute path. */
export const makeVault = (
  root: string,
  files: FileCalls = nodeFiles,
  ignores: IgnoreOptions = { gitignore: true }
): Vault["Type"] => {
  const paths = vaultPaths(root, files)
  const moves = syncedMoves(files, paths)
  const { behindLink, guard, inVault, staged, trashed } = paths

  /** Moves to a path in the vault. When the operation was done before, there must be a file. */
  const renameInto = async (from: string, to: string): Promise<void> => {
    if (!(await moves.rename(from, to))) await files.stat(to)
  }

  const namesIn = async (folder: string): Promise<ReadonlyArray<string>> =>
    ((await files.readdir(folder).catch(ignoreMissing)) ?? []).map(({ name }) => name)

  const stage = (path: string, bytes: Uint8Array) => stageFile(files, paths, moves, inVault(path), bytes)

  return {
    walk: (under) => attempt(under, () => walkVault(root, under, files, ignores)),
    read: (path, limitBytes) =>
      attempt(path, async () => {
        const real = await files.realpath(inVault(path)).catch(ignoreMissing)
        if (real === undefined) return Option.none()
        await paths.guardReal(inVault(path), real)
        return readFile(files, inVault(path), limitBytes)
      }),
    excludes: (path) => attempt(path, async () => (await rulesAbove(root, path, files, ignores)) === null),
    checkWritable: (path) => attempt(path, () => paths.checkWritable(inVault(path))),
    stage: (path, bytes) =>
      attempt(path, async () => {
        const { handle, synced } = await stage(path, bytes)
        await synced
        return handle
      }),
    stageAhead: (path, bytes) =>
      Effect.map(
        attempt(path, () => stage(path, bytes)),
        ({ handle, synced }) => ({ handle, synced: attempt(path, () => synced) })
      ),
    publish: (path, handle) =>
      attempt(path, async () => {
        await guard(inVault(path))
        await renameInto(staged(handle), await behindLink(inVault(path)))
      }),
    discard: (handle) =>
      Effect.promise(() => files.rm(staged(handle), { force: true }).catch(() => undefined)),
    move: (from, to) =>
      attempt(to, async () => {
        await guard(inVault(from))
        await guard(inVault(to))
        await renameInto(inVault(from), inVault(to))
      }),
    trash: (path, id) =>
      attempt(path, async () => {
        await guard(inVault(path))
        await moves.rename(inVault(path), trashed(id))
      }),
    readTrash: (id) =>
      attempt(id, async () =>
        Option.map(await readFile(files, trashed(id), Number.MAX_SAFE_INTEGER), ({ bytes }) => bytes)
      ),
    dropTrash: (id) =>
      attempt(id, async () => {
        const dropped = await files.rm(trashed(id)).then(() => true, ignoreMissing)
        if (dropped === true) await moves.syncFolder(paths.trash)
      }),
    trashed: attempt(ownFolder, async () => trashedAmong(await namesIn(paths.trash))),
    strays: attempt(ownFolder, async () => {
      const names = await namesIn(paths.staging)
      return names.filter((name) => !isAlive(Number.parseInt(name, 10)))
    }),
    watch: watchVault(root)
  }
}

const attempt = <A>(path: string, work: () => Promise<A>) =>
  Effect.tryPromise({ try: work, catch: (error) => unavailable(path, error) })

const readFile = async (files: FileCalls, absolute: string, limitBytes: number) => {
  const file = await files.read(absolute, limitBytes).catch(ignoreMissing)
  if (file === undefined) return Option.none()
  const { bytes, found } = file
  if (!found.isFile()) throw found.isDirectory() ? new IsFolder() : new NotPlainFile()
  const { ctimeMs, mtimeMs, size } = found
  if (bytes === null) throw new TooLarge(size, limitBytes)
  return Option.some({ bytes, stamp: { sizeBytes: size, mtimeMs: Math.max(mtimeMs, ctimeMs) } })
}

/** Writes a temporary file for this path and starts its sync; removes it when either fails. */
const stageFile = async (
  files: FileCalls,
  { checkWritable, inside, staged, staging }: VaultPaths,
  { makeFolder }: SyncedMoves,
  absolute: string,
  bytes: Uint8Array
) => {
  await checkWritable(absolute)
  if ((await files.statThere(staging).catch(ignoreMissing)) === undefined) await makeFolder(staging)
  const handle = newHandle()
  const file = await files.open(staged(handle), "wx", inside)
  const dropped = async (error: unknown): Promise<never> => {
    await files.rm(staged(handle), { force: true })
    throw error
  }
  try {
    await file.writeFile(bytes)
    visitCrashPoint("vault.stage.beforeSync")
  } catch (error) {
    await file.close()
    return dropped(error)
  }
  const synced = file
    .sync()
    .finally(() => file.close())
    .catch(dropped)
  // Waiters get the error; this handler only prevents an unhandled rejection.
  synced.catch(() => {})
  return { handle, synced }
}
