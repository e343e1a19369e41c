import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { z } from "zod"
import {
  type CrawlTarget,
  type ProviderConfig,
  type SourceFault,
  SourceRateLimited,
  SourceRejected,
  SourceUnauthorized,
  SourceUnreachable
} from "../../../core/connected/sources/index.js"
import type { AddressRules } from "../../host/addresses.js"
import { cachedSuccess } from "../cached.js"
import {
  credentialHeaders,
  jsonOf,
  pauseMaxMs,
  pauseOf,
  type SourceHttp,
  type SourceResponse,
  sourceHttp,
  textOf
} from "../http.js"

export type Parameters = Readonly<Record<string, string | number>>

/** An error of the API that is not about access, by its code. */
export interface ApiError {
  readonly code: string
  readonly info: string
}

/** The Action API of one wiki. */
export interface WikiApi {
  /** Calls the API. An error of the API that concerns the call alone is given back. */
  readonly call: (parameters: Parameters) => Effect.Effect<Reply, SourceFault>
}
export type Reply = { readonly json: unknown } | { readonly error: ApiError }

const Failure = z.object({ error: z.object({ code: z.string(), info: z.string().catch("") }) })
const tries = 4
const defaultPauseMs = 5000

/** Finds the API of a wiki, logs in where there is a credential, and gives its calls. */
export const wikiApi = (
  rules: AddressRules,
  { config, credential }: CrawlTarget<ProviderConfig<"mediawiki">>
): Effect.Effect<WikiApi, SourceRejected> =>
  Effect.gen(function* () {
    const isBot = credential !== null && config.username !== undefined
    const http = yield* sourceHttp(rules, {
      url: config.url,
      requestsPerSecond: config.requestsPerSecond,
      secretHeaders: isBot ? {} : credentialHeaders(undefined, credential)
    })
    const endpoint = yield* cachedSuccess(findEndpoint(http, config.url))
    const cookies = new Map<string, string>()

    const post = (parameters: Parameters) =>
      Effect.gen(function* () {
        const url = yield* endpoint
        const body = new URLSearchParams({ format: "json", formatversion: "2" })
        for (const [name, value] of Object.entries(parameters)) body.set(name, String(value))
        const request = {
          url,
          method: "POST",
          body,
          headers:
            cookies.size === 0
              ? {}
              : { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") }
        }
        const response = yield* http.send(request)
        for (const cookie of response.headers.getSetCookie()) {
          const [, name = "", value = ""] = /^([^=;]+)=([^;]*)/.exec(cookie) ?? []
          cookies.set(name, value)
        }
        return { response, json: yield* jsonOf(response, request) }
      })

    const login = Effect.gen(function* () {
      if (credential === null || config.username === undefined) return
      const { json } = yield* post({ action: "query", meta: "tokens", type: "login" })
      const token = z
        .object({ query: z.object({ tokens: z.object({ logintoken: z.string() }) }) })
        .safeParse(json)
      if (!token.success) return yield* notAWiki(config.url)
      const reply = yield* post({
        action: "login",
        lgname: config.username,
        lgpassword: Redacted.value(credential),
        lgtoken: token.data.query.tokens.logintoken
      })
      const result = z.object({ login: z.object({ result: z.string() }) }).safeParse(reply.json)
      if (!result.success || result.data.login.result !== "Success")
        return yield* new SourceUnauthorized({
          message: "The wiki does not accept the user name and password."
        })
    })
    const [loggedIn, logInAgain] = yield* Effect.cachedInvalidateWithTTL(login, "1 day")

    const call = (parameters: Parameters, attempt = 1): Effect.Effect<Reply, SourceFault> =>
      Effect.gen(function* () {
        if (isBot) yield* Effect.onError(loggedIn, () => logInAgain)
        const { json, response } = yield* post({
          maxlag: 5,
          ...(isBot ? { assert: "user" } : {}),
          ...parameters
        })
        const failure = Failure.safeParse(json)
        if (!failure.success) return { json }
        const { code, info } = failure.data.error
        if (code === "maxlag" || code === "ratelimited" || code === "readonly")
          return yield* pause(response, parameters, attempt)
        if (code === "assertuserfailed" && attempt < tries) {
          yield* logInAgain
          return yield* call(parameters, attempt + 1)
        }
        if (/^(?:assert\w*failed|readapidenied|permissiondenied|mwoauth-\S+|badtoken|blocked)$/.test(code))
          return yield* new SourceUnauthorized({ message: `The wiki refuses access (${code}).` })
        if (code.startsWith("internal_api_error"))
          return yield* new SourceUnreachable({ message: "The wiki reports an internal error." })
        return { error: { code, info } }
      })

    const pause = (
      response: SourceResponse,
      parameters: Parameters,
      attempt: number
    ): Effect.Effect<Reply, SourceFault> =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const ms = pauseOf(response.headers.get("retry-after"), now) ?? defaultPauseMs
        if (attempt >= tries || ms > pauseMaxMs)
          return yield* new SourceRateLimited({ message: "The wiki asks for a pause.", retryAfterMs: ms })
        yield* Effect.sleep(ms)
        return yield* call(parameters, attempt + 1)
      })
    return { call }
  })

const notAWiki = (url: string) =>
  new SourceRejected({ message: `No API of a MediaWiki was found at ${new URL(url).host}.` })

/** The address of `api.php`: given, or beside the address, or named by the page there. */
const findEndpoint = (http: SourceHttp, address: string): Effect.Effect<string, SourceFault> =>
  Effect.gen(function* () {
    const url = new URL(address)
    url.search = ""
    url.hash = ""
    if (url.pathname.endsWith("/api.php")) return url.href
    const folder = url.href.replace(/\/(?:index\.php.*)?$/, "")
    const places = new Set([`${folder}/api.php`, `${url.origin}/w/api.php`, `${url.origin}/api.php`])
    for (const place of places) {
      const found = yield* http.send({
        url: `${place}?action=query&meta=siteinfo&format=json`,
        mayBeForbidden: true
      })
      if (found.ok && /"query"|"error"/.test(textOf(found).slice(0, 10_000))) return place
    }
    const page = yield* http.send({ url: address })
    const link = /<link rel="EditURI"[^>]*href="([^"?]+api\.php)/.exec(textOf(page))?.[1]
    const named = link === undefined ? null : URL.parse(link, address)
    // Credentials go to the configured origin alone.
    return named === null || named.origin !== url.origin ? yield* notAWiki(address) : named.href
  })
