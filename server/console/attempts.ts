import type { ConsoleConfig } from "./cookies.js"

// Attempts to sign in, counted by each process: so many a minute from one address, and so many from all together.

const minuteMs = 60_000
const [addressMax, allMax] = [30, 600] as const
const addressesMax = 10_000

/** Counts attempts to sign in. */
export interface Attempts {
  /** Counts an attempt from an address; returns after how many seconds the next one is let through, 0 for this one. */
  readonly take: (address: string) => number
  /** Takes back an attempt that succeeded: only failures are held against an address. */
  readonly succeed: (address: string) => void
}

/** Makes a counter that starts again each minute. */
export const makeAttempts = (clock: () => number = Date.now): Attempts => {
  let began = clock()
  let all = 0
  const byAddress = new Map<string, number>()
  return {
    take: (address) => {
      const at = clock()
      if (at - began >= minuteMs || at < began) {
        began = at
        all = 0
        byAddress.clear()
      }
      const count = (byAddress.get(address) ?? 0) + 1
      // Requests of this very process come from no address.
      const isTooMany = (address !== "" && count > addressMax) || all >= allMax
      if (isTooMany) return Math.max(1, Math.ceil((began + minuteMs - at) / 1000))
      all += 1
      if (byAddress.has(address) || byAddress.size < addressesMax) byAddress.set(address, count)
      return 0
    },
    succeed: (address) => {
      const count = byAddress.get(address) ?? 0
      if (count > 0) byAddress.set(address, count - 1)
      all = Math.max(0, all - 1)
    }
  }
}

/**
 * Returns the address that a request comes from. Behind a proxy, which the setting `origin` tells of, that is the last
 * one that the proxy names; a client can add others before it.
 */
export const addressOf = (request: Request, { origin }: Pick<ConsoleConfig, "origin">): string => {
  const forwarded =
    origin === undefined ? undefined : request.headers.get("x-forwarded-for")?.split(",").at(-1)
  const socket: unknown = Reflect.get(request, "ip")
  return forwarded?.trim() || (typeof socket === "string" ? socket : "")
}
