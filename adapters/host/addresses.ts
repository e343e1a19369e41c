import { lookup as resolveName } from "node:dns"
import { BlockList, isIP, type LookupFunction } from "node:net"

/** Rules for the addresses to which a connection may go. */
export interface AddressRules {
  /** Loopback and the addresses of private networks; never those of the link itself, where clouds keep secrets. */
  readonly privateAddresses: boolean
}

/** Whether a name means this very machine. */
export const isLocalName = (host: string): boolean => /^(?:.+\.)?localhost\.?$/iu.test(host)

/** Resolves names and refuses those that lead where no connection may go, so that a name cannot change its mind in between. */
export const guardedLookup =
  (rules: AddressRules, refusal: () => Error): LookupFunction =>
  (hostname, options, callback) => {
    resolveName(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, "", 0)
      const [first] = found
      if (first === undefined || found.some(({ address }) => isRefusedAddress(address, rules)))
        return callback(refusal(), "", 0)
      return options.all === true ? callback(null, found) : callback(null, first.address, first.family)
    })
  }

const listOf = (
  v4: ReadonlyArray<readonly [string, number]>,
  v6: ReadonlyArray<readonly [string, number]>
): BlockList => {
  const list = new BlockList()
  for (const [net, bits] of v4) list.addSubnet(net, bits, "ipv4")
  for (const [net, bits] of v6) list.addSubnet(net, bits, "ipv6")
  return list
}

/**
 * The link itself, where clouds answer with credentials, also within IPv6; the metadata services that are elsewhere
 * (Alibaba, Azure, Oracle, Amazon, Google); no address, multicast, what is reserved.
 */
const never = listOf(
  [
    ["0.0.0.0", 8],
    ["169.254.0.0", 16],
    ["100.100.100.200", 32],
    ["168.63.129.16", 32],
    ["192.0.0.192", 32],
    ["224.0.0.0", 4],
    ["240.0.0.0", 4]
  ],
  [
    ["::", 128],
    ["fe80::", 10],
    ["ff00::", 8],
    ["fd00:ec2::254", 128],
    ["fd20:ce::254", 128],
    ["64:ff9b::169.254.0.0", 112],
    ["64:ff9b::168.63.129.16", 128],
    ["64:ff9b::100.100.100.200", 128],
    ["2002:a9fe::", 32]
  ]
)

/** Networks that are somebody's own, by RFC 6890 and its successors; the last two carry IPv4 addresses within. */
const ownNetworks = listOf(
  [
    ["10.0.0.0", 8],
    ["100.64.0.0", 10],
    ["127.0.0.0", 8],
    ["172.16.0.0", 12],
    ["192.0.0.0", 24],
    ["192.168.0.0", 16],
    ["198.18.0.0", 15]
  ],
  [
    ["::1", 128],
    ["fc00::", 7],
    ["fec0::", 10],
    ["64:ff9b::", 96],
    ["2002::", 16]
  ]
)

/** Whether no connection may go to an address, by number. */
export const isRefusedAddress = (address: string, { privateAddresses }: AddressRules): boolean => {
  const family = isIP(address) === 6 ? "ipv6" : "ipv4"
  return never.check(address, family) || (!privateAddresses && ownNetworks.check(address, family))
}
