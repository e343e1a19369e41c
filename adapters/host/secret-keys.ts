import { createHash, randomBytes } from "node:crypto"
import {
  chmodSync,
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync
} from "node:fs"
import { dirname } from "node:path"
import { SecretsUnavailable } from "../../core/platform/kernel/index.js"
import { makePrivateFolder, privateFileMode } from "./private-files.js"

/** A master key, and the id that seals use for it. */
export interface MasterKey {
  readonly id: string
  readonly bytes: Buffer
}

/** Sources of master keys. */
export interface KeyPlace {
  /** The value of `KANON_SECRET_KEY`: one key, or several separated by commas; the first one seals, all can open. */
  readonly variable: string | undefined
  /** A file of keys, one per line, the first one seals; null without a data folder. */
  readonly file: string | null
}

/** Name of the key file in the data folder. */
export const secretKeyFile = "secret.key"
export const secretKeyVariable = "KANON_SECRET_KEY"

const keyBytes = 32

/** Returns all keys of a source, the sealing one first. */
export const readKeys = ({ file, variable }: KeyPlace): ReadonlyArray<MasterKey> => [
  ...(variable === undefined || variable.trim() === ""
    ? []
    : variable.split(",").map((text) => keyOf(text, secretKeyVariable))),
  ...(file === null ? [] : linesOf(file).map((text) => keyOf(text, "The file of the master key")))
]

/**
 * Creates the key file with a new key when it is missing or empty (after a kill or on a full disk). When two processes
 * do so at once, both keys are kept and the first one seals.
 */
export const makeKeyFile = (file: string): void => {
  makePrivateFolder(dirname(file))
  if (linesOf(file).length > 0) return
  try {
    writeWhole(file, "a", [freshKey()])
    syncFolder(file)
  } catch (error) {
    throw unusable("The file of the master key cannot be written", error)
  }
}

/** Prepends a new key to the file: it seals from now on, the others can still open. Serialized. */
export const addKey = (file: string): void => replace(file, [freshKey(), ...linesOf(file)])

/** Keeps the sealing key and those in use; drops the others. Serialized. */
export const dropOldKeys = (file: string, inUse: ReadonlySet<string>): void =>
  replace(
    file,
    linesOf(file).filter(
      (text, place) => place === 0 || inUse.has(keyOf(text, "The file of the master key").id)
    )
  )

const freshKey = (): string => randomBytes(keyBytes).toString("base64url")

const replace = (file: string, lines: ReadonlyArray<string>): void => {
  // A fixed name, so that key material left by a killed process is overwritten by the next one.
  const temporary = `${file}.tmp`
  writeWhole(temporary, "w", lines)
  renameSync(temporary, file)
  syncFolder(file)
}

const writeWhole = (file: string, flags: "w" | "a", lines: ReadonlyArray<string>): void => {
  const handle = openSync(file, flags, privateFileMode)
  try {
    writeSync(handle, `${lines.join("\n")}\n`)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  // The open mode applies to new files only, and the umask may narrow it.
  chmodSync(file, 0o600)
}

/** Syncs the folder: a sealing key must be as durable as the sealed data. */
const syncFolder = (file: string): void => {
  // Windows cannot open folders.
  if (process.platform === "win32") return
  const folder = openSync(dirname(file), "r")
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

const linesOf = (file: string): ReadonlyArray<string> => {
  try {
    const { mode } = statSync(file)
    if (process.platform !== "win32" && (mode & 0o077) !== 0)
      throw new SecretsUnavailable({
        message: `The master key file ${file} is readable by other users; restrict its permissions (chmod 600).`
      })
    return readFileSync(file, "utf8")
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "")
  } catch (error) {
    if (error instanceof SecretsUnavailable) throw error
    if (isCode(error, "ENOENT")) return []
    throw unusable("The file of the master key cannot be read", error)
  }
}

const keyOf = (given: string, where: string): MasterKey => {
  const text = given.trim()
  const bytes = /^[0-9a-f]{64}$/iu.test(text)
    ? Buffer.from(text, "hex")
    : /^[A-Za-z0-9+/_-]{43}=?$/u.test(text)
      ? Buffer.from(text, "base64")
      : null
  if (bytes === null || bytes.length !== keyBytes)
    throw new SecretsUnavailable({
      message: `${where} is not a key: 32 random bytes as base64 or hexadecimal are wanted, such as 'openssl rand -base64 32' gives.`
    })
  return {
    bytes,
    id: createHash("sha256").update("kanon/master-key\0").update(bytes).digest("hex").slice(0, 8)
  }
}

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && "code" in error && error.code === code

const unusable = (what: string, error: unknown): SecretsUnavailable =>
  new SecretsUnavailable({
    message: `${what}: ${error instanceof Error && "code" in error ? String(error.code) : "unknown reason"}.`
  })
