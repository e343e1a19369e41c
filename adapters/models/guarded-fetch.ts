import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http"
import { Agent as HttpsAgent, request as httpsRequest } from "node:https"
import { isIP } from "node:net"
import { type AddressRules, guardedLookup, isLocalName, isRefusedAddress } from "../host/addresses.js"

/** Allowed request targets and maximum response size. */
export interface FetchRules extends AddressRules {
  readonly responseMaxBytes: number
  /** Whether the body of a response is passed on while it arrives; otherwise it is read as a whole first. */
  readonly isStreamed?: boolean
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
 * answer cannot bypass the check), follows no redirects, and aborts a response that is too long. The caller limits the time.
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
          // The signal of a request may be collected with it while a streamed body is still read.
          signal: init?.signal ?? request.signal
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
    const parts = partsOf(incoming, rules.responseMaxBytes)
    const text = rules.isStreamed === true ? ReadableStream.from(parts) : await wholeOf(parts)
    return new Response(status === 204 || status === 304 ? null : text, {
      status,
      headers: headersOf(incoming)
    })
  }
}

const wholeOf = async (parts: AsyncIterable<Uint8Array>): Promise<Buffer> => {
  const read: Array<Uint8Array> = []
  for await (const part of parts) read.push(part)
  return Buffer.concat(read)
}

async function* partsOf(incoming: IncomingMessage, maxBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0
  try {
    for await (const part of incoming) {
      const bytes = Buffer.from(part)
      size += bytes.length
      if (size > maxBytes) throw new RequestRefused(`The provider sent more than ${maxBytes} bytes`)
      yield bytes
    }
  } catch (error) {
    throw reportableError(error)
  } finally {
    incoming.destroy()
  }
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
export const refusalOf = (address: string, rules: AddressRules): string | null => {
  const { hostname, protocol } = new URL(address)
  if (protocol !== "http:" && protocol !== "https:")
    return "Only http and https addresses are allowed for a provider"
  const host = hostname.replace(/^\[|\]$/gu, "")
  if (isIP(host) !== 0) return isRefusedAddress(host, rules) ? refusalWords : null
  return isLocalName(host) && !rules.privateAddresses ? refusalWords : null
}

const refusalWords =
  "The address is in a private network, and this host allows providers in public networks only"
