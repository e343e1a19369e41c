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

/** A file's bytes, with what the file system said of it when they were read. */
interface FoundFile {
  readonly found: Stats
  /** Null when it is no plain file, or larger than the limit. */
  readonly bytes: Uint8Array | null
}

/** To open a named pipe waits for its writer, for ever if there is none; this asks not to. Absent on Windows. */
const readWithoutWaiting = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/**
 * The calls that a directory vault makes, so that a test can let each of them fail. All but those that wait for the
 * disk are done at once: handing one to another thread and back costs ten times what it takes. Who makes many gives
 * way in between.
 */
export const nodeFiles = {
  access: async (path: string, mode: number): Promise<void> => accessSync(path, mode),
  lstat: async (path: string): Promise<Stats> => lstatSync(path),
  stat: async (path: string): Promise<Stats> => statSync(path),
  /** As the two above, without an error where nothing is: making one costs several times what the look does. */
  lstatThere: async (path: string): Promise<Stats | undefined> => lstatSync(path, { throwIfNoEntry: false }),
  statThere: async (path: string): Promise<Stats | undefined> => statSync(path, { throwIfNoEntry: false }),
  /** As `stat`, without a promise for each of very many files. */
  look: (path: string): Stats | Promise<Stats> => statSync(path),
  realpath: async (path: string): Promise<string> => realpathSync.native(path),
  readdir: async (path: string) => readdirSync(path, { withFileTypes: true }),
  /** As `readdir`, with names that need not be UTF-8. */
  readdirBytes: async (path: string) => readdirSync(path, { withFileTypes: true, encoding: "buffer" }),
  /** Reads a whole file; of one that is larger than the limit, or no plain file, only what it is. */
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

/** A file that is being written, or a folder that is to be synced. */
export interface OpenFile {
  /** Writes the whole content. */
  readonly writeFile: (bytes: Uint8Array) => Promise<void>
  readonly sync: () => Promise<void>
  readonly close: () => Promise<void>
}

const fsyncElsewhere = promisify(fsync)

/** Only what waits for the disk itself is handed to another thread; a write goes to memory. */
const openedFile = (file: number): OpenFile => ({
  writeFile: async (bytes) => {
    for (let written = 0; written < bytes.length; )
      written += writeSync(file, bytes, written, bytes.length - written)
  },
  sync: () => fsyncElsewhere(file),
  close: async () => closeSync(file)
})

/** Reads to the end, which may have moved since the size was asked for. */
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

/** The code of a failed call, such as ENOENT. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "io_error"

/** Said of pipes, sockets and devices. */
export const noPlainFile = "It is no plain file."

/** For a call whose failure may say that nothing is there: any other failure stays one. */
export const ignoreMissing = (error: unknown): undefined => {
  if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return undefined
  throw error
}

/** In a folder with the sticky bit only the owner of a file, or of the folder, may rename, replace or remove it. */
export const keepsFromUs = (folder: Stats, file: Stats): boolean => {
  const self = process.geteuid?.()
  return (folder.mode & stickyBit) !== 0 && self !== undefined && ![0, file.uid, folder.uid].includes(self)
}
const stickyBit = 0o1000
