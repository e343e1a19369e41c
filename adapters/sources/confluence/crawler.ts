import * as Effect from "effect/Effect"
import { z } from "zod"
import {
  type ChangePage,
  type Checkpoint,
  CheckpointExpired,
  type FetchedItem,
  type ItemAttachment,
  ItemGone,
  type SourceFault
} from "../../../core/connected/sources/index.js"
import { idsOf, readCheckpoint } from "../checkpoints.js"
import { readText } from "../html.js"
import { attachmentNames, isLibraryFile, isoMoment, linkBetween, versionOf } from "../item-path.js"
import { readersBy } from "../item-readers.js"
import { type CrawlerOptions, providerOf } from "../options.js"
import { type Attachment, type ConfluenceApi, type Content, confluenceApi, contentPath } from "./api.js"
import { type NamedPage, pageKey } from "./storage-format.js"

const linksMax = 10_000

/** The link to the next page of the listing; none before it begins. */
const Position = z.object({ next: z.string().startsWith("/").nullable() })

/**
 * Confluence, Cloud or Data Center. Each crawl lists all pages with their versions and places in the tree: a page that
 * moved with its parent has a new path, though nothing of it changed by date.
 */
export const confluence = (options: CrawlerOptions) =>
  providerOf("confluence", (target) =>
    Effect.gen(function* () {
      const { readers = "source", spaces } = target.config
      const api = yield* confluenceApi(options, target)
      const inSpaces = spaces === undefined ? "" : ` and space in (${spaces.map(quoted).join(",")})`
      const cql = `type in (page,blogpost)${inSpaces}`

      const list = (next: string | null) =>
        api.search({
          cql: `${cql} order by created`,
          expand: "version,ancestors,space,children.attachment.version",
          limit: options.pageSize ?? 100,
          next
        })

      const changes = (checkpoint: Checkpoint | null) =>
        Effect.gen(function* () {
          const { next } = checkpoint === null ? { next: null } : yield* readCheckpoint(Position, checkpoint)
          const found = yield* list(next)
          if (found === null)
            return yield* new CheckpointExpired({
              message: "Confluence does not know the place of the crawl any more."
            })
          const following = found._links.next ?? null
          return {
            changes: found.results.map((content) => ({
              op: "upsert" as const,
              externalId: content.id,
              version: versionAt(content),
              path: contentPath(content)
            })),
            failures: [],
            checkpoint: { next: following },
            isLast: following === null,
            total: found.totalSize ?? null
          } satisfies ChangePage
        })

      const paths = new Map<string, string | null>()
      /** The document path of a page that a link names; null where there is none in the crawled spaces. */
      const pathOf = ({ space, title }: NamedPage, from: Content) =>
        Effect.gen(function* () {
          const key = space ?? from.space.key
          const known = paths.get(`${key}\0${title}`)
          if (known !== undefined) return known
          const found =
            spaces === undefined || spaces.includes(key)
              ? yield* api.search({
                  cql: `type in (page,blogpost) and space = ${quoted(key)} and title = ${quoted(title)}`,
                  expand: "ancestors,space",
                  limit: 1
                })
              : null
          const [page] = found?.results ?? []
          const path = page === undefined ? null : contentPath(page)
          if (paths.size >= linksMax) paths.clear()
          paths.set(`${key}\0${title}`, path)
          return path
        })
      const users = new Map<string, string | null>()
      const userName = (id: string): Effect.Effect<string | null, SourceFault> =>
        users.has(id)
          ? Effect.succeed(users.get(id) ?? null)
          : Effect.tap(api.userName(id), (name) => Effect.sync(() => users.set(id, name)))

      const readersOf = (ids: ReadonlyArray<string>) =>
        readers === "source" ? api.readers(ids) : Effect.succeed(readersBy(() => null)(ids))

      return {
        readers: readersOf,
        traits: { changes: "listing", deletions: "ids" } as const,
        check: Effect.asVoid(list(null)),
        changes,
        listIds: (position) => Effect.map(changes(position), idsOf),
        fetch: (externalId) =>
          Effect.gen(function* () {
            if (!/^\d+$/.test(externalId)) return yield* new ItemGone({ externalId })
            const found = yield* api.search({
              cql: `id = ${externalId}`,
              expand:
                "body.storage,version,ancestors,space,history,metadata.labels,children.attachment.version",
              limit: 1
            })
            const content = found?.results[0]
            if (content === undefined) return yield* new ItemGone({ externalId })
            const path = contentPath(content)
            const storage = content.body?.storage.value ?? ""
            const page = yield* readText(externalId, options.tasks.run("confluenceReferences", storage))
            const pageLinks = new Map<string, string>()
            for (const named of page.pages) {
              const target = yield* pathOf(named, content)
              if (target !== null) pageLinks.set(pageKey(named), linkBetween(path, target))
            }
            const userNames = new Map<string, string>()
            for (const id of page.users) {
              const name = yield* userName(id)
              if (name !== null) userNames.set(id, name)
            }
            const attached = yield* fetchAttachments(api, content)
            const named = yield* readersOf([externalId])
            // The site no longer knows this page, so that nobody may read it here.
            const readers = named.has(externalId) ? (named.get(externalId) ?? null) : []
            const markdown = yield* readText(
              externalId,
              options.tasks.run("confluencePage", { storage, pageLinks, userNames })
            )
            return {
              externalId,
              version: versionAt(content),
              path,
              title: content.title,
              url: api.addressOf(content),
              author: content.version?.by?.displayName ?? null,
              createdAt: isoMoment(content.history?.createdDate),
              modifiedAt: isoMoment(content.version?.when),
              labels: (content.metadata?.labels?.results ?? []).map(({ name }) => name),
              body: { markdown: `# ${content.title}\n\n${markdown}\n` },
              attachments: attached.attachments,
              readers,
              warnings: [
                ...page.leftOut.map((name) => `The macro ${name} was left out.`),
                ...attached.warnings
              ]
            } satisfies FetchedItem
          })
      }
    })
  )

/** Number of the version, with the place in the tree and the attachments, which change without a new version. */
const versionAt = (content: Content): string => {
  const files = readableAttachments(content).map(({ title, version }) => `${title} ${version?.number ?? 0}`)
  return `${content.version?.number ?? 0}-${versionOf(contentPath(content), ...files.sort()).slice(0, 8)}`
}

const quoted = (text: string): string => `"${text.replace(/["\\]/g, "\\$&")}"`

/** Attachments of one page that are read. */
const attachmentsMax = 50

/** The attachments of a page that become documents. */
const readableAttachments = (content: Content): ReadonlyArray<Attachment> =>
  (content.children?.attachment?.results ?? [])
    .filter(({ title }) => isLibraryFile(title))
    .slice(0, attachmentsMax)

/** Downloads the attachments of a page; one that cannot be read is a warning. */
const fetchAttachments = (
  api: ConfluenceApi,
  content: Content
): Effect.Effect<
  { readonly attachments: ReadonlyArray<ItemAttachment>; readonly warnings: ReadonlyArray<string> },
  SourceFault
> =>
  Effect.gen(function* () {
    const found = readableAttachments(content)
    const names = attachmentNames(found.map(({ title }) => title))
    const attachments: Array<ItemAttachment> = []
    const warnings: Array<string> = []
    for (const [at, { _links, title }] of found.entries()) {
      const { bytes, headers, ok, status } = yield* api.download(_links.download)
      if (ok) {
        const body = { bytes, mediaType: headers.get("content-type") }
        attachments.push({ name: names[at] ?? title, body, url: api.addressOf(content) })
      } else warnings.push(`The attachment ${title} was left out (status ${status}).`)
    }
    return { attachments, warnings }
  })
