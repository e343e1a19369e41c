import { lookup as resolveName } from "node:dns"
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http"
import { Agent as HttpsAgent, request as httpsRequest } from "node:https"
import { BlockList, isIP, type LookupFunction } from "node:net"

/** Allowed request targets and maximum response size. */
export interface FetchRules {
  /** Allows loopback and private networks; never link-local addresses, where clouds serve credentials. */
  readonly privateAddresses: boolean
  readonly responseMaxBytes: number
}

/** Enough for a full batch of long vectors as JSON. */
export const responseMaxBytes = 32 * 1024 * 1024

/** A request or response rejected by our rules; a retry has the same result. */
class RequestRefused extends Error {
  override readonly name = "RequestRefused"
}

/**
 * The connection failed or broke. Only the system's error code is reported, because its message contains addresses.
 */
class ConnectionFailed extends Error {
  override readonly name = "ConnectionFailed"
}

/**
 * A `fetch` for untrusted addresses: it checks the resolved address before connecting to it (so that a second DNS
 * answer cannot bypass the check), follows no redirects, and aborts a response that is too long. Responses are read as
 * a whole; the caller limits the time.
 */
export const guardedFetch = (rules: FetchRules): typeof globalThis.fetch => {
  const lookup = guardedLookup(rules)
  const agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) }
  return async (input, init) => {
    const request = new Request(input, init)
    const url = new URL(request.url)
    const refused = refusalOf(request.url, rules)
    if (refused !== null) throw new RequestRefused(refused)
    const body = Buffer.from(await request.arrayBuffer())
    const isSecure = url.protocol === "https:"
    const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
      const outgoing = (isSecure ? httpsRequest : httpRequest)(
        url,
        {
          method: request.method,
          headers: { ...Object.fromEntries(request.headers), "content-length": String(body.length) },
          agent: isSecure ? agents.https : agents.http,
          lookup,
          signal: request.signal
        },
        resolve
      )
      outgoing.on("error", (error) => reject(reportableError(error)))
      outgoing.end(body)
    })
    const status = incoming.statusCode ?? 502
    if (status >= 300 && status < 400) {
      incoming.destroy()
      throw new RequestRefused("The provider redirected the request; redirects are not followed")
    }
    const text = await wholeOf(incoming, rules.responseMaxBytes)
    return new Response(status === 204 ? null : text, { status, headers: headersOf(incoming) })
  }
}

const wholeOf = async (incoming: IncomingMessage, maxBytes: number): Promise<Buffer> => {
  const parts: Array<Buffer> = []
  let size = 0
  try {
    for await (const part of incoming) {
      const bytes = Buffer.from(part)
      size += bytes.length
      if (size > maxBytes) throw new RequestRefused(`The provider sent more than ${maxBytes} bytes`)
      parts.push(bytes)
    }
  } catch (error) {
    incoming.destroy()
    throw reportableError(error)
  }
  return Buffer.concat(parts)
}

const headersOf = ({ headers }: IncomingMessage): Headers => {
  const given = new Headers()
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) given.set(name, Array.isArray(value) ? value.join(", ") : value)
  return given
}

const reportableError = (error: unknown): unknown => {
  if (error instanceof RequestRefused) return error
  if (!(error instanceof Error) || error.name === "AbortError") return error
  const code = "code" in error ? String(error.code) : "unknown reason"
  return new ConnectionFailed(`The connection failed (${code})`)
}

/** Returns why requests to this address are rejected, as far as it shows without DNS; null when allowed. */
export const refusalOf = (address: string, rules: Pick<FetchRules, "privateAddresses">): string | null => {
  const { hostname, protocol } = new URL(address)
  if (protocol !== "http:" && protocol !== "https:")
    return "Only http and https addresses are allowed for a provider"
  const host = hostname.replace(/^\[|\]$/gu, "")
  if (isIP(host) !== 0) return isRefused(host, rules) ? refusalWords : null
  const isLocal = /^(?:.+\.)?localhost\.?$/iu.test(host)
  return isLocal && !rules.privateAddresses ? refusalWords : null
}

const refusalWords =
  "The address is in a private network, and this host allows providers in public networks only"

const guardedLookup =
  (rules: FetchRules): LookupFunction =>
  (hostname, options, callback) => {
    resolveName(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, "", 0)
      const [first] = found
      if (first === undefined || found.some(({ address }) => isRefused(address, rules)))
        return callback(new RequestRefused(refusalWords), "", 0)
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

/** Link-local (where clouds serve credentials), unspecified, multicast and reserved addresses. */
const never = listOf(
  [
    ["0.0.0.0", 8],
    ["169.254.0.0", 16],
    ["224.0.0.0", 4],
    ["240.0.0.0", 4]
  ],
  [
    ["::", 128],
    ["fe80::", 10],
    ["ff00::", 8],
    ["fd00:ec2::254", 128]
  ]
)

/** Private networks, by RFC 6890 and its successors; the last two embed IPv4 addresses. */
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

const isRefused = (address: string, { privateAddresses }: Pick<FetchRules, "privateAddresses">): boolean => {
  const family = isIP(address) === 6 ? "ipv6" : "ipv4"
  return never.check(address, family) || (!privateAddresses && ownNetworks.check(address, family))
}
