import * as nodePath from "node:path"
import { visitCrashPoint } from "../host/crash-points.js"
import { NotFolder } from "./errors.js"
import { type FileCalls, ignoreMissing, linkText, relativeLink } from "./files.js"
import { newHandle, type VaultPaths } from "./paths.js"

/** Changes of folders that survive a power cut once they are done. */
export interface SyncedMoves {
  readonly syncFolder: (folder: string) => Promise<void>
  /** Creates a folder with its parents, each synced. */
  readonly makeFolder: (folder: string) => Promise<void>
  /**
   * Renames and syncs, and keeps the target of a relative symbolic link; false when the source is gone because another
   * process did it, possibly without syncing. The link is absolute until it is in its new folder, so that a crash
   * never leaves it with a wrong target.
   */
  readonly rename: (from: string, to: string) => Promise<boolean>
}

export const syncedMoves = (files: FileCalls, { inside, staged, staging }: VaultPaths): SyncedMoves => {
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

  /** Whether the operation was done before: its source is gone. */
  const isGone = async (absolute: string): Promise<boolean> =>
    (await files.lstatThere(absolute).catch(ignoreMissing)) === undefined

  /**
   * Renames without regard to what a link points at. The folder of staged files is not synced: a name that reappears
   * there after a crash is a stray, which start-up removes.
   */
  const renameEntry = async (from: string, to: string): Promise<boolean> => {
    const [source, target] = [nodePath.dirname(from), nodePath.dirname(to)]
    const leavesFolder = source !== target && source !== staging
    const renamed = () => files.rename(from, to, inside).then(() => true, ignoreMissing)
    await syncAbove(target)
    if ((await renamed()) === undefined) {
      if (await isGone(from)) {
        await syncFolder(target).catch(ignoreMissing)
        if (leavesFolder) await syncFolder(source).catch(ignoreMissing)
        return false
      }
      await makeFolder(target)
      // The later of two concurrent renames finds the first one done.
      if ((await renamed()) === undefined && !(await isGone(from))) throw new NotFolder()
    }
    visitCrashPoint("vault.rename.beforeFolderSync")
    await syncFolder(target)
    if (leavesFolder) await syncFolder(source)
    return true
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

  const rename = async (from: string, to: string): Promise<boolean> => {
    const link = nodePath.dirname(from) === nodePath.dirname(to) ? null : await relativeLink(files, from)
    if (link === null) return renameEntry(from, to)
    await relink(from, link.text, link.target)
    const renamed = await renameEntry(from, to)
    await relink(to, link.target, nodePath.relative(await files.realpath(nodePath.dirname(to)), link.target))
    return renamed
  }

  return { syncFolder, makeFolder, rename }
}
