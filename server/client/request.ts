import { KanonApiError, KanonConnectionError } from "./error.js"
import type { CallOptions, ClientOptions, Wire } from "./types.js"

type Fields = Readonly<Record<string, unknown>>

const defaults = { timeoutMs: 60_000, retries: 2 }
/** First pause before a retry; it doubles with each retry. */
const firstPauseMs = 250
/** Maximum pause; if the server asks for a longer one, the call fails. */
const pauseMaxMs = 30_000

/** Creates the function that performs every call. */
export const makeCall =
  (client: ClientOptions) =>
  async <Output>(wire: Wire, input: object | undefined, options: CallOptions = {}): Promise<Output> => {
    const fields: Fields = { ...input }
    const url = urlOf(client.baseUrl, wire, fields)
    const init = requestOf(client, wire, fields, options)
    const retries = wire.mayRepeat ? (options.retries ?? client.retries ?? defaults.retries) : 0
    for (let attempt = 1; ; attempt++) {
      options.signal?.throwIfAborted()
      try {
        return await once<Output>(client, wire, url, init, options, attempt)
      } catch (error) {
        const pauseMs = attempt > retries ? undefined : pauseAfter(error, attempt)
        if (pauseMs === undefined) throw error
        await sleep(pauseMs, options.signal)
      }
    }
  }

const once = async <Output>(
  client: ClientOptions,
  wire: Wire,
  url: string,
  init: RequestInit,
  options: CallOptions,
  attempt: number
): Promise<Output> => {
  const timeoutMs = options.timeoutMs ?? client.timeoutMs ?? defaults.timeoutMs
  const control = new AbortController()
  const late = new KanonConnectionError("timeout", `No answer came within ${timeoutMs} ms.`)
  const timer = setTimeout(() => control.abort(late), timeoutMs)
  const giveUp = () => control.abort(options.signal?.reason)
  options.signal?.addEventListener("abort", giveUp, { once: true })
  let response: Response | undefined
  try {
    // Called without a receiver, because browsers reject `fetch` as a method of another object.
    const send = client.fetch ?? fetch
    response = await send(url, { ...init, signal: control.signal })
    return await read<Output>(response)
  } catch (error) {
    if (error instanceof KanonApiError || error instanceof KanonConnectionError) throw error
    if (control.signal.aborted) throw control.signal.reason
    throw new KanonConnectionError("network", "The server cannot be reached.", { cause: error })
  } finally {
    clearTimeout(timer)
    options.signal?.removeEventListener("abort", giveUp)
    client.onAttempt?.({
      method: wire.method,
      path: wire.path,
      attempt,
      status: response?.status ?? null,
      requestId: response?.headers.get("x-request-id") ?? null
    })
  }
}

const read = async <Output>(response: Response): Promise<Output> => {
  const text = await response.text()
  if (!response.ok) throw new KanonApiError(response, parsed(text)?.value)
  const body = parsed<Output>(text)
  if (body === undefined)
    throw new KanonConnectionError("response", "What answered is no Kanon server: its answer is not JSON.")
  if (typeof body.value === "object" && body.value !== null) replies.set(body.value, response.headers)
  return body.value
}

/** Response headers by result, for as long as the result is referenced. */
const replies = new WeakMap<object, Headers>()

/**
 * Returns metadata of a result of this client: the request id in the server's logs, and for `query` the id of the
 * stored answer (null if not stored). All null for other objects and copies.
 */
export const replyOf = (
  result: object
): { readonly requestId: string | null; readonly answerId: string | null } => {
  const headers = replies.get(result)
  return {
    requestId: headers?.get("x-request-id") ?? null,
    answerId: headers?.get("x-answer-id") ?? null
  }
}

/** Parses a response, which is trusted to match the OpenAPI document of the same version. */
const parsed = <Value>(text: string): { readonly value: Value } | undefined => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

const urlOf = (baseUrl: string, { hasBody, path, query }: Wire, fields: Fields): string => {
  const filled = path.replaceAll(/\{([a-zA-Z]+)\}/g, (_, name: string) => segment(name, fields[name]))
  // Without a body, undeclared fields are sent here too: the server says what is wrong with them.
  const names = hasBody ? query : Object.keys(fields).filter((name) => !path.includes(`{${name}}`))
  const given = names.flatMap((name) => {
    const value = fields[name]
    return value === undefined || value === null ? [] : [[name, String(value)] as const]
  })
  const search = new URLSearchParams(Object.fromEntries(given)).toString()
  return `${baseUrl.replace(/\/+$/, "")}${filled}${search === "" ? "" : `?${search}`}`
}

/** Encodes a path segment; rejects dot segments, which would change the path. */
const segment = (name: string, value: unknown): string => {
  const text = typeof value === "string" ? value : ""
  if (text === "" || text === "." || text === "..") throw new TypeError(`${name} is no id: "${text}"`)
  return encodeURIComponent(text)
}

const requestOf = (
  client: ClientOptions,
  { hasBody, method, path, query }: Wire,
  fields: Fields,
  options: CallOptions
): RequestInit => {
  const workspaceId = options.workspaceId ?? client.workspaceId
  const inBody = Object.entries(fields).filter(
    ([name]) => !query.includes(name) && !path.includes(`{${name}}`)
  )
  return {
    method,
    // The API never redirects, and a key must not reach another host.
    redirect: "manual",
    headers: {
      ...client.headers,
      accept: "application/json",
      ...(client.key === undefined ? {} : { authorization: `Bearer ${client.key}` }),
      ...(workspaceId === undefined ? {} : { "x-workspace-id": workspaceId }),
      ...(options.requestId === undefined ? {} : { "x-request-id": options.requestId }),
      ...(hasBody ? { "content-type": "application/json" } : {})
    },
    ...(hasBody ? { body: JSON.stringify(Object.fromEntries(inBody)) } : {})
  }
}

/** Returns the delay before a retry, or undefined if a retry is useless. */
const pauseAfter = (error: unknown, attempt: number): number | undefined => {
  const pauseMs = Math.min(firstPauseMs * 2 ** (attempt - 1), pauseMaxMs)
  // Jitter, so that many clients do not retry at once.
  if (error instanceof KanonConnectionError)
    return error.code === "network" ? pauseMs * (0.5 + Math.random() / 2) : undefined
  if (!(error instanceof KanonApiError)) return undefined
  if (error.status === 429 || error.status === 503) {
    const askedMs = (error.retryAfterSeconds ?? 0) * 1000
    return error.retryAfterSeconds === null || askedMs > pauseMaxMs ? undefined : Math.max(askedMs, pauseMs)
  }
  return undefined
}

const sleep = (delayMs: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop)
      resolve()
    }, delayMs)
    signal?.addEventListener("abort", stop, { once: true })
  })
