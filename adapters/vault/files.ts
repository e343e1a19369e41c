import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
  type Stats,
  statSync,
  symlinkSync,
  writeSync
} from "node:fs"
import { rm } from "node:fs/promises"
import * as nodePath from "node:path"
import { basename, dirname, join } from "node:path"
import { promisify } from "node:util"

/** The bytes of a file with its state when it was read. */
interface FoundFile {
  readonly found: Stats
  /** Null when it is not a regular file, or exceeds the limit. */
  readonly bytes: Uint8Array | null
}

/** Opens without blocking: a named pipe would wait for its writer, possibly forever. Absent on Windows. */
const readWithoutWaiting = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/** Throws unless files may be written in a folder, which is given by its resolved path. */
export type FolderCheck = (real: string) => void

/** Linux names open folders as paths; there a checked folder cannot be exchanged for a link before it is used. */
const canHold = process.platform === "linux" && existsSync("/proc/self/fd")
/** `O_PATH`, which Node does not name: opens a folder for its position alone, so no right to read it is needed. */
const positionOnly = 0o10000000

/** Runs a call in a folder that was checked, under a path that keeps leading to this folder. */
const inFolder = <A>(folder: string, check: FolderCheck | undefined, call: (held: string) => A): A => {
  if (check === undefined) return call(folder)
  if (!canHold) {
    check(realpathSync.native(folder))
    return call(folder)
  }
  const file = openSync(folder, positionOnly | constants.O_DIRECTORY)
  try {
    const descriptorPath = `/proc/self/fd/${file}`
    check(readlinkSync(descriptorPath))
    return call(descriptorPath)
  } finally {
    closeSync(file)
  }
}

/** Creates a folder with its parents, one at a time; returns the first one that was created. */
const makeFolders = (path: string, check: FolderCheck | undefined): string | undefined => {
  const missing: Array<string> = []
  let at = path
  let found = statIfThere(at)
  for (; found === undefined; found = statIfThere(at)) {
    missing.unshift(at)
    at = dirname(at)
  }
  if (!found.isDirectory()) throw Object.assign(new Error(), { code: "EEXIST" })
  for (const folder of missing)
    inFolder(dirname(folder), check, (held) => {
      try {
        mkdirSync(join(held, basename(folder)))
      } catch (error) {
        if (codeOf(error) !== "EEXIST") throw error
      }
    })
  return missing[0]
}

const statIfThere = (path: string): Stats | undefined => {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    return ignoreMissing(error)
  }
}

/**
 * File-system calls of a directory vault, replaceable so that tests can make each of them fail. All are synchronous
 * except those that wait for the disk: handing one to another thread takes ten times as long. Callers with many calls
 * yield in between.
 */
export const nodeFiles = {
  access: async (path: string, mode: number): Promise<void> => accessSync(path, mode),
  lstat: async (path: string): Promise<Stats> => lstatSync(path),
  stat: async (path: string): Promise<Stats> => statSync(path),
  /** Like the two above, without an error for a missing file: creating one takes several times as long as the call. */
  lstatThere: async (path: string): Promise<Stats | undefined> => lstatSync(path, { throwIfNoEntry: false }),
  statThere: async (path: string): Promise<Stats | undefined> => statSync(path, { throwIfNoEntry: false }),
  /** Like `stat`, without a promise per file. */
  look: (path: string): Stats | Promise<Stats> => statSync(path),
  realpath: async (path: string): Promise<string> => realpathSync.native(path),
  readdir: async (path: string) => readdirSync(path, { withFileTypes: true }),
  /** Like `readdir`, for names that may not be UTF-8. */
  readdirBytes: async (path: string) => readdirSync(path, { withFileTypes: true, encoding: "buffer" }),
  /** Reads a whole file; for one that exceeds the limit or is not regular, only its state. */
  read: async (path: string, limitBytes: number): Promise<FoundFile> => {
    const file = openSync(path, readWithoutWaiting)
    try {
      const found = fstatSync(file)
      return { found, bytes: found.isFile() && found.size <= limitBytes ? readAll(file, found.size) : null }
    } finally {
      closeSync(file)
    }
  },
  mkdir: async (
    path: string,
    _options: { readonly recursive: true },
    check?: FolderCheck
  ): Promise<string | undefined> => makeFolders(path, check),
  open: async (path: string, flags: "r" | "wx", check?: FolderCheck): Promise<OpenFile> =>
    openedFile(inFolder(dirname(path), check, (held) => openSync(join(held, basename(path)), flags))),
  /** Renames within folders that are checked and then cannot be exchanged. */
  rename: async (from: string, to: string, check?: FolderCheck): Promise<void> =>
    inFolder(dirname(from), check, (source) =>
      inFolder(dirname(to), check, (target) =>
        renameSync(join(source, basename(from)), join(target, basename(to)))
      )
    ),
  readlink: async (path: string): Promise<string> => readlinkSync(path),
  symlink: async (target: string, path: string, check?: FolderCheck): Promise<void> =>
    inFolder(dirname(path), check, (held) => symlinkSync(target, join(held, basename(path)))),
  rm
}
export type FileCalls = typeof nodeFiles

/** An open file that is being written, or an open folder to be synced. */
export interface OpenFile {
  /** Writes the whole content. */
  readonly writeFile: (bytes: Uint8Array) => Promise<void>
  readonly sync: () => Promise<void>
  readonly close: () => Promise<void>
}

const fsyncElsewhere = promisify(fsync)

/** Only waiting for the disk goes to another thread; a write goes to memory. */
const openedFile = (file: number): OpenFile => ({
  writeFile: async (bytes) => {
    for (let offset = 0; offset < bytes.length; )
      offset += writeSync(file, bytes, offset, bytes.length - offset)
  },
  sync: () => fsyncElsewhere(file),
  close: async () => closeSync(file)
})

/** Reads to the end, which may have moved since the size was read. */
const readAll = (file: number, sizeBytes: number): Uint8Array => {
  let bytes = new Uint8Array(sizeBytes + 1)
  let length = 0
  for (;;) {
    if (length === bytes.length) {
      const longer = new Uint8Array(bytes.length * 2)
      longer.set(bytes)
      bytes = longer
    }
    const read = readSync(file, bytes, length, bytes.length - length, null)
    if (read === 0) return bytes.subarray(0, length)
    length += read
  }
}

/** Returns the code of a failed call, such as ENOENT. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "io_error"

/** Message for pipes, sockets and devices. */
export const noPlainFile = "It is not a regular file."

/** Ignores the error of a missing file; rethrows any other. */
export const ignoreMissing = (error: unknown): undefined => {
  if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return undefined
  throw error
}

/**
 * Whether the sticky bit of the folder prevents us from renaming, replacing or removing a file: only the owner of the
 * file or folder may.
 */
export const isProtectedBySticky = (folder: Stats, file: Stats): boolean => {
  const self = process.geteuid?.()
  return (folder.mode & stickyBit) !== 0 && self !== undefined && ![0, file.uid, folder.uid].includes(self)
}
const stickyBit = 0o1000

/** Returns the target of a symbolic link; undefined when there is none. */
export const linkText = async (files: FileCalls, path: string): Promise<string | undefined> => {
  const there = await files.lstatThere(path).catch(ignoreMissing)
  return there?.isSymbolicLink() === true ? await files.readlink(path).catch(ignoreMissing) : undefined
}

/**
 * Returns a relative symbolic link with its absolute target; null for anything else, and when its folder does not
 * exist.
 */
export const relativeLink = async (
  files: FileCalls,
  path: string
): Promise<{ readonly text: string; readonly target: string } | null> => {
  const text = await linkText(files, path)
  if (text === undefined || nodePath.isAbsolute(text)) return null
  // Not normalized, because the file system resolves `..` after a linked folder to the parent of its target.
  const folder = nodePath.dirname(path) + nodePath.sep + nodePath.dirname(text)
  const real = await files.realpath(folder).catch(ignoreMissing)
  return real === undefined ? null : { text, target: nodePath.join(real, nodePath.basename(text)) }
}
