import { randomUUID } from "node:crypto"
import { constants, realpathSync } from "node:fs"
import * as nodePath from "node:path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Vault } from "../../core/files/documents/index.js"
import { type ServiceLayer, serviceLayer, VaultUnavailable } from "../../core/platform/kernel/index.js"
import { visitCrashPoint } from "../host/crash-points.js"
import { isAlive } from "../host/process-owner.js"
import {
  codeOf,
  type FileCalls,
  type FolderCheck,
  ignoreMissing,
  isProtectedBySticky,
  linkText,
  nodeFiles,
  noPlainFile,
  relativeLink
} from "./files.js"
import { type IgnoreOptions, rulesAbove } from "./ignore-files.js"
import { trashedAmong, trashName } from "./trash-names.js"
import { walkVault } from "./walk.js"
import { watchVault } from "./watch.js"

/** The folder in the vault for Kanon's own files: staged files, the trash and, by default, the data. */
export const ownFolder = ".kanon"

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
  const staging = nodePath.join(root, ownFolder, "staged")
  const trash = nodePath.join(root, ownFolder, "trash")
  const inVault = (path: string) => nodePath.join(root, ...path.split("/"))
  const staged = (handle: string) => nodePath.join(staging, handle)
  const trashed = (id: string) => nodePath.join(trash, trashName(id))
  const attempt = <A>(path: string, work: () => Promise<A>) =>
    Effect.tryPromise({ try: work, catch: (error) => unavailable(path, error) })

  /** Real path at which the vault's own folder was first found; it may be outside of the vault. */
  let ownReal: string | undefined

  /** Rejects a folder outside of the vault. Between `guard` and a call a folder may be exchanged for a link. */
  const inside: FolderCheck = (real) => {
    const isIn = (folder: string) => real === folder || real.startsWith(folder + nodePath.sep)
    if (isIn(realpathSync.native(root))) return
    ownReal ??= realpathSync.native(nodePath.join(root, ownFolder))
    if (!isIn(ownReal)) throw new OutsideVault()
  }

  /** Rejects a path that leaves the vault through symbolic links; checks its nearest existing folder. */
  const guard = async (absolute: string): Promise<void> => {
    for (let folder = nodePath.dirname(absolute); ; folder = nodePath.dirname(folder)) {
      const real = await files.realpath(folder).catch(ignoreMissing)
      if (real !== undefined) return guardReal(files, root, folder, real)
    }
  }

  /** Fails when a rename to or from this path, or into the trash, cannot work. Creates nothing. */
  const checkWritable = async (absolute: string): Promise<void> => {
    await guard(absolute)
    const there = await files.lstatThere(absolute).catch(ignoreMissing)
    if (there?.isDirectory() === true) throw new AFolder()
    const folder = nodePath.dirname(absolute)
    await checkFolder(folder)
    if (there?.isSymbolicLink() === true) await checkFolder(nodePath.dirname(await behindLink(absolute)))
    if (there !== undefined && isProtectedBySticky(await files.stat(folder), there)) throw new NotOurs()
    await checkFolder(trash)
  }

  /** Returns where a file is written: for a symbolic link its target, so that the link stays. */
  const behindLink = async (absolute: string): Promise<string> => {
    const there = await files.lstatThere(absolute).catch(ignoreMissing)
    if (there?.isSymbolicLink() !== true) return absolute
    const real = await files.realpath(absolute).catch(ignoreMissing)
    if (real === undefined) return absolute
    await guardReal(files, root, absolute, real)
    return real
  }

  /** Fails when a folder is not writable or, if it is missing, cannot be created. */
  const checkFolder = async (wanted: string): Promise<void> => {
    for (let folder = wanted; ; folder = nodePath.dirname(folder)) {
      const found = await files.statThere(folder).catch(ignoreMissing)
      if (found === undefined) continue
      if (!found.isDirectory()) throw new NoFolder()
      return files.access(folder, constants.W_OK | constants.X_OK)
    }
  }

  /** Parents of new folders whose sync has failed so far, so that a new folder may not survive a power cut. */
  const unsynced = new Set<string>()

  const syncFolder = async (folder: string): Promise<void> => {
    const handle = await files.open(folder, "r")
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  }

  /** Repeats failed syncs of the folders above this one. */
  const syncAbove = async (folder: string): Promise<void> => {
    for (const above of unsynced) {
      if (!folder.startsWith(above + nodePath.sep)) continue
      await syncFolder(above).catch(ignoreMissing)
      unsynced.delete(above)
    }
  }

  /**
   * Renames and syncs; false when the source is gone because another process did it, possibly without syncing. The
   * folder of staged files is not synced: a name that reappears there after a crash is a stray, which start-up
   * removes.
   */
  const rename = async (from: string, to: string): Promise<boolean> => {
    const [source, target] = [nodePath.dirname(from), nodePath.dirname(to)]
    const leavesFolder = source !== target && source !== staging
    const renamed = () => files.rename(from, to, inside).then(() => true, ignoreMissing)
    await syncAbove(target)
    if ((await renamed()) === undefined) {
      if (await gone(from)) {
        await syncFolder(target).catch(ignoreMissing)
        if (leavesFolder) await syncFolder(source).catch(ignoreMissing)
        return false
      }
      await makeFolder(target)
      // The later of two concurrent renames finds the first one done.
      if ((await renamed()) === undefined && !(await gone(from))) throw new NoFolder()
    }
    visitCrashPoint("vault.rename.beforeFolderSync")
    await syncFolder(target)
    if (leavesFolder) await syncFolder(source)
    return true
  }

  /**
   * Like `rename`, and keeps the target of a relative symbolic link. The link is absolute until it is in its new
   * folder, so that a crash never leaves it with a wrong target.
   */
  const renameLink = async (from: string, to: string): Promise<boolean> => {
    const link = nodePath.dirname(from) === nodePath.dirname(to) ? null : await relativeLink(files, from)
    if (link === null) return rename(from, to)
    await relink(from, link.text, link.target)
    const renamed = await rename(from, to)
    await relink(to, link.target, nodePath.relative(await files.realpath(nodePath.dirname(to)), link.target))
    return renamed
  }

  /** Changes the target of a symbolic link, unless another process replaced or removed it. */
  const relink = async (link: string, before: string, after: string): Promise<void> => {
    if ((await files.statThere(staging).catch(ignoreMissing)) === undefined) await makeFolder(staging)
    const made = staged(newHandle())
    await files.symlink(after, made, inside)
    try {
      if ((await linkText(files, link)) === before) await files.rename(made, link, inside)
    } finally {
      await files.rm(made, { force: true })
    }
    await syncFolder(nodePath.dirname(link)).catch(ignoreMissing)
  }

  /** Moves to a path in the vault. When the operation was done before, there must be a file. */
  const renameInto = async (from: string, to: string): Promise<void> => {
    if (!(await renameLink(from, to))) await files.stat(to)
  }

  /** Creates a folder with its parents, each synced. */
  const makeFolder = async (folder: string): Promise<void> => {
    const first = await files.mkdir(folder, { recursive: true }, inside)
    if (first === undefined) return
    const holders: Array<string> = []
    for (let made = folder; made !== nodePath.dirname(first); made = nodePath.dirname(made))
      holders.push(nodePath.dirname(made))
    for (const holder of holders) unsynced.add(holder)
    for (const holder of holders) {
      await syncFolder(holder)
      unsynced.delete(holder)
    }
  }

  const namesIn = async (folder: string): Promise<ReadonlyArray<string>> =>
    ((await files.readdir(folder).catch(ignoreMissing)) ?? []).map(({ name }) => name)

  /** Whether the operation was done before: its source is gone. */
  const gone = async (absolute: string): Promise<boolean> =>
    (await files.lstatThere(absolute).catch(ignoreMissing)) === undefined

  const readFile = async (absolute: string, limitBytes: number) => {
    const file = await files.read(absolute, limitBytes).catch(ignoreMissing)
    if (file === undefined) return Option.none()
    const { bytes, found } = file
    if (!found.isFile()) throw found.isDirectory() ? new AFolder() : new NoPlainFile()
    const { ctimeMs, mtimeMs, size } = found
    if (bytes === null) throw new TooLarge(size, limitBytes)
    return Option.some({ bytes, stamp: { sizeBytes: size, mtimeMs: Math.max(mtimeMs, ctimeMs) } })
  }

  /** Writes a temporary file and starts its sync; removes it when either fails. */
  const stage = async (path: string, bytes: Uint8Array) => {
    await checkWritable(inVault(path))
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

  return {
    walk: (under) => attempt(under, () => walkVault(root, under, files, ignores)),
    read: (path, limitBytes) =>
      attempt(path, async () => {
        const real = await files.realpath(inVault(path)).catch(ignoreMissing)
        if (real === undefined) return Option.none()
        await guardReal(files, root, inVault(path), real)
        return readFile(inVault(path), limitBytes)
      }),
    excludes: (path) => attempt(path, async () => (await rulesAbove(root, path, files, ignores)) === null),
    checkWritable: (path) => attempt(path, () => checkWritable(inVault(path))),
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
        await renameLink(inVault(path), trashed(id))
      }),
    readTrash: (id) =>
      attempt(id, async () =>
        Option.map(await readFile(trashed(id), Number.MAX_SAFE_INTEGER), ({ bytes }) => bytes)
      ),
    dropTrash: (id) =>
      attempt(id, async () => {
        const dropped = await files.rm(trashed(id)).then(() => true, ignoreMissing)
        if (dropped === true) await syncFolder(trash)
      }),
    trashed: attempt(ownFolder, async () => trashedAmong(await namesIn(trash))),
    strays: attempt(ownFolder, async () => {
      const names = await namesIn(staging)
      return names.filter((name) => !isAlive(Number.parseInt(name, 10)))
    }),
    watch: watchVault(root)
  }
}

/** Returns a name for a temporary file that identifies its process. */
const newHandle = (): string => `${process.pid}-${randomUUID()}.tmp`

/** Rejects a path that leaves the vault through symbolic links; `real` is the resolved path. */
const guardReal = async (files: FileCalls, root: string, absolute: string, real: string): Promise<void> => {
  // Fast path: no link on the way.
  if (real === absolute && (real === root || real.startsWith(root + nodePath.sep))) return
  const realRoot = await files.realpath(root)
  if (real !== realRoot && !real.startsWith(realRoot + nodePath.sep)) throw new OutsideVault()
}

class OutsideVault extends Error {
  readonly code = "outside_vault"
  override readonly message = "A symbolic link leads out of the vault."
}

class AFolder extends Error {
  readonly code = "EISDIR"
}

class NotOurs extends Error {
  readonly code = "EPERM"
}

class NoFolder extends Error {
  readonly code = "ENOTDIR"
}

class NoPlainFile extends Error {
  readonly code = "not_a_file"
  override readonly message = noPlainFile
}

class TooLarge extends Error {
  readonly code = "too_large"
  constructor(sizeBytes: number, limitBytes: number) {
    super(`${sizeBytes} bytes; a document holds at most ${limitBytes}.`)
  }
}

/** Converts an error to a message that a user can act on. It names the vault path, never an absolute path. */
const unavailable = (path: string, error: unknown): VaultUnavailable => {
  const code = codeOf(error)
  const own = error instanceof OutsideVault || error instanceof TooLarge || error instanceof NoPlainFile
  const known: Readonly<Record<string, string>> = {
    EACCES: "Permission denied.",
    EPERM: "The operation is not permitted.",
    ENOENT: "There is no such file or folder.",
    EEXIST: "A part of the path is a file, not a folder.",
    ENOTDIR: "A part of the path is a file, not a folder.",
    EISDIR: "It is a folder, not a file.",
    ENOSPC: "The disk is full.",
    EROFS: "The file system is read-only.",
    ENAMETOOLONG: "The name is too long for the file system.",
    EXDEV: "The vault spans two file systems."
  }
  const message = own ? error.message : (known[code] ?? `The file system reports ${code}.`)
  return new VaultUnavailable({ code, message: path === "" ? message : `${path}: ${message}` })
}
