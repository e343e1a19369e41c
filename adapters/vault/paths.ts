import { randomUUID } from "node:crypto"
import { constants, realpathSync } from "node:fs"
import * as nodePath from "node:path"
import { IsFolder, NotFolder, NotPermitted, OutsideVault } from "./errors.js"
import { type FileCalls, type FolderCheck, ignoreMissing, isProtectedBySticky } from "./files.js"
import { trashName } from "./trash-names.js"

/** The folder in the vault for Kanon's own files: staged files, the trash and, by default, the data. */
export const ownFolder = ".kanon"

/** Absolute paths of a vault, and the checks that keep them inside of it. */
export interface VaultPaths {
  /** Folder of staged files. */
  readonly staging: string
  readonly trash: string
  readonly inVault: (path: string) => string
  readonly staged: (handle: string) => string
  readonly trashed: (id: string) => string
  /** Rejects a folder outside of the vault. Between `guard` and a call a folder may be exchanged for a link. */
  readonly inside: FolderCheck
  /** Rejects a path that leaves the vault through symbolic links; checks its nearest existing folder. */
  readonly guard: (absolute: string) => Promise<void>
  /** Rejects a path that leaves the vault through symbolic links; `real` is the resolved path. */
  readonly guardReal: (absolute: string, real: string) => Promise<void>
  /** Fails when a rename to or from this path, or into the trash, cannot work. Creates nothing. */
  readonly checkWritable: (absolute: string) => Promise<void>
  /** Returns where a file is written: for a symbolic link its target, so that the link stays. */
  readonly behindLink: (absolute: string) => Promise<string>
}

export const vaultPaths = (root: string, files: FileCalls): VaultPaths => {
  const staging = nodePath.join(root, ownFolder, "staged")
  const trash = nodePath.join(root, ownFolder, "trash")

  /** Real path at which the vault's own folder was first found; it may be outside of the vault. */
  let ownReal: string | undefined

  const inside: FolderCheck = (real) => {
    const isIn = (folder: string) => real === folder || real.startsWith(folder + nodePath.sep)
    if (isIn(realpathSync.native(root))) return
    ownReal ??= realpathSync.native(nodePath.join(root, ownFolder))
    if (!isIn(ownReal)) throw new OutsideVault()
  }

  const guardReal = async (absolute: string, real: string): Promise<void> => {
    // Fast path: no link on the way.
    if (real === absolute && (real === root || real.startsWith(root + nodePath.sep))) return
    const realRoot = await files.realpath(root)
    if (real !== realRoot && !real.startsWith(realRoot + nodePath.sep)) throw new OutsideVault()
  }

  const guard = async (absolute: string): Promise<void> => {
    for (let folder = nodePath.dirname(absolute); ; folder = nodePath.dirname(folder)) {
      const real = await files.realpath(folder).catch(ignoreMissing)
      if (real !== undefined) return guardReal(folder, real)
    }
  }

  const behindLink = async (absolute: string): Promise<string> => {
    const there = await files.lstatThere(absolute).catch(ignoreMissing)
    if (there?.isSymbolicLink() !== true) return absolute
    const real = await files.realpath(absolute).catch(ignoreMissing)
    if (real === undefined) return absolute
    await guardReal(absolute, real)
    return real
  }

  const checkWritable = async (absolute: string): Promise<void> => {
    await guard(absolute)
    const there = await files.lstatThere(absolute).catch(ignoreMissing)
    if (there?.isDirectory() === true) throw new IsFolder()
    const folder = nodePath.dirname(absolute)
    await checkFolder(files, folder)
    if (there?.isSymbolicLink() === true)
      await checkFolder(files, nodePath.dirname(await behindLink(absolute)))
    if (there !== undefined && isProtectedBySticky(await files.stat(folder), there)) throw new NotPermitted()
    await checkFolder(files, trash)
  }

  return {
    staging,
    trash,
    inVault: (path) => nodePath.join(root, ...path.split("/")),
    staged: (handle) => nodePath.join(staging, handle),
    trashed: (id) => nodePath.join(trash, trashName(id)),
    inside,
    guard,
    guardReal,
    checkWritable,
    behindLink
  }
}

/** Fails when a folder is not writable or, if it is missing, cannot be created. */
const checkFolder = async (files: FileCalls, wanted: string): Promise<void> => {
  for (let folder = wanted; ; folder = nodePath.dirname(folder)) {
    const found = await files.statThere(folder).catch(ignoreMissing)
    if (found === undefined) continue
    if (!found.isDirectory()) throw new NotFolder()
    return files.access(folder, constants.W_OK | constants.X_OK)
  }
}

/** Returns a name for a temporary file that identifies its process. */
export const newHandle = (): string => `${process.pid}-${randomUUID()}.tmp`
