/** The published interfaces of GitHub: REST with pages in Link headers, GraphQL with cursors. */
import * as Effect from "effect/Effect"
import { z } from "zod"
import {
  type CrawlTarget,
  ItemUnreadable,
  type ProviderConfig,
  type SourceFault,
  SourceRateLimited,
  SourceRejected,
  SourceUnauthorized
} from "../../../core/connected/sources/index.js"
import type { AddressRules } from "../../host/addresses.js"
import { cachedSuccess } from "../cached.js"
import { credentialHeaders, jsonOf, type SourceHttp, type SourceResponse, sourceHttp } from "../http.js"

/** The repository as it is called today: one that was renamed answers under its former name, too. */
export interface Repository {
  /** The address of the repository in the REST interface. */
  readonly url: string
  readonly owner: string
  readonly name: string
  /** The moment of the server. */
  readonly now: string
}

/** A page of a list. */
export interface Page<Value> {
  readonly values: ReadonlyArray<Value>
  readonly next: string | null
  readonly etag: string | null
}

/** The interfaces for one repository. */
export interface GitHubApi {
  readonly repository: Effect.Effect<Repository, SourceFault>
  /** A page of a list at an address; null when it is what the ETag stands for. */
  readonly page: <Value>(
    url: string,
    schema: z.ZodType<Value>,
    etag?: string | null
  ) => Effect.Effect<Page<Value> | null, SourceFault>
  /** One object; null where there is none, or not any more. */
  readonly one: <Value>(
    externalId: string,
    url: string,
    schema: z.ZodType<Value>
  ) => Effect.Effect<Value | null, SourceFault | ItemUnreadable>
  /** The data that a query of GraphQL gives, `null` where it names what is not there. */
  readonly query: <Value>(
    text: string,
    variables: Readonly<Record<string, unknown>>,
    schema: z.ZodType<Value>
  ) => Effect.Effect<Value, SourceFault>
}

const RepositoryReply = z.object({
  url: z.string(),
  name: z.string(),
  owner: z.object({ login: z.string() })
})
const Answer = z.object({
  data: z.unknown(),
  errors: z.array(z.object({ type: z.string().optional(), message: z.string().catch("") })).optional()
})
/** The version of the REST interface that the requests are written for. */
const headers = { accept: "application/vnd.github+json", "x-github-api-version": "2022-11-28" }
/** A page of GraphQL that is out of points is asked again after the hour at most. */
const hourMs = 3_600_000

export const gitHubApi = (
  rules: AddressRules,
  { config, credential }: CrawlTarget<ProviderConfig<"github">>
): Effect.Effect<GitHubApi, SourceRejected> =>
  Effect.gen(function* () {
    const { graphql, rest } = interfacesOf(config.url ?? "https://github.com")
    const http = yield* sourceHttp(rules, {
      url: rest,
      requestsPerSecond: config.requestsPerSecond,
      secretHeaders: credentialHeaders(undefined, credential)
    })
    const repository = yield* cachedSuccess(readRepository(http, `${rest}/repos/${config.repository}`))
    const own = (url: string) =>
      new URL(url).origin === new URL(rest).origin
        ? Effect.void
        : Effect.fail(new SourceRejected({ message: "GitHub names a page on another server." }))

    return {
      repository,
      page: (url, schema, etag = null) =>
        Effect.gen(function* () {
          yield* own(url)
          const request = {
            url,
            headers: { ...headers, ...(etag === null ? {} : { "if-none-match": etag }) }
          }
          const response = yield* http.send(request)
          if (response.status === 304) return null
          // Issues, releases or comments that are turned off.
          if (response.status === 404 || response.status === 410)
            return { values: [], next: null, etag: null }
          if (!response.ok) return yield* refused(response)
          const parsed = z.array(schema).safeParse(yield* jsonOf(response, request))
          if (!parsed.success)
            return yield* new SourceRejected({ message: "GitHub gives a list in an unknown form." })
          return {
            values: parsed.data,
            next: nextOf(response.headers.get("link")),
            etag: response.headers.get("etag")
          }
        }),
      one: (externalId, url, schema) =>
        Effect.gen(function* () {
          const request = { url, headers, mayBeForbidden: true }
          const response = yield* http.send(request)
          const { refusal, status } = response
          if (status === 404 || status === 410) return null
          if (status === 401) return yield* unauthorized(status)
          const unreadable = (message: string) =>
            new ItemUnreadable({ externalId, message, isPermanent: false })
          if (!response.ok) return yield* unreadable(refusal ?? `GitHub does not give it (status ${status}).`)
          const parsed = schema.safeParse(yield* jsonOf(response, request))
          return parsed.success ? parsed.data : yield* unreadable("GitHub gives it in an unknown form.")
        }),
      query: (text, variables, schema) =>
        Effect.gen(function* () {
          const body = JSON.stringify({ query: text, variables })
          const request = {
            url: graphql,
            method: "POST",
            body,
            headers: { ...headers, "content-type": "application/json" }
          }
          const response = yield* http.send(request)
          if (!response.ok) return yield* refused(response)
          const answer = Answer.safeParse(yield* jsonOf(response, request))
          const errors = answer.data?.errors ?? []
          if (errors.some(({ type }) => type === "RATE_LIMITED"))
            return yield* new SourceRateLimited({
              message: "GitHub asks for a pause.",
              retryAfterMs: resetMs(response) ?? hourMs
            })
          if (errors.some(({ type }) => type === "FORBIDDEN" || type === "INSUFFICIENT_SCOPES"))
            return yield* new SourceUnauthorized({ message: "The token may not read the discussions." })
          const parsed = schema.safeParse(answer.data?.data)
          return parsed.success
            ? parsed.data
            : yield* new SourceRejected({ message: "GitHub answers a query in an unknown form." })
        })
    }
  })

/** github.com has interfaces on a host of their own, a server of a company below its address. */
const interfacesOf = (address: string) => {
  const url = new URL(address)
  if (/^(?:www\.|api\.)?github\.com$/.test(url.hostname))
    return { rest: "https://api.github.com", graphql: "https://api.github.com/graphql" }
  const site = url.href.replace(/\/(?:api(?:\/v3)?\/?)?$/, "")
  return { rest: `${site}/api/v3`, graphql: `${site}/api/graphql` }
}

const readRepository = (http: SourceHttp, url: string): Effect.Effect<Repository, SourceFault> =>
  Effect.gen(function* () {
    const request = { url, headers }
    const response = yield* http.send(request)
    if (response.status === 404)
      return yield* new SourceRejected({
        message: "GitHub has no such repository, or the token may not read it."
      })
    if (!response.ok) return yield* refused(response)
    const parsed = RepositoryReply.safeParse(yield* jsonOf(response, request))
    if (!parsed.success || URL.parse(parsed.data.url)?.origin !== new URL(url).origin)
      return yield* new SourceRejected({ message: "The address is not that of a GitHub." })
    const date = Date.parse(response.headers.get("date") ?? "")
    return {
      url: parsed.data.url,
      owner: parsed.data.owner.login,
      name: parsed.data.name,
      now: new Date(Number.isNaN(date) ? 0 : date).toISOString()
    }
  })

const refused = ({ status }: SourceResponse) =>
  status === 401
    ? unauthorized(status)
    : new SourceRejected({ message: `GitHub answered with status ${status}.` })

const unauthorized = (status: number) =>
  new SourceUnauthorized({ message: `GitHub does not accept the token (status ${status}).` })

const resetMs = ({ headers: given }: SourceResponse): number | null => {
  const [reset, now] = [Number(given.get("x-ratelimit-reset")) * 1000, Date.parse(given.get("date") ?? "")]
  return reset > now ? reset - now : null
}

/** The address of the next page in a Link header. */
const nextOf = (header: string | null): string | null =>
  /<([^<>]+)>\s*;[^<]*\brel="?next\b/.exec((header ?? "").slice(0, 10_000))?.[1] ?? null
