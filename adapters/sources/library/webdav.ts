import { posix } from "node:path"
import * as Effect from "effect/Effect"
import { z } from "zod"
import {
  type ChangePage,
  type Checkpoint,
  type FetchedItem,
  type ItemChange,
  type ItemReaders,
  type ListingFailure,
  type ProviderConfig,
  type SourceFault,
  SourceRejected
} from "../../../core/connected/sources/index.js"
import { pathKey } from "../../../core/files/markdown/index.js"
import { compileGlob } from "../../host/glob.js"
import { idsOf, readCheckpoint } from "../checkpoints.js"
import { readListing } from "../html.js"
import { credentialHeaders, itemMaxBytes, itemResponse, sourceHttp } from "../http.js"
import { isoMoment, libraryPath } from "../item-path.js"
import { readersBy } from "../item-readers.js"
import { type CrawlerOptions, providerOf } from "../options.js"
import type { DavEntry } from "./listings.js"

/** Position of a crawl: all folders before this one, in depth-first order, are listed, and this one too. */
const Position = z.object({ folder: z.string().nullable() })

/** A server may list folders without end: a page of the crawl ends after some, and so does the tree. */
const bounds = { foldersOfPage: 200, pendingFolders: 500_000, depth: 100 }

interface Listed {
  readonly entries: ReadonlyArray<DavEntry>
  /** Why the folder is not listed; null where it is. */
  readonly failure: string | null
}

const propfind =
  '<?xml version="1.0"?><propfind xmlns="DAV:"><prop><resourcetype/><getetag/><getlastmodified/><getcontentlength/><getcontenttype/><creationdate/></prop></propfind>'

/** A folder of a WebDAV server: Nextcloud, SharePoint gateways, Apache. */
export const webDav = (options: CrawlerOptions) =>
  providerOf("webdav", ({ config, credential }) =>
    Effect.gen(function* () {
      const root = new URL(config.url.endsWith("/") ? config.url : `${config.url}/`)
      const http = yield* sourceHttp(options, {
        url: root.href,
        requestsPerSecond: config.requestsPerSecond,
        secretHeaders: credentialHeaders(config.username, credential)
      })
      const addressOf = (path: string) =>
        new URL(path.split("/").map(encodeURIComponent).join("/"), root).href

      /** Returns the content of a folder, or why it cannot be listed, though others can. */
      const list = (folder: string, depth: "0" | "1" = "1"): Effect.Effect<Listed, SourceFault> =>
        Effect.gen(function* () {
          const response = yield* http.send({
            // A folder is asked for with its slash: without it, servers redirect.
            url: depth === "1" && folder !== "" ? `${addressOf(folder)}/` : addressOf(folder),
            method: "PROPFIND",
            headers: { depth, "content-type": "application/xml" },
            body: propfind,
            mayBeForbidden: folder !== ""
          })
          if (response.status === 404 && folder !== "") return { entries: [], failure: null }
          if (response.status !== 207)
            return folder !== ""
              ? { entries: [], failure: response.refusal ?? "The server does not list this folder." }
              : yield* new SourceRejected({
                  message: `${root.host} does not list the folder as WebDAV does (status ${response.status}).`
                })
          const entries: ReadonlyArray<DavEntry> = yield* readListing(
            options.tasks.run("davListing", {
              bytes: response.bytes,
              root: root.href,
              // A single item is asked for because it was taken.
              paths: depth === "0" ? undefined : config.paths
            }),
            root.host
          )
          return { entries, failure: null }
        })

      const foldersOf = (entries: ReadonlyArray<DavEntry>, folder: string) =>
        entries
          .filter(
            ({ isFolder, path }) => isFolder && path !== folder && posix.dirname(path) === (folder || ".")
          )
          .map(({ path }) => path)
          .filter((path) => !posix.basename(path).startsWith("."))
          .sort(byDepthFirst)

      /** The folders that are still to be listed after one, nearest last. */
      let pending: { readonly after: string; readonly stack: ReadonlyArray<string> } | null = null
      const pendingAfter = (after: string) =>
        Effect.gen(function* () {
          if (pending?.after === after) return [...pending.stack]
          const stack: Array<string> = []
          const chain =
            after === ""
              ? [""]
              : ["", ...after.split("/").map((_, at, all) => all.slice(0, at + 1).join("/"))]
          for (const folder of chain) {
            const below = foldersOf((yield* list(folder)).entries, folder)
            stack.push(
              ...below.filter((path) => byDepthFirst(path, after) > 0 && !isWithin(after, path)).reverse()
            )
          }
          return stack
        })

      const changes = (checkpoint: Checkpoint | null) =>
        Effect.gen(function* () {
          const { folder } =
            checkpoint === null ? { folder: null } : yield* readCheckpoint(Position, checkpoint)
          const stack = folder === null ? [""] : yield* pendingAfter(folder)
          const found: Array<ItemChange> = []
          const failures: Array<ListingFailure> = []
          let last = folder
          const { foldersOfPage, pendingFolders } = bounds
          let listed = 0
          while (stack.length > 0 && found.length < (options.pageSize ?? 500) && listed < foldersOfPage) {
            const next = stack.pop() ?? ""
            listed += 1
            if (next.split("/").length > bounds.depth) {
              failures.push({ externalId: next, message: "The folder is nested too deeply." })
              last = next
              continue
            }
            const { entries, failure } = yield* list(next)
            if (failure !== null) failures.push({ externalId: next, message: failure })
            stack.push(...foldersOf(entries, next).reverse())
            if (stack.length > pendingFolders)
              return yield* new SourceRejected({
                message: `${root.host} lists more than ${pendingFolders} folders side by side.`
              })
            for (const { documentPath, etag, isFolder, modifiedAt, path, sizeBytes } of entries)
              if (!isFolder)
                found.push({
                  op: "upsert",
                  externalId: path,
                  version: versionFrom(etag, modifiedAt, sizeBytes),
                  path: documentPath
                })
            last = next
          }
          pending = { after: last ?? "", stack: [...stack] }
          const isLast = stack.length === 0
          return {
            changes: found,
            failures,
            checkpoint: { folder: isLast ? null : last },
            isLast,
            total: null
          } satisfies ChangePage
        })

      const rules = folderReaders(config.folders ?? [])
      return {
        readers: (ids) => Effect.succeed(readersBy(rules)(ids)),
        traits: { changes: "listing", deletions: "ids" } as const,
        check: Effect.asVoid(list("")),
        changes,
        listIds: (position) => Effect.map(changes(position), idsOf),
        fetch: (externalId) =>
          Effect.gen(function* () {
            const url = addressOf(externalId)
            const response = yield* Effect.flatMap(
              http.send({ url, maxBytes: itemMaxBytes, mayBeForbidden: true }),
              (given) => itemResponse(externalId, given)
            )
            const { bytes, headers } = response
            const isTold = headers.has("etag") && headers.has("last-modified")
            // Some servers tell the version in listings only.
            const entry = isTold ? undefined : (yield* list(externalId, "0")).entries[0]
            const modifiedAt = isoMoment(headers.get("last-modified")) ?? entry?.modifiedAt ?? null
            const etag = headers.get("etag") ?? entry?.etag ?? null
            const version = versionFrom(etag, modifiedAt, bytes.byteLength)
            return {
              externalId,
              version,
              path: libraryPath(externalId),
              title: null,
              url,
              author: null,
              createdAt: null,
              modifiedAt,
              labels: [],
              body: {
                bytes,
                mediaType: /\.md$/i.test(externalId) ? "text/markdown" : headers.get("content-type")
              },
              attachments: [],
              warnings: [],
              readers: rules(externalId)
            } satisfies FetchedItem
          })
      }
    })
  )

/** The readers of the longest pattern that matches a path; null for everybody. */
const folderReaders = (folders: NonNullable<ProviderConfig<"webdav">["folders"]>) => {
  const rules = [...folders]
    .sort((a, b) => b.path.length - a.path.length)
    .map(({ path, read }) => ({ read, matches: compileGlob(pathKey(path), { coversFolders: true }) }))
  return (path: string): ItemReaders => {
    const segments = pathKey(path).split("/")
    return rules.find(({ matches }) => matches(segments))?.read ?? null
  }
}

/** The ETag without what servers add when they compress; else time and size. */
const versionFrom = (
  etag: string | null,
  modifiedAt: string | null,
  sizeBytes: number | null
): string | null => {
  const bare = etag
    ?.replace(/^W\//, "")
    .replace(/^"|"$/g, "")
    .replace(/-gzip$/, "")
  if (bare !== undefined && bare !== "") return bare
  return modifiedAt === null ? null : `${modifiedAt} ${sizeBytes ?? ""}`
}

/** Order in which a folder stands before what is in it, and all of that before its next sibling. */
const byDepthFirst = (a: string, b: string): number => {
  const [left, right] = [a.split("/"), b.split("/")]
  for (let at = 0; at < Math.min(left.length, right.length); at++) {
    const [one = "", other = ""] = [left[at], right[at]]
    if (one !== other) return one < other ? -1 : 1
  }
  return left.length - right.length
}

const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`)
