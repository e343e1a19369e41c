import * as Effect from "effect/Effect"
import { z } from "zod"
import {
  type ChangePage,
  type Checkpoint,
  CheckpointExpired,
  type FetchedItem,
  type ItemChange,
  ItemGone,
  type SourceFault
} from "../../../core/connected/sources/index.js"
import { cachedSuccess } from "../cached.js"
import { idsOf, readCheckpoint } from "../checkpoints.js"
import { itemMaxBytes, itemResponse } from "../http.js"
import { globFilter, isLibraryFile, isoMoment, libraryPath, versionOf } from "../item-path.js"
import { readersBy } from "../item-readers.js"
import { type CrawlerOptions, providerOf } from "../options.js"
import { type Drive, type GraphItem, graphApi } from "./graph.js"

const Position = z.strictObject({
  /** Where the changes of each library continue in the next crawl. */
  links: z.record(z.string(), z.string()),
  /** The library that is read, and the link to its next page, null for its first one; null between crawls. */
  at: z.object({ drive: z.string(), link: z.string().nullable() }).nullable(),
  /** Whether the crawl reads changes, and does not list everything. */
  isFeed: z.boolean()
})
type Position = z.infer<typeof Position>

const foldersMax = 100_000
const depthMax = 100

/**
 * The libraries of a site of SharePoint, by Microsoft Graph. A crawl that continues reads their changes; a folder in
 * them may have moved everything below, so that all files are listed again.
 */
export const sharePoint = (options: CrawlerOptions) =>
  providerOf("sharepoint", (target) =>
    Effect.gen(function* () {
      const { paths, readers: wanted = "source" } = target.config
      const api = yield* graphApi(options, target, options.pageSize ?? 500)
      const isTaken = globFilter(paths)
      const drives = yield* cachedSuccess(api.drives)

      const folders = new Map<string, { readonly name: string; readonly parent: string | null }>()
      const remember = (drive: string, { id, name, parentReference, root }: GraphItem) => {
        const folder =
          root === undefined ? { name, parent: parentReference?.id ?? null } : { name: "", parent: null }
        if (folders.size >= foldersMax) folders.clear()
        folders.set(`${drive}/${id}`, folder)
        return folder
      }
      const pathOf = ({ id, name }: Drive, item: GraphItem): Effect.Effect<string | null, SourceFault> =>
        Effect.gen(function* () {
          if (item.file == null || !isLibraryFile(item.name)) return null
          const names = [item.name]
          let next = item.parentReference?.id ?? null
          for (let depth = 0; next !== null && depth < depthMax; depth++) {
            let folder = folders.get(`${id}/${next}`)
            if (folder === undefined) {
              const found = yield* api.item(id, next)
              folder = found === null ? { name: "", parent: null } : remember(id, found)
            }
            if (folder.name !== "") names.unshift(folder.name)
            next = folder.parent
          }
          const path = libraryPath([name, ...names].map((one) => one.replaceAll("/", "-")).join("/"))
          return isLibraryFile(path) && isTaken(path) ? path : null
        })

      const page = (position: Position): Effect.Effect<ChangePage, SourceFault | CheckpointExpired> =>
        Effect.gen(function* () {
          const all = yield* drives
          const place = position.at === null ? 0 : all.findIndex(({ id }) => id === position.at?.drive)
          const drive = all[place]
          if (drive === undefined) {
            if (position.at !== null)
              return yield* new CheckpointExpired({ message: "A library is not there any more." })
            return {
              changes: [],
              failures: [],
              checkpoint: { links: {}, at: null, isFeed: false },
              isLast: true,
              total: null
            }
          }
          const link = position.at?.link ?? (position.isFeed ? (position.links[drive.id] ?? null) : null)
          const { delta, items, next } = yield* api.delta(drive.id, link)
          for (const item of items) if (item.folder !== undefined) remember(drive.id, item)
          const changes: Array<ItemChange> = []
          for (const item of items) {
            const externalId = `${drive.id}/${item.id}`
            if (item.folder !== undefined) {
              if (position.isFeed && item.root === undefined)
                return yield* new CheckpointExpired({ message: "A folder has changed." })
              continue
            }
            const path = item.deleted === undefined ? yield* pathOf(drive, item) : null
            if (path !== null)
              changes.push({ op: "upsert", externalId, version: versionAt(item, path), path })
            else if (position.isFeed) changes.push({ op: "delete", externalId })
          }
          const links = delta === null ? position.links : { ...position.links, [drive.id]: delta }
          const following = next === null ? all[place + 1] : drive
          return {
            changes,
            failures: [],
            checkpoint: {
              links,
              at: following === undefined ? null : { drive: following.id, link: next },
              isFeed: following === undefined ? false : position.isFeed
            } satisfies Position,
            isLast: following === undefined,
            total: null
          }
        })

      const changes = (
        checkpoint: Checkpoint | null
      ): Effect.Effect<ChangePage, SourceFault | CheckpointExpired> =>
        Effect.gen(function* () {
          if (checkpoint === null) return yield* page({ links: {}, at: null, isFeed: false })
          const position = yield* readCheckpoint(Position, checkpoint)
          if (position.at !== null) return yield* page(position)
          const known = Object.keys(position.links).sort().join(" ")
          if (known !== (yield* drives).map(({ id }) => id).join(" "))
            return yield* new CheckpointExpired({ message: "The site has other libraries." })
          return yield* page({ ...position, isFeed: true })
        })

      /** Names the library and the file of an id. */
      const placeOf = (key: string) => {
        const cut = key.indexOf("/")
        return { key, drive: key.slice(0, cut), id: key.slice(cut + 1) }
      }
      const readersOf = (ids: ReadonlyArray<string>) =>
        wanted === "everybody" ? Effect.succeed(readersBy(() => null)(ids)) : api.readers(ids.map(placeOf))

      return {
        traits: { changes: "feed", deletions: "changes" } as const,
        check: Effect.asVoid(drives),
        changes,
        listIds: (position) =>
          Effect.map(
            position === null ? changes(null) : Effect.flatMap(readCheckpoint(Position, position), page),
            idsOf
          ),
        readers: readersOf,
        fetch: (externalId) =>
          Effect.gen(function* () {
            const { drive: driveId, id } = placeOf(externalId)
            const drive = (yield* drives).find((one) => one.id === driveId)
            const item = drive === undefined ? null : yield* api.item(driveId, id)
            const path =
              drive === undefined || item === null || item.deleted !== undefined
                ? null
                : yield* pathOf(drive, item)
            if (item === null || path === null) return yield* new ItemGone({ externalId })
            const at = `${api.base}/drives/${encodeURIComponent(driveId)}/items/${encodeURIComponent(id)}/content`
            const response = yield* api.http.send({ url: at, maxBytes: itemMaxBytes, mayBeForbidden: true })
            const { bytes } = yield* itemResponse(externalId, response)
            const named = yield* readersOf([externalId])
            return {
              externalId,
              version: versionAt(item, path),
              path,
              title: null,
              url: item.webUrl ?? null,
              author: item.lastModifiedBy?.user?.displayName ?? null,
              createdAt: isoMoment(item.createdDateTime),
              modifiedAt: isoMoment(item.lastModifiedDateTime),
              labels: [],
              body: {
                bytes,
                mediaType: /\.md$/i.test(path) ? "text/markdown" : (item.file?.mimeType ?? null)
              },
              attachments: [],
              warnings: [],
              readers: named.has(externalId) ? (named.get(externalId) ?? null) : []
            } satisfies FetchedItem
          })
      }
    })
  )

/** The version of a file changes with its content and its path. */
const versionAt = (item: GraphItem, path: string): string =>
  versionOf(item.cTag ?? item.lastModifiedDateTime ?? "", path)
