import { VaultUnavailable } from "../../core/platform/kernel/index.js"
import { codeOf, noPlainFile } from "./files.js"

// Errors of a vault folder that the file system does not have, with codes like its own.

export class OutsideVault extends Error {
  readonly code = "outside_vault"
  override readonly message = "A symbolic link leads out of the vault."
}

export class IsFolder extends Error {
  readonly code = "EISDIR"
}

export class NotPermitted extends Error {
  readonly code = "EPERM"
}

export class NotFolder extends Error {
  readonly code = "ENOTDIR"
}

export class NotPlainFile extends Error {
  readonly code = "not_a_file"
  override readonly message = noPlainFile
}

export class TooLarge extends Error {
  readonly code = "too_large"
  constructor(sizeBytes: number, limitBytes: number) {
    super(`${sizeBytes} bytes; a document holds at most ${limitBytes}.`)
  }
}

/** Converts an error to a message that a user can act on. It names the vault path, never an absolute path. */
export const unavailable = (path: string, error: unknown): VaultUnavailable => {
  const code = codeOf(error)
  const own = error instanceof OutsideVault || error instanceof TooLarge || error instanceof NotPlainFile
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
