/** Microsoft Graph, as far as the crawler of SharePoint asks it. */
import * as Effect from "effect/Effect"
import { z } from "zod"
import {
  CheckpointExpired,
  type CrawlTarget,
  type ItemReaders,
  type ProviderConfig,
  type SourceFault,
  SourceRejected,
  SourceUnreachable
} from "../../../core/connected/sources/index.js"
import type { AddressRules } from "../../host/addresses.js"
import { jsonOf, type SourceHttp } from "../http.js"
import { groupReader, personReader } from "../item-readers.js"
import { oauthHttp } from "../oauth.js"

const Person = z.object({ user: z.object({ displayName: z.string().nullish() }).nullish() }).nullish()
const GraphItem = z.object({
  id: z.string(),
  name: z.string().catch(""),
  file: z.object({ mimeType: z.string().nullish() }).nullish(),
  folder: z.unknown().optional(),
  root: z.unknown().optional(),
  deleted: z.unknown().optional(),
  cTag: z.string().nullish(),
  parentReference: z.object({ id: z.string().nullish() }).nullish(),
  webUrl: z.string().nullish(),
  createdDateTime: z.string().nullish(),
  lastModifiedDateTime: z.string().nullish(),
  lastModifiedBy: Person
})
export type GraphItem = z.infer<typeof GraphItem>

const Delta = z.object({
  value: z.array(GraphItem),
  "@odata.nextLink": z.string().nullish(),
  "@odata.deltaLink": z.string().nullish()
})
const Drives = z.object({
  value: z.array(z.object({ id: z.string(), name: z.string() })),
  "@odata.nextLink": z.string().nullish()
})
const Site = z.object({ id: z.string() })
const Replies = z.object({
  responses: z.array(z.object({ id: z.string(), status: z.int(), body: z.unknown() }))
})

const Identity = z.object({
  email: z.string().nullish(),
  displayName: z.string().nullish(),
  loginName: z.string().nullish()
})
const Granted = z.object({
  user: Identity.nullish(),
  siteUser: Identity.nullish(),
  group: Identity.nullish(),
  siteGroup: Identity.nullish()
})
const PermissionPage = z.object({
  value: z.array(
    z.object({
      grantedToV2: Granted.nullish(),
      grantedToIdentitiesV2: z.array(Granted).nullish()
    })
  ),
  "@odata.nextLink": z.string().nullish()
})

const itemFields =
  "id,name,file,folder,root,deleted,cTag,parentReference,webUrl,createdDateTime,lastModifiedDateTime,lastModifiedBy"
/** Requests that Graph takes at once. */
const batchMax = 20

export interface Drive {
  readonly id: string
  readonly name: string
}

export interface DeltaPage {
  readonly items: ReadonlyArray<GraphItem>
  readonly next: string | null
  readonly delta: string | null
}

export interface GraphApi {
  readonly http: SourceHttp
  readonly base: string
  readonly drives: Effect.Effect<ReadonlyArray<Drive>, SourceFault>
  /** A page of the changes of a drive: from the start without a link. */
  readonly delta: (
    drive: string,
    link: string | null
  ) => Effect.Effect<DeltaPage, SourceFault | CheckpointExpired>
  /** An item; null where there is none. */
  readonly item: (drive: string, id: string) => Effect.Effect<GraphItem | null, SourceFault>
  /** Who may read items, named by drive and id; those that are gone are left out. */
  readonly readers: (
    items: ReadonlyArray<{ readonly key: string; readonly drive: string; readonly id: string }>
  ) => Effect.Effect<ReadonlyMap<string, ItemReaders>, SourceFault>
}

export const graphApi = (
  rules: AddressRules,
  target: CrawlTarget<ProviderConfig<"sharepoint">>,
  pageSize: number
): Effect.Effect<GraphApi, SourceRejected> =>
  Effect.gen(function* () {
    const { libraries, requestsPerSecond, site, tenant, tokenUrl, url } = target.config
    const server = (url ?? "https://graph.microsoft.com").replace(/\/$/, "")
    const base = `${server}/v1.0`
    const http = yield* oauthHttp(
      rules,
      target,
      { url: base, requestsPerSecond },
      {
        tokenUrl: tokenUrl ?? `https://login.microsoftonline.com/${tenant}/oauth2/v2.0/token`,
        scope: `${server}/.default`
      }
    )
    const strange = (status: number) =>
      new SourceRejected({
        message: `Microsoft Graph does not answer as its interface does (status ${status}).`
      })
    /** What Graph answers; null for 404. Links that it gave are followed as they are. */
    const get = <Value>(
      at: string,
      schema: z.ZodType<Value>,
      headers: Readonly<Record<string, string>> = {}
    ) =>
      Effect.gen(function* () {
        const request = { url: at.startsWith("/") ? base + at : at, headers }
        const response = yield* http.send(request)
        if (response.status === 404) return null
        if (response.status === 410)
          return yield* new CheckpointExpired({ message: "SharePoint does not know the changes any more." })
        const parsed = response.ok ? schema.safeParse(yield* jsonOf(response, request)) : undefined
        return parsed?.success === true ? parsed.data : yield* strange(response.status)
      })
    const settled = <A>(work: Effect.Effect<A, SourceFault | CheckpointExpired>) =>
      Effect.catchTag(work, "CheckpointExpired", ({ message }) => new SourceUnreachable({ message }))
    const { host, pathname } = new URL(site)

    const readersFrom = (given: unknown): Effect.Effect<ItemReaders, SourceFault> =>
      Effect.gen(function* () {
        const found: Array<string> = []
        let page = PermissionPage.safeParse(given).data
        while (page !== undefined) {
          for (const { grantedToIdentitiesV2, grantedToV2 } of page.value)
            for (const granted of [grantedToV2, ...(grantedToIdentitiesV2 ?? [])]) {
              const readers = grantedReaders(granted ?? {})
              if (readers === null) return null
              found.push(...readers)
            }
          const next: string | null = page["@odata.nextLink"] ?? null
          page = next === null ? undefined : ((yield* settled(get(next, PermissionPage))) ?? undefined)
        }
        return [...new Set(found)]
      })

    return {
      http,
      base,
      drives: settled(
        Effect.gen(function* () {
          const found = yield* get(`/sites/${host}:${pathname.replace(/\/$/, "") || "/"}`, Site)
          if (found === null)
            return yield* new SourceRejected({
              message: "There is no such site, or the app may not read it."
            })
          const drives: Array<Drive> = []
          let next: string | null = `/sites/${encodeURIComponent(found.id)}/drives?$select=id,name`
          while (next !== null) {
            const page: z.infer<typeof Drives> | null = yield* get(next, Drives)
            if (page === null) break
            drives.push(...page.value)
            next = page["@odata.nextLink"] ?? null
          }
          return drives
            .filter(({ name }) => libraries === undefined || libraries.includes(name))
            .sort((a, b) => (a.id < b.id ? -1 : 1))
        })
      ),
      delta: (drive, link) =>
        Effect.gen(function* () {
          const start = `/drives/${encodeURIComponent(drive)}/root/delta?$select=${itemFields}&$top=${pageSize}`
          // Folders above a change are left out, so that a folder in the answer has changed itself.
          const page = yield* get(link ?? start, Delta, { deltaexcludeparent: "true" })
          if (page === null)
            return yield* new CheckpointExpired({ message: "SharePoint does not know the library any more." })
          return {
            items: page.value,
            next: page["@odata.nextLink"] ?? null,
            delta: page["@odata.deltaLink"] ?? null
          }
        }),
      item: (drive, id) =>
        settled(
          get(
            `/drives/${encodeURIComponent(drive)}/items/${encodeURIComponent(id)}?$select=${itemFields}`,
            GraphItem
          )
        ),
      readers: (items) =>
        Effect.gen(function* () {
          const found = new Map<string, ItemReaders>()
          for (let from = 0; from < items.length; from += batchMax) {
            const batch = items.slice(from, from + batchMax)
            const requests = batch.map(({ drive, id }, place) => ({
              id: String(place),
              method: "GET",
              url: `/drives/${encodeURIComponent(drive)}/items/${encodeURIComponent(id)}/permissions`
            }))
            const request = {
              url: `${base}/$batch`,
              method: "POST",
              headers: { "content-type": "application/json" },
              body: JSON.stringify({ requests })
            }
            const response = yield* http.send(request)
            const replies = response.ok ? Replies.safeParse(yield* jsonOf(response, request)) : undefined
            if (replies?.success !== true) return yield* strange(response.status)
            for (const { body, id, status } of replies.data.responses) {
              const item = batch[Number(id)]
              if (item === undefined || status === 404) continue
              if (status === 429 || status >= 500)
                return yield* new SourceUnreachable({
                  message: `Microsoft Graph does not say who may read a file (status ${status}).`
                })
              found.set(item.key, status === 200 ? yield* readersFrom(body) : [])
            }
          }
          return found
        })
    }
  })

/** Claims of SharePoint for all people of the organization. */
const everybody = /^c:0(?:-\.f\|rolemanager\|spo-grid-all-users\/|\(\.s\|true$)/

/** Whom an identity names; null for everybody. A link without names is for those who have it, and opens nothing. */
const grantedReaders = ({ group, siteGroup, siteUser, user }: z.infer<typeof Granted>): ItemReaders => {
  if (everybody.test(siteUser?.loginName ?? "")) return null
  const named = group?.email ?? group?.displayName ?? siteGroup?.displayName
  return [
    ...personReader(user?.email ?? (group == null && siteGroup == null ? siteUser?.email : null)),
    ...groupReader(group?.email == null ? named : named?.toLowerCase())
  ]
}
