import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  fsync,
  lstatSync,
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
import { mkdir, rm } from "node:fs/promises"
import { promisify } from "node:util"

/** The bytes of a file with its state when it was read. */
interface FoundFile {
  readonly found: Stats
  /** Null when it is not a regular file, or exceeds the limit. */
  readonly bytes: Uint8Array | null
}

/** Opens without blocking: a named pipe would wait for its writer, possibly forever. Absent on Windows. */
const readWithoutWaiting = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

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
  mkdir,
  open: async (path: string, flags: "r" | "wx"): Promise<OpenFile> => openedFile(openSync(path, flags)),
  rename: async (from: string, to: string): Promise<void> => renameSync(from, to),
  readlink: async (path: string): Promise<string> => readlinkSync(path),
  symlink: async (target: string, path: string): Promise<void> => symlinkSync(target, path),
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
    for (let written = 0; written < bytes.length; )
      written += writeSync(file, bytes, written, bytes.length - written)
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
