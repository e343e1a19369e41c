import { isIP } from "node:net"
import type { ServerSettings, TlsMode } from "../../core/connected/livedata/index.js"
import { type AddressRules, isLocalName, isRefusedAddress } from "../host/addresses.js"

/** Message for a database to which no connection may go. */
export const addressRefusal =
  "The address lies in a private network, and this host connects to databases in public networks only: its administrator can allow it (KANON_PRIVATE_DATA_ADDRESSES=1)."

/** Why no connection may go to a host, as far as its name tells; null where it may. */
export const hostRefusal = (host: string, rules: AddressRules): string | null => {
  const bare = host.replace(/^\[|\]$/gu, "")
  if (isIP(bare) !== 0) return isRefusedAddress(bare, rules) ? addressRefusal : null
  return isLocalName(bare) && !rules.privateAddresses ? addressRefusal : null
}

/** How a connection is encrypted: verified by default, not at all on this very machine. */
export const tlsOf = ({ host, tls }: Pick<ServerSettings, "host" | "tls">): TlsMode => {
  const bare = host.replace(/^\[|\]$/gu, "")
  const isLoopback = isLocalName(bare) || /^127\./u.test(bare) || bare === "::1"
  return tls ?? (isLoopback ? "off" : "verify")
}
