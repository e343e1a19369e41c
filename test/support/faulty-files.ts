import { type FileCalls, nodeFiles, type OpenFile } from "../../adapters/vault/files.js"

/** Ways in which a disk says no; a short write besides leaves half of what it was given. */
export const faults = ["ENOSPC", "EROFS", "EACCES", "EIO"] as const
export type Fault = (typeof faults)[number]

/** File calls of which one fails, once. */
export interface FaultyFiles {
  readonly files: FileCalls
  /** The calls since the last arming, by name; those of an open file as `file.sync` and so on. */
  readonly calls: ReadonlyArray<string>
  /** Lets the call at this place from now fail; null lets all succeed. */
  readonly arm: (place: number | null, fault?: Fault) => void
  readonly hasFailed: () => boolean
}

export const faultyFiles = (): FaultyFiles => {
  const calls: Array<string> = []
  let [failAt, fault, failed]: [number | null, Fault, boolean] = [null, "EIO", false]
  /** Notes a call; true when it is the one to fail. */
  const falls = (name: string): boolean => {
    calls.push(name)
    const now = failAt !== null && calls.length - 1 === failAt
    failed ||= now
    return now
  }
  const refuse = (): never => {
    throw Object.assign(new Error("injected"), { code: fault })
  }
  const wrap =
    (name: string, call: (...given: Array<never>) => Promise<unknown>) =>
    async (...given: Array<never>) => {
      if (falls(name)) {
        const [bytes] = given as ReadonlyArray<unknown>
        if (name === "file.writeFile" && bytes instanceof Uint8Array)
          await call(bytes.subarray(0, bytes.length >> 1) as never)
        // A file that cannot be closed well is closed all the same.
        if (name === "file.close") await call()
        refuse()
      }
      const made = await call(...given)
      return name === "open" ? wrapHandle(made as OpenFile) : made
    }
  const wrapHandle = (handle: OpenFile) => ({
    writeFile: wrap("file.writeFile", (bytes: Uint8Array) => handle.writeFile(bytes)),
    sync: wrap("file.sync", () => handle.sync()),
    close: wrap("file.close", () => handle.close())
  })
  const files = new Proxy(nodeFiles, {
    get: (calledOn, name) => wrap(String(name), Reflect.get(calledOn, name))
  })
  return {
    files,
    calls,
    arm: (place, kind = "EIO") => {
      calls.length = 0
      failAt = place
      fault = kind
      failed = false
    },
    hasFailed: () => failed
  }
}
