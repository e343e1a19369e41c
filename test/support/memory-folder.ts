import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statfsSync, statSync } from "node:fs"
import { join } from "node:path"

const parent = "/dev/shm"
const prefix = "kanon-tests-"
const tmpfs = 0x01021994
/** Several times what the tests hold at once. */
const roomMinBytes = 2 * 1024 ** 3

/**
 * Has what tests throw away lie in memory, where the system has a folder for that with enough room and nobody named
 * another by `TMPDIR`. Tests make and remove files by the ten thousand, among them those of a database of Postgres for
 * each that needs one; a disk of ext4 looks through all that were removed within the last minute before it makes one.
 */
export const throwAwayInMemory = (): void => {
  if (process.env["TMPDIR"] !== undefined || !hasRoom()) return
  for (const name of readdirSync(parent)) if (isLeft(name)) remove(name)
  const own = `${prefix}${process.pid}`
  mkdirSync(join(parent, own))
  // As the system's own: the server of Postgres is another user's, as are some readers.
  chmodSync(join(parent, own), 0o1777)
  process.env["TMPDIR"] = join(parent, own)
  process.once("exit", () => remove(own))
}

const hasRoom = (): boolean => {
  if (process.platform !== "linux" || !existsSync(parent)) return false
  const { bavail, bsize, type } = statfsSync(parent)
  return type === tmpfs && bavail * bsize >= roomMinBytes
}

/** Whether a run of this user's tests left it, which has ended without removing its folder. */
const isLeft = (name: string): boolean =>
  name.startsWith(prefix) &&
  !existsSync(join("/proc", name.slice(prefix.length))) &&
  statSync(join(parent, name), { throwIfNoEntry: false })?.uid === process.getuid?.()

const remove = (name: string): void => rmSync(join(parent, name), { recursive: true, force: true })
