import { isIP } from "node:net"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import {
  type ItemFault,
  ItemGone,
  ItemUnreadable,
  type SourceFault,
  SourceRateLimited,
  SourceRejected,
  SourceUnauthorized,
  SourceUnreachable
} from "../../core/connected/sources/index.js"
import { brokenBound } from "../../core/platform/kernel/index.js"
import { type AddressRules, isLocalName } from "../host/addresses.js"
import { packageVersion } from "../host/package-version.js"
import { guardedFetch, RequestRefused, refusalOf } from "../models/guarded-fetch.js"

/** Message for a source to which no connection may go. */
export const addressRefusal =
  "The address lies in a private network, and this host reads sources in public networks only: its administrator can allow it (KANON_PRIVATE_CONNECTOR_ADDRESSES=1)."

/** Most bytes of a page of an API. */
const pageMaxBytes = 24 * 1024 * 1024
/** Most bytes of an item: what the converter takes. */
export const itemMaxBytes = 64 * 1024 * 1024

const attempts = 3
const attemptTimeoutMs = 60_000
const redirectsMax = 5
/** The longest pause that a crawler makes because a source asks for it. */
export const pauseMaxMs = 60_000
const firstDelayMs = 500
const defaultPerSecond = 10

/** A request below the address of the source, or elsewhere without its credential. */
export interface SourceRequest {
  readonly url: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | URLSearchParams
  /** 24 MiB by default. A longer response is given as status 413 without a body. */
  readonly maxBytes?: number
  /** Gives 401, 403 and redirects that are not followed to the caller, where they concern one item only. */
  readonly mayBeForbidden?: boolean
  /** Gives redirects to the caller, who decides where they may lead. */
  readonly keepsRedirects?: boolean
}

export interface SourceResponse {
  readonly status: number
  readonly ok: boolean
  readonly headers: Headers
  readonly bytes: Uint8Array
  /** The address that answered, after redirects. */
  readonly url: string
  /** Why a redirect was not followed; the status is that of the redirect. */
  readonly refusal?: string
}

/** Sends requests to one source. */
export interface SourceHttp {
  /**
   * Sends a request when the source may be asked again. Server errors, broken connections and requests for a pause of
   * up to a minute are repeated. Every other status is given to the caller, but 401 and 403.
   */
  readonly send: (request: SourceRequest) => Effect.Effect<SourceResponse, SourceFault>
}

export interface HttpSettings {
  /** The address of the source. */
  readonly url: string
  readonly requestsPerSecond?: number | undefined
  /** Headers with the credential; they go to the origin of the source alone. */
  readonly secretHeaders?: Readonly<Record<string, string>>
  /** Signs each attempt instead. */
  readonly sign?: (request: Request) => Promise<Request>
}

/** Makes a sender of requests, unless the host allows no connection to the address. */
export const sourceHttp = (
  rules: AddressRules,
  settings: HttpSettings
): Effect.Effect<SourceHttp, SourceRejected> => {
  const refused = refusalOf(settings.url, { ...rules, refusal: addressRefusal })
  if (refused !== null) return Effect.fail(new SourceRejected({ message: refused }))
  const perSecond = settings.requestsPerSecond ?? (isLoopback(settings.url) ? null : defaultPerSecond)
  const pace = (url: string) => (perSecond === null ? Effect.void : throttled(new URL(url).host, perSecond))
  const exchange = follower(rules, settings)

  const send = (request: SourceRequest, attempt: number): Effect.Effect<SourceResponse, SourceFault> =>
    Effect.zipRight(
      pace(request.url),
      Effect.tryPromise({ try: (signal) => exchange(request, signal), catch: (error) => error })
    ).pipe(
      Effect.timeoutFail({
        duration: attemptTimeoutMs,
        onTimeout: () => new Error(`no answer within ${attemptTimeoutMs / 1000} s`)
      }),
      Effect.matchEffect({
        onFailure: (error) => faultOf(error, request),
        onSuccess: (response) => Effect.map(Clock.currentTimeMillis, (now) => judge(response, request, now))
      }),
      Effect.flatMap((outcome) => {
        if ("response" in outcome) return Effect.succeed(outcome.response)
        const { fault, pauseMs } = outcome
        if (fault._tag === "SourceRejected" || fault._tag === "SourceUnauthorized") return Effect.fail(fault)
        if (attempt >= attempts || (pauseMs ?? 0) > pauseMaxMs) return Effect.fail(fault)
        const wait =
          pauseMs === null
            ? Effect.map(Random.next, (random) => firstDelayMs * 2 ** (attempt - 1) * (0.5 + random))
            : Effect.succeed(pauseMs)
        return Effect.flatMap(wait, (ms) => Effect.zipRight(Effect.sleep(ms), send(request, attempt + 1)))
      })
    )
  return Effect.succeed({ send: (request) => send(request, 1) })
}

type Outcome =
  | { readonly response: SourceResponse }
  | { readonly fault: SourceFault; readonly pauseMs: number | null }

const judge = (response: SourceResponse, request: SourceRequest, now: number): Outcome => {
  const { headers, refusal, status } = response
  const host = new URL(request.url).host
  if (refusal !== undefined && request.mayBeForbidden !== true)
    return { fault: new SourceRejected({ message: refusal }), pauseMs: null }
  const pauseMs = pauseOf(headers.get("retry-after"), now) ?? untilReset(headers, now)
  if (status === 429 || ((status === 403 || status === 503) && pauseMs !== null))
    return {
      fault: new SourceRateLimited({
        message: `${host} asks for a pause (status ${status}).`,
        retryAfterMs: pauseMs ?? firstDelayMs
      }),
      pauseMs
    }
  if (status >= 500)
    return {
      fault: new SourceUnreachable({ message: `${host} answered with status ${status}.` }),
      pauseMs: null
    }
  if ((status === 401 || status === 403) && request.mayBeForbidden !== true)
    return {
      fault: new SourceUnauthorized({
        message: `${host} does not accept the credential, or it may not read this (status ${status}).`
      }),
      pauseMs: null
    }
  return { response }
}

const faultOf = (error: unknown, { url }: SourceRequest): Effect.Effect<Outcome> => {
  const host = new URL(url).host
  if (error instanceof RequestRefused && error.rule === "size")
    return Effect.succeed({
      response: { status: 413, ok: false, headers: new Headers(), bytes: new Uint8Array(), url }
    })
  const fault =
    error instanceof RequestRefused
      ? new SourceRejected({ message: error.message })
      : new SourceUnreachable({ message: `${host} cannot be reached: ${reasonOf(error)}.` })
  return Effect.succeed({ fault, pauseMs: null })
}

/** Messages of ours are free of secrets; of other errors only the name is told. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return "unknown reason"
  return error.name === "ConnectionFailed" || error.constructor === Error ? error.message : error.name
}

/** Milliseconds until requests may be sent again, where the source counts them and none is left. */
const untilReset = (headers: Headers, now: number): number | null => {
  const reset = headers.get("x-ratelimit-reset")
  if (headers.get("x-ratelimit-remaining") !== "0" || reset === null) return null
  // By the clock of the source, where it tells.
  const sentAt = Date.parse(headers.get("date") ?? "")
  const ms = Number(reset) * 1000 - (Number.isNaN(sentAt) ? now : sentAt)
  return Number.isFinite(ms) ? Math.max(0, ms) : null
}

/** Milliseconds that a `Retry-After` header asks for, in seconds or as a date. */
export const pauseOf = (header: string | null, now: number): number | null => {
  if (header === null) return null
  const seconds = Number(header)
  const ms = Number.isFinite(seconds) && header.trim() !== "" ? seconds * 1000 : Date.parse(header) - now
  return Number.isNaN(ms) ? null : Math.max(0, ms)
}

/** Follows redirects; each hop passes the rules, and no credential leaves the origin of the source. */
const follower = (rules: AddressRules, { secretHeaders = {}, sign, url: source }: HttpSettings) => {
  const { origin } = new URL(source)
  const fetches = new Map<number, typeof globalThis.fetch>()
  const fetchOf = (responseMaxBytes: number) => {
    const known = fetches.get(responseMaxBytes)
    if (known !== undefined) return known
    const made = guardedFetch({ ...rules, responseMaxBytes, returnsRedirects: true, refusal: addressRefusal })
    fetches.set(responseMaxBytes, made)
    return made
  }
  return async (request: SourceRequest, signal: AbortSignal): Promise<SourceResponse> => {
    const fetch = fetchOf(request.maxBytes ?? pageMaxBytes)
    let [url, method, body] = [new URL(request.url), request.method ?? "GET", request.body ?? null]
    let redirect: Response | null = null
    for (let hop = 0; ; hop++) {
      const isSource = url.origin === origin
      const plain = new Request(url, {
        method,
        headers: {
          "user-agent": `kanon/${packageVersion}`,
          ...(isSource ? { ...request.headers, ...secretHeaders } : withoutSecrets(request.headers))
        },
        body,
        signal
      })
      const sent = await fetch(isSource && sign !== undefined ? await sign(plain) : plain).catch(
        (error: unknown) => {
          // A name may turn out to be that of a private address.
          if (redirect === null || !(error instanceof RequestRefused) || error.rule !== "address") throw error
          return error.message
        }
      )
      if (typeof sent === "string" && redirect !== null) return notFollowed(redirect, sent)
      const response = sent as Response
      const location = isRedirect(response.status) ? response.headers.get("location") : null
      if (location === null || request.keepsRedirects === true) return wholeResponse(response, url.href)
      redirect = response
      const next = withOwnScheme(URL.parse(location, url.href), url)
      if (next === null || !/^https?:$/.test(next.protocol))
        return notFollowed(
          response,
          "The source redirects to an address that begins with neither http nor https."
        )
      if (url.protocol === "https:" && next.protocol !== "https:")
        return notFollowed(response, "The source redirects to an address that is not encrypted.")
      const isChanged = response.status === 303 || (response.status < 303 && method === "POST")
      if (hop === redirectsMax || (next.href === url.href && !isChanged))
        return notFollowed(response, "The source redirects in a circle.")
      const refused = refusalOf(next.href, { ...rules, refusal: addressRefusal })
      if (refused !== null) return notFollowed(response, refused)
      if (isChanged) [method, body] = ["GET", null]
      url = next
    }
  }
}

/**
 * A server behind a proxy for TLS does not know the scheme under which it is reached, and names its own. The same host
 * is asked under the scheme of the request, so nothing is sent unencrypted.
 */
const withOwnScheme = (next: URL | null, { host, hostname, protocol }: URL): URL | null => {
  if (next === null || protocol !== "https:" || next.protocol !== "http:") return next
  if (next.hostname !== hostname || !["", host.split(":").at(-1)].includes(next.port)) return next
  const own = new URL(next)
  own.protocol = protocol
  own.host = host
  return own
}

/** A redirect that is not followed. */
const notFollowed = ({ headers, status, url }: Response, refusal: string): SourceResponse => ({
  status,
  ok: false,
  headers,
  bytes: new Uint8Array(),
  url,
  refusal
})

const withoutSecrets = ({
  authorization: _token,
  cookie: _cookie,
  ...headers
}: Readonly<Record<string, string>> = {}) => headers

const isRedirect = (status: number) => [301, 302, 303, 307, 308].includes(status)

const wholeResponse = async (response: Response, url: string): Promise<SourceResponse> => ({
  status: response.status,
  ok: response.ok,
  url,
  headers: response.headers,
  bytes: new Uint8Array(await response.arrayBuffer())
})

const isLoopback = (url: string): boolean => {
  const host = new URL(url).hostname.replace(/^\[|\]$/gu, "")
  return isLocalName(host) || host === "::1" || (isIP(host) === 4 && host.startsWith("127."))
}
export const textOf = ({ bytes }: SourceResponse): string => new TextDecoder().decode(bytes)

/** Depth and values of a page of an API: more than any asks for, and little enough to be parsed at once. */
const jsonBounds = { depth: 100, values: 250_000 }

/** The JSON of a response that must be one; any other is a fault of the source. */
export const jsonOf = (
  response: SourceResponse,
  request: SourceRequest
): Effect.Effect<unknown, SourceFault> =>
  Effect.try({
    try: (): unknown => {
      if (brokenBound(response.bytes, jsonBounds) !== null) throw new RangeError("too large")
      return JSON.parse(textOf(response))
    },
    catch: () =>
      new SourceRejected({
        message: `${new URL(request.url).host} did not answer with JSON (status ${response.status}); the address may be wrong.`
      })
  })

/** The response with an item, or why there is none. */
export const itemResponse = (
  externalId: string,
  response: SourceResponse
): Effect.Effect<SourceResponse, ItemFault> => {
  if (response.ok) return Effect.succeed(response)
  if (response.refusal !== undefined)
    return Effect.fail(new ItemUnreadable({ externalId, message: response.refusal, isPermanent: false }))
  if (response.status === 404 || response.status === 410) return Effect.fail(new ItemGone({ externalId }))
  const message =
    response.status === 413
      ? `The item has more than ${itemMaxBytes / 1024 / 1024} MiB.`
      : `The source answered with status ${response.status}.`
  return Effect.fail(new ItemUnreadable({ externalId, message, isPermanent: response.status < 500 }))
}

/** The header with a credential: a password where there is a user name, else a token; none without a credential. */
export const credentialHeaders = (
  username: string | undefined,
  credential: Redacted.Redacted<string> | null
): Readonly<Record<string, string>> => {
  if (credential === null) return {}
  const secret = Redacted.value(credential)
  return {
    authorization:
      username === undefined
        ? `Bearer ${secret}`
        : `Basic ${Buffer.from(`${username}:${secret}`).toString("base64")}`
  }
}

const hostsMax = 1000
/** When the next request to each host may start, for all connectors of this process. */
const nextStarts = new Map<string, number>()

/** Waits until a request to the host may start, when so many may start each second. */
const throttled = (host: string, perSecond: number): Effect.Effect<void> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const start = Math.max(now, nextStarts.get(host) ?? 0)
    for (const [other, free] of nextStarts) {
      if (nextStarts.size < hostsMax) break
      if (free <= now) nextStarts.delete(other)
    }
    nextStarts.set(host, start + 1000 / perSecond)
    return start > now ? Effect.sleep(start - now) : Effect.void
  })
