import { createHash, randomBytes } from "node:crypto"
import { readFileSync, readlinkSync } from "node:fs"
import { hostname } from "node:os"
import { getEnvironmentData, setEnvironmentData } from "node:worker_threads"

/** Returns a mark of the start times of the machine and the process; null on systems other than Linux. */
export const birthOf = (pid: number): string | null => {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8")
    const startedAt = statOf(pid)[19]
    return createHash("sha256").update(`${boot} ${startedAt}`).digest("hex").slice(0, 12)
  } catch {
    return null
  }
}

/** Returns the fields from the third on; the program name before it, in parentheses, may contain anything. */
const statOf = (pid: number): ReadonlyArray<string> =>
  readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\)/s, "").trim().split(" ")

/**
 * Distinguishes this process from an earlier one with the same id, and is equal in all its threads. Drawn at random by
 * the first thread when the system does not provide it.
 */
const birth = ((): string => {
  const own = birthOf(process.pid)
  if (own !== null) return own
  const inherited = getEnvironmentData("kanon birth")
  if (typeof inherited === "string") return inherited
  const drawn = randomBytes(6).toString("hex")
  setEnvironmentData("kanon birth", drawn)
  return drawn
})()

/** Process ids are meaningful only within one host, and on Linux within one pid namespace. */
const host = (() => {
  try {
    return `${hostname()}+${readlinkSync("/proc/self/ns/pid").replace(/\D/g, "")}`
  } catch {
    return hostname()
  }
})()

/**
 * Returns a name of this process for everyone who shares its data: `host/pid/birth`, with an optional part after it.
 */
export const processOwner = (part?: string): string =>
  [host, process.pid, birth, ...(part === undefined ? [] : [part])].join("/")

/** Owners of this process that have ended while the process lives: threads that died. */
const deadOwners = new Set<string>()

/** Records that a thread of this process has died, for `isOwnerGone`. */
export const noteOwnerGone = (owner: string): void => void deadOwners.add(owner)

/**
 * Whether the owner (from `processOwner`) was a process of this host, or a thread of this process, that has ended.
 * False when it lives, belongs to another host, or cannot be determined.
 */
export const isOwnerGone = (owner: string): boolean => {
  const [ownerHost, ownerPid, ownerBirth] = owner.split("/")
  const pid = Number(ownerPid)
  if (ownerHost !== host || !Number.isSafeInteger(pid) || pid <= 0) return false
  if (pid === process.pid) return ownerBirth !== birth || deadOwners.has(owner)
  if (!isAlive(pid)) return true
  // Another process may have its id by now.
  const present = birthOf(pid)
  return present !== null && present !== ownerBirth
}

const hostMark = createHash("sha256").update(host).digest("hex").slice(0, 12)

/** Name of this process for use in file names. */
export const processMark = [hostMark, process.pid, birth].join("-")

/** Like `isOwnerGone`, for a `processMark`. */
export const isMarkGone = (mark: string): boolean => {
  const [markHost, ...process] = mark.split("-")
  return markHost === hostMark && isOwnerGone([host, ...process].join("/"))
}

/** Whether an owner is a process of this host, so that `isOwnerGone` can check it. */
export const isOfThisHost = (owner: string): boolean => owner.split("/")[0] === host

/** Returns the state of an owner: another live process of this host, an ended one, or unknown. */
export const ownerState = (owner: string): "beside" | "gone" | "unknown" => {
  if (isOwnerGone(owner)) return "gone"
  return isOfThisHost(owner) && Number(owner.split("/")[1]) !== process.pid ? "beside" : "unknown"
}

/** Whether a process has ended and was not reaped by its parent, which may never happen in containers. */
const isEnded = (pid: number): boolean => {
  try {
    return ["Z", "X"].includes(statOf(pid)[0] ?? "")
  } catch {
    return false
  }
}

/** Whether a process with this id exists, or may exist. */
export const isAlive = (pid: number): boolean => {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false
  try {
    // Signal 0 only checks for existence.
    process.kill(pid, 0)
    return !isEnded(pid)
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH")
  }
}
