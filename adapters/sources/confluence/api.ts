import * as Effect from "effect/Effect"
import { z } from "zod"
import {
  type CrawlTarget,
  type ItemReaders,
  type ProviderConfig,
  type SourceFault,
  SourceRejected
} from "../../../core/connected/sources/index.js"
import type { AddressRules } from "../../host/addresses.js"
import { credentialHeaders, itemMaxBytes, jsonOf, type SourceResponse, sourceHttp } from "../http.js"
import { markdownPath } from "../item-path.js"
import { groupReader, inAll, personReader } from "../item-readers.js"

const Found = z.object({ results: z.array(z.unknown()), size: z.int().optional() })
const Restricted = z.object({
  restrictions: z.object({
    read: z.object({ restrictions: z.object({ user: Found, group: Found }) })
  })
})
/** A page with what restricts it and the pages above it. */
const RightsOfPage = Restricted.extend({
  id: z.union([z.string(), z.number()]).transform(String),
  ancestors: z.array(Restricted).default([])
})
const RestrictedUser = z.object({ email: z.string().nullish() })
const RestrictedGroup = z.object({ name: z.string().nullish() })
const expandedRights = ["restrictions", "ancestors.restrictions"]
  .flatMap((of) => [`${of}.read.restrictions.user`, `${of}.read.restrictions.group`])
  .join(",")

const Attachment = z.object({
  title: z.string(),
  version: z.object({ number: z.int() }).optional(),
  _links: z.object({ download: z.string().startsWith("/") })
})
/** A file that belongs to a page. */
export type Attachment = z.infer<typeof Attachment>

const Content = z.object({
  id: z.union([z.string(), z.number()]).transform(String),
  type: z.string().catch("page"),
  title: z.string(),
  space: z.object({ key: z.string() }),
  version: z
    .object({
      number: z.int(),
      when: z.string().optional(),
      by: z.object({ displayName: z.string().optional() }).optional()
    })
    .optional(),
  history: z.object({ createdDate: z.string().optional() }).optional(),
  ancestors: z.array(z.object({ title: z.string().catch("") })).catch([]),
  body: z.object({ storage: z.object({ value: z.string() }) }).optional(),
  metadata: z
    .object({ labels: z.object({ results: z.array(z.object({ name: z.string() })) }).optional() })
    .optional(),
  children: z.object({ attachment: z.object({ results: z.array(Attachment) }).optional() }).optional(),
  _links: z.object({ webui: z.string().optional() }).optional()
})
/** A page or blog post, as far as it was asked for. */
export type Content = z.infer<typeof Content>

const SearchPage = z.object({
  results: z.array(Content),
  size: z.int().optional(),
  totalSize: z.int().optional(),
  _links: z.object({ next: z.string().optional(), base: z.string().optional() }).catch({})
})
export type SearchPage = z.infer<typeof SearchPage>

/** The REST API that Cloud and Data Center share. */
export interface ConfluenceApi {
  /** Searches content. `next` continues a search; a place that the site no longer knows gives null. */
  readonly search: (query: SearchQuery) => Effect.Effect<SearchPage | null, SourceFault>
  /** Who may read these pages, of 100 at most; those that the site does not know are left out. */
  readonly readers: (
    ids: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyMap<string, ItemReaders>, SourceFault>
  readonly userName: (id: string) => Effect.Effect<string | null, SourceFault>
  /** Downloads what a link of an attachment names. */
  readonly download: (link: string) => Effect.Effect<SourceResponse, SourceFault>
  /** The address of a page for people. */
  readonly addressOf: (content: Content) => string | null
}

export interface SearchQuery {
  readonly cql: string
  readonly expand: string
  readonly limit: number
  readonly next?: string | null
}

export const confluenceApi = (
  rules: AddressRules,
  { config, credential }: CrawlTarget<ProviderConfig<"confluence">>
): Effect.Effect<ConfluenceApi, SourceRejected> =>
  Effect.gen(function* () {
    const site = config.url.replace(/\/$/, "")
    const http = yield* sourceHttp(rules, {
      url: site,
      requestsPerSecond: config.requestsPerSecond,
      secretHeaders: credentialHeaders(config.username, credential)
    })
    const get = (url: string) => {
      const request = { url, headers: { accept: "application/json" } }
      return Effect.map(http.send(request), (response) => ({ request, response }))
    }
    const rightsOf = (
      ids: ReadonlyArray<string>
    ): Effect.Effect<ReadonlyArray<readonly [string, ItemReaders]>, SourceFault> =>
      Effect.gen(function* () {
        const cql = `id in (${ids.filter((id) => /^\d+$/.test(id)).join(",")})`
        const query = new URLSearchParams({ cql, expand: expandedRights, limit: String(ids.length) })
        const { request, response } = yield* get(`${site}/rest/api/content/search?${query}`)
        const parsed = response.ok
          ? z.object({ results: z.array(z.unknown()) }).safeParse(yield* jsonOf(response, request))
          : undefined
        if (parsed?.success === true)
          return parsed.data.results.flatMap((page) => {
            const id = z.object({ id: RightsOfPage.shape.id }).safeParse(page)
            return id.success ? [[id.data.id, readersOf(page)] as const] : []
          })
        // A page above that was trashed or may not be seen makes Confluence Cloud refuse all of them (CONFCLOUD-77618).
        if (ids.length === 1) return ids.map((id) => [id, []] as const)
        return (yield* Effect.forEach(ids, (id) => rightsOf([id]))).flat()
      })

    return {
      readers: (ids) =>
        ids.length === 0 ? Effect.succeed(new Map()) : Effect.map(rightsOf(ids), (rights) => new Map(rights)),
      addressOf: ({ _links }) => (_links?.webui === undefined ? null : site + _links.webui),
      download: (link) =>
        http.send({ url: linkedAddress(site, link), maxBytes: itemMaxBytes, mayBeForbidden: true }),
      search: ({ cql, expand, limit, next }) =>
        Effect.gen(function* () {
          const query = new URLSearchParams({ cql, expand, limit: String(limit) })
          const url =
            next === undefined || next === null
              ? `${site}/rest/api/content/search?${query}`
              : linkedAddress(site, next)
          const { request, response } = yield* get(url)
          if (response.status === 400 && next !== undefined && next !== null) return null
          if (!response.ok)
            return yield* new SourceRejected({
              message:
                response.status === 400
                  ? "Confluence refuses the search: one of the spaces may not exist."
                  : `No REST API of Confluence was found at the address (status ${response.status}).`
            })
          const parsed = SearchPage.safeParse(yield* jsonOf(response, request))
          return parsed.success
            ? parsed.data
            : yield* new SourceRejected({ message: "The site does not answer as Confluence does." })
        }),
      userName: (id) =>
        Effect.gen(function* () {
          const isKey = /^[0-9a-f]{32}$/.test(id)
          const { request, response } = yield* get(
            `${site}/rest/api/user?${new URLSearchParams(isKey ? { key: id } : { accountId: id })}`
          )
          if (!response.ok) return null
          const user = z.object({ displayName: z.string() }).safeParse(yield* jsonOf(response, request))
          return user.success ? user.data.displayName : null
        })
    }
  })

/** Those whom the page and each page above it admit; nobody where Confluence does not say so. */
const readersOf = (page: unknown): ItemReaders => {
  const parsed = RightsOfPage.safeParse(page)
  if (!parsed.success) return []
  return inAll(
    [parsed.data, ...parsed.data.ancestors].map(({ restrictions }) => {
      const { group, user } = restrictions.read.restrictions
      const isOpen = [group, user].every(({ results, size = 0 }) => results.length === 0 && size === 0)
      return isOpen
        ? null
        : [
            ...user.results.flatMap((one) => personReader(RestrictedUser.safeParse(one).data?.email)),
            ...group.results.flatMap((one) => groupReader(RestrictedGroup.safeParse(one).data?.name))
          ]
    })
  )
}

/** Links begin at the site, with or without its context path. */
const linkedAddress = (site: string, next: string): string => {
  const { origin, pathname } = new URL(site)
  const context = pathname.replace(/\/$/, "")
  return next.startsWith(`${context}/`) ? origin + next : site + next
}

/** The document path: the space, the pages above without the home page, and the page. */
export const contentPath = ({ ancestors, space, title, type }: Content): string =>
  markdownPath([
    space.key,
    ...(type === "blogpost" ? ["Blog"] : ancestors.slice(1).map((ancestor) => ancestor.title)),
    title
  ])
