import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http"
import { Agent as HttpsAgent, request as httpsRequest } from "node:https"
import { isIP } from "node:net"
import { type AddressRules, guardedLookup, isLocalName, isRefusedAddress } from "../host/addresses.js"

/** Where requests may go, and how much may come back. */
export interface FetchRules extends AddressRules {
  readonly responseMaxBytes: number
}

/** Room for a full batch of long vectors as JSON. */
export const responseMaxBytes = 32 * 1024 * 1024

/** A request that was not sent, or a response that was not read, by our rules: the same again gives the same. */
class RequestRefused extends Error {
  override readonly name = "RequestRefused"
}

/** The connection broke or never came about; the system's words name addresses, so only its code is told. */
class ConnectionFailed extends Error {
  override readonly name = "ConnectionFailed"
}

/**
 * A `fetch` for addresses that others have chosen: it looks where a name leads before it connects (so a name cannot
 * change its mind in between), follows no redirect, and gives up on a response that is too long. Responses are read
 * whole, which a time limit bounds from outside.
 */
export const guardedFetch = (rules: FetchRules): typeof globalThis.fetch => {
  const lookup = guardedLookup(rules, () => new RequestRefused(refusalWords))
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
      outgoing.on("error", (error) => reject(told(error)))
      outgoing.end(body)
    })
    const status = incoming.statusCode ?? 502
    if (status >= 300 && status < 400) {
      incoming.destroy()
      throw new RequestRefused("The provider sent the request elsewhere, which is not followed")
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
    throw told(error)
  }
  return Buffer.concat(parts)
}

const headersOf = ({ headers }: IncomingMessage): Headers => {
  const given = new Headers()
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) given.set(name, Array.isArray(value) ? value.join(", ") : value)
  return given
}

const told = (error: unknown): unknown => {
  if (error instanceof RequestRefused) return error
  if (!(error instanceof Error) || error.name === "AbortError") return error
  const code = "code" in error ? String(error.code) : "unknown reason"
  return new ConnectionFailed(`The connection failed (${code})`)
}

/** Why nothing is sent to this address, as far as it can be told without asking for its name; null where it may be. */
export const refusalOf = (address: string, rules: AddressRules): string | null => {
  const { hostname, protocol } = new URL(address)
  if (protocol !== "http:" && protocol !== "https:") return "Only http and https are spoken with a provider"
  const host = hostname.replace(/^\[|\]$/gu, "")
  if (isIP(host) !== 0) return isRefusedAddress(host, rules) ? refusalWords : null
  return isLocalName(host) && !rules.privateAddresses ? refusalWords : null
}

const refusalWords =
  "The address lies in a private network, and this host calls providers in public networks only"
