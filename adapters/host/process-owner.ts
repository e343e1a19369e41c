import { randomBytes } from "node:crypto"
import { readlinkSync } from "node:fs"
import { hostname } from "node:os"

// Tells this process from an earlier one that had the same number.
const birth = randomBytes(6).toString("hex")

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

/**
 * True when the owner (as `processOwner` names it) was a process of this host that is no more. False when it
 * lives, when it is of another host, and when nobody can tell.
 */
export const isOwnerGone = (owner: string): boolean => {
  const [ownerHost, ownerPid, ownerBirth] = owner.split("/")
  const pid = Number(ownerPid)
  if (ownerHost !== host || !Number.isSafeInteger(pid) || pid <= 0) return false
  if (pid === process.pid) return ownerBirth !== birth
  try {
    // Signal 0 is never sent: it only asks whether there is somebody to send to.
    process.kill(pid, 0)
    return false
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH"
  }
}
