import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http"
import { Agent as HttpsAgent, request as httpsRequest } from "node:https"
import { isIP } from "node:net"
import { foreignJsonBounds, type JsonBounds, JsonBoundsReader } from "../../core/platform/kernel/index.js"
import { type AddressRules, guardedLookup, isLocalName, isRefusedAddress } from "../host/addresses.js"

/** Allowed request targets and maximum response size. */
export interface FetchRules extends AddressRules {
  readonly responseMaxBytes: number
  /** Bounds of the JSON of a response, or of each of its events, checked before anybody parses it. */
  readonly jsonBounds?: JsonBounds
  /** Returns redirects as responses, for callers who check and follow them; by default a redirect is an error. */
  readonly returnsRedirects?: boolean
  /** The message for a private address, when the target is no provider of models. */
  readonly refusal?: string
}

/** Enough for a full batch of long vectors as JSON. */
const responseMaxBytes = 32 * 1024 * 1024
const vectorBounds: JsonBounds = { depth: 16, values: 2_000_000 }
/** Far more than a reply of a chat model has. */
const replyMaxBytes = 4 * 1024 * 1024

/** Limits of the responses of chat models, and of models that return vectors. */
export const replyLimits = { responseMaxBytes: replyMaxBytes, jsonBounds: foreignJsonBounds }
export const vectorLimits = { responseMaxBytes, jsonBounds: vectorBounds }

/** A request or response rejected by our rules; a retry has the same result. */
export class RequestRefused extends Error {
  override readonly name = "RequestRefused"
  constructor(
    message: string,
    readonly rule: "address" | "redirect" | "size" | "json"
  ) {
    super(message)
  }
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
 * a whole, but for event streams; the caller limits the time.
 */
export const guardedFetch = (rules: FetchRules): typeof globalThis.fetch => {
  const lookup = guardedLookup(rules, () => new RequestRefused(rules.refusal ?? refusalWords, "address"))
  const agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) }
  return async (input, init) => {
    const request = new Request(input, init)
    const url = new URL(request.url)
    const refused = refusalOf(request.url, rules)
    if (refused !== null) throw new RequestRefused(refused, "address")
    const body = Buffer.from(await request.arrayBuffer())
    const isSecure = url.protocol === "https:"
    // The signal of a request may be collected with it while a streamed body is still read.
    const signal = init?.signal ?? request.signal
    const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
      if (signal.aborted) {
        reject(abortError(signal))
        return
      }
      let reached: IncomingMessage | null = null
      const outgoing = (isSecure ? httpsRequest : httpRequest)(
        url,
        {
          method: request.method,
          headers: { ...Object.fromEntries(request.headers), "content-length": String(body.length) },
          agent: isSecure ? agents.https : agents.http,
          lookup
        },
        (answer) => {
          reached = answer
          // A reader gets the error as well; one that comes while nobody reads must not end the process.
          answer.on("error", () => undefined)
          answer.once("close", () => signal.removeEventListener("abort", abort))
          resolve(answer)
        }
      )
      // Not the option `signal`: a request that is destroyed after its whole body has arrived emits an error on a
      // socket without listeners, which ends the process. The response hands its error to its reader.
      const abort = () => (reached ?? outgoing).destroy(abortError(signal))
      signal.addEventListener("abort", abort, { once: true })
      outgoing.on("error", (error) => {
        signal.removeEventListener("abort", abort)
        reject(reportableError(error))
      })
      outgoing.end(body)
    })
    const status = incoming.statusCode ?? 502
    if (status >= 300 && status < 400 && status !== 304) {
      incoming.destroy()
      if (rules.returnsRedirects === true) return new Response(null, { status, headers: headersOf(incoming) })
      throw new RequestRefused("The provider redirected the request; redirects are not followed", "redirect")
    }
    const headers = headersOf(incoming)
    if (isStream(incoming)) return new Response(streamOf(incoming, rules), { status, headers })
    const text = await wholeOf(incoming, rules)
    const isEmpty = status === 204 || status === 205 || status === 304
    return new Response(isEmpty ? null : text, { status, headers })
  }
}

/** The error that `http` itself gives for an aborted request. */
const abortError = (signal: AbortSignal): Error =>
  Object.assign(new Error("The operation was aborted", { cause: signal.reason }), {
    name: "AbortError",
    code: "ABORT_ERR"
  })

const isStream = ({ headers }: IncomingMessage): boolean =>
  /^text\/event-stream\b/iu.test(headers["content-type"] ?? "")

const wholeOf = async (incoming: IncomingMessage, rules: FetchRules): Promise<Buffer> => {
  const parts: Array<Buffer> = []
  for await (const part of partsOf(incoming, rules)) parts.push(part)
  return Buffer.concat(parts)
}

/** Reads the parts of a body within the limit. */
const partsOf = async function* (
  incoming: IncomingMessage,
  { jsonBounds, responseMaxBytes: maxBytes }: FetchRules
): AsyncGenerator<Buffer, undefined> {
  const reader = jsonBounds === undefined ? null : new JsonBoundsReader(jsonBounds, isStream(incoming))
  let size = 0
  try {
    for await (const part of incoming) {
      const bytes = Buffer.from(part)
      size += bytes.length
      if (size > maxBytes) throw new RequestRefused(`The provider sent more than ${maxBytes} bytes`, "size")
      const broken = reader?.read(bytes) ?? null
      if (broken !== null)
        throw new RequestRefused(`The JSON that the provider sent exceeds the limit of ${broken}`, "json")
      yield bytes
    }
  } catch (error) {
    incoming.destroy()
    throw reportableError(error)
  }
}

const streamOf = (incoming: IncomingMessage, rules: FetchRules): ReadableStream<Uint8Array> => {
  const parts = partsOf(incoming, rules)
  return new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await parts.next()
      if (done === true) controller.close()
      else controller.enqueue(value)
    },
    cancel: () => {
      incoming.destroy()
    }
  })
}

const headersOf = ({ headers }: IncomingMessage): Headers => {
  const given = new Headers()
  for (const [name, value] of Object.entries(headers))
    for (const one of Array.isArray(value) ? value : value === undefined ? [] : [value])
      given.append(name, one)
  return given
}

const reportableError = (error: unknown): unknown => {
  if (error instanceof RequestRefused) return error
  if (!(error instanceof Error) || error.name === "AbortError") return error
  const code = "code" in error ? String(error.code) : "unknown reason"
  return new ConnectionFailed(`The connection failed (${code})`)
}

/** Returns why requests to this address are rejected, as far as it shows without DNS; null when allowed. */
export const refusalOf = (
  address: string,
  rules: AddressRules & Pick<FetchRules, "refusal">
): string | null => {
  const words = rules.refusal ?? refusalWords
  const { hostname, protocol } = new URL(address)
  if (protocol !== "http:" && protocol !== "https:")
    return "Only http and https addresses are allowed for a provider"
  const host = hostname.replace(/^\[|\]$/gu, "")
  if (isIP(host) !== 0) return isRefusedAddress(host, rules) ? words : null
  return isLocalName(host) && !rules.privateAddresses ? words : null
}

const refusalWords =
  "The address is in a private network, and this host allows providers in public networks only"
