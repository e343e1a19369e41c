import { createHash, randomBytes } from "node:crypto"
import { readFileSync, readlinkSync } from "node:fs"
import { hostname } from "node:os"
import { getEnvironmentData, setEnvironmentData } from "node:worker_threads"

/** Made of the moments when the machine and a process were started; null where no system tells (other than Linux). */
export const birthOf = (pid: number): string | null => {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8")
    const startedAt = statOf(pid)[19]
    return createHash("sha256").update(`${boot} ${startedAt}`).digest("hex").slice(0, 12)
  } catch {
    return null
  }
}

/** From the third field of the line on; the name of the program before it, in brackets, may hold anything. */
const statOf = (pid: number): ReadonlyArray<string> =>
  readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\)/s, "").trim().split(" ")

/**
 * Tells this process from an earlier one that had the same number, and is the same in all of its threads: drawn by the
 * first thread where it cannot be told otherwise.
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

/** Process numbers mean something only within one host, and on Linux within one namespace of a host. */
const host = (() => {
  try {
    return `${hostname()}+${readlinkSync("/proc/self/ns/pid").replace(/\D/g, "")}`
  } catch {
    return hostname()
  }
})()

/** Names this process to everybody who shares its data: `host/pid/birth`, with an optional part after it. */
export const processOwner = (part?: string): string =>
  [host, process.pid, birth, ...(part === undefined ? [] : [part])].join("/")

/** Owners of this process that are known to be no more, although the process lives: threads that died. */
const gone = new Set<string>()

/** Lets `isOwnerGone` know of a thread of this process that has died. */
export const noteOwnerGone = (owner: string): void => void gone.add(owner)

/**
 * True when the owner (as `processOwner` names it) was a process of this host, or a thread of this one, that is no more. False when it
 * lives, when it is of another host, and when nobody can tell.
 */
export const isOwnerGone = (owner: string): boolean => {
  const [ownerHost, ownerPid, ownerBirth] = owner.split("/")
  const pid = Number(ownerPid)
  if (ownerHost !== host || !Number.isSafeInteger(pid) || pid <= 0) return false
  if (pid === process.pid) return ownerBirth !== birth || gone.has(owner)
  if (!isAlive(pid)) return true
  // Its number may be that of another process by now.
  const present = birthOf(pid)
  return present !== null && present !== ownerBirth
}

const hostMark = createHash("sha256").update(host).digest("hex").slice(0, 12)

/** Names this process in the name of a file. */
export const processMark = [hostMark, process.pid, birth].join("-")

/** `isOwnerGone` of the process that a `processMark` names. */
export const isMarkGone = (mark: string): boolean => {
  const [markHost, ...process] = mark.split("-")
  return markHost === hostMark && isOwnerGone([host, ...process].join("/"))
}

/** Whether an owner is a process of this host, so that `isOwnerGone` knows of it. */
export const isOfThisHost = (owner: string): boolean => owner.split("/")[0] === host

/** What is known of an owner: another process of this host that lives, one that is no more, or neither. */
export const whereabouts = (owner: string): "beside" | "gone" | "unknown" => {
  if (isOwnerGone(owner)) return "gone"
  return isOfThisHost(owner) && Number(owner.split("/")[1]) !== process.pid ? "beside" : "unknown"
}

/** Whether it has ended and its parent has not asked how: in containers nobody may ever do. */
const isEnded = (pid: number): boolean => {
  try {
    return ["Z", "X"].includes(statOf(pid)[0] ?? "")
  } catch {
    return false
  }
}

/** Whether a process of this number is there, or may be. */
export const isAlive = (pid: number): boolean => {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false
  try {
    // Signal 0 is never sent: it only asks whether there is somebody to send to.
    process.kill(pid, 0)
    return !isEnded(pid)
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH")
  }
}
