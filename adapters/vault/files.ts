import { access, lstat, mkdir, open, readdir, realpath, rename, rm, stat } from "node:fs/promises"

/** The calls that a directory vault makes, so that a test can let each of them fail. */
export const nodeFiles = { access, lstat, mkdir, open, readdir, realpath, rename, rm, stat }
export type FileCalls = typeof nodeFiles

/** The code of a failed call, such as ENOENT. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "io_error"

/** Said of pipes, sockets and devices. */
export const noPlainFile = "It is no plain file."
