import * as Effect from "effect/Effect"
import { z } from "zod"
import {
  type ChangePage,
  type Checkpoint,
  CheckpointExpired,
  type FetchedItem,
  type ItemChange,
  ItemGone,
  type ItemReaders,
  ItemUnreadable,
  type SourceFault,
  SourceUnreachable
} from "../../../core/connected/sources/index.js"
import { cachedSuccess } from "../cached.js"
import { readCheckpoint } from "../checkpoints.js"
import { itemMaxBytes, itemResponse } from "../http.js"
import { globFilter, isLibraryFile, isoMoment, libraryPath, versionOf } from "../item-path.js"
import { groupReader, personReader, readersBy } from "../item-readers.js"
import { type CrawlerOptions, providerOf } from "../options.js"
import { type DriveFile, driveApi, folderType, type Permission } from "./google-drive-api.js"

const Position = z.strictObject({
  /** Token of the feed of changes, which follows the listing. */
  changes: z.string(),
  /** The next page of the listing, empty for its first; null in the feed. */
  listing: z.string().nullable()
})
const IdPosition = z.strictObject({ token: z.string() })

/** Export formats of Google Docs, Sheets and Slides. */
const exports = new Map([
  ["application/vnd.google-apps.document", { extension: ".md", type: "text/markdown" }],
  [
    "application/vnd.google-apps.spreadsheet",
    { extension: ".xlsx", type: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" }
  ],
  [
    "application/vnd.google-apps.presentation",
    { extension: ".pptx", type: "application/vnd.openxmlformats-officedocument.presentationml.presentation" }
  ]
])

const filesMax = 1_000_000
const foldersMax = 100_000
const depthMax = 100

/**
 * Google Drive: files of the account or of one shared drive. A crawl that continues reads the feed of changes; a folder
 * in it may have moved everything below, so that all files are listed again.
 */
export const googleDrive = (options: CrawlerOptions) =>
  providerOf("google_drive", (target) =>
    Effect.gen(function* () {
      const { domain, paths, readers: wanted = "source" } = target.config
      const api = yield* driveApi(options, target)
      const isTaken = globFilter(paths)
      const pageSize = options.pageSize ?? 1000

      const folders = new Map<string, { readonly name: string; readonly parent: string | null }>()
      /** Names of the folders above a file, outermost first. The root of a drive has no name of its own. */
      const foldersOf = (file: DriveFile): Effect.Effect<ReadonlyArray<string>, SourceFault> =>
        Effect.gen(function* () {
          const names: Array<string> = []
          let next = file.parents?.[0] ?? null
          for (let depth = 0; next !== null && depth < depthMax; depth++) {
            let folder = folders.get(next)
            if (folder === undefined) {
              const found = yield* api.file(next)
              folder =
                found === null || found.parents === undefined
                  ? { name: "", parent: null }
                  : { name: found.name, parent: found.parents[0] ?? null }
              if (folders.size >= foldersMax) folders.clear()
              folders.set(next, folder)
            }
            if (folder.name !== "") names.unshift(folder.name)
            next = folder.parent
          }
          return names
        })

      /** The path of a file in the library; null for what becomes no document. */
      const pathOf = (file: DriveFile) =>
        Effect.gen(function* () {
          const exported = exports.get(file.mimeType)
          // Shortcuts, forms and drawings are left out; `skippedOf` says so.
          if (exported === undefined && file.mimeType.startsWith("application/vnd.google-apps.")) return null
          const names = [...(yield* foldersOf(file)), `${file.name}${exported?.extension ?? ""}`]
          const path = libraryPath(names.map((name) => name.replaceAll("/", "-")).join("/"))
          return isLibraryFile(path) && isTaken(path) ? path : null
        })

      const named = (file: DriveFile) =>
        Effect.map(
          pathOf(file),
          (path): ReadonlyArray<ItemChange> =>
            path === null ? [] : [{ op: "upsert", externalId: file.id, version: versionAt(file, path), path }]
        )

      const listing = (token: string, changes: string) =>
        Effect.gen(function* () {
          const page = yield* api.files(token === "" ? null : token, pageSize)
          const files = page.files.filter(({ mimeType }) => mimeType !== folderType)
          const next = page.nextPageToken ?? null
          return {
            changes: (yield* Effect.forEach(files, named)).flat(),
            failures: [],
            skipped: files.flatMap(skippedOf),
            checkpoint: { changes, listing: next },
            isLast: next === null,
            total: null
          } satisfies ChangePage
        })

      const feed = (token: string) =>
        Effect.gen(function* () {
          const page = yield* api.changes(token, pageSize)
          const found: Array<ItemChange> = []
          const skipped: Array<ReturnType<typeof skippedOf>> = []
          for (const { changeType, file, fileId, removed } of page.changes) {
            if (changeType !== "file" || fileId == null) continue
            if (file?.mimeType === folderType)
              return yield* new CheckpointExpired({ message: "A folder has changed." })
            const isThere = !removed && file != null && !file.trashed
            const upserts = isThere ? yield* named(file) : []
            if (isThere) skipped.push(skippedOf(file))
            // A file whose new format or folder is left out is removed here too.
            found.push(...(upserts.length > 0 ? upserts : [{ op: "delete" as const, externalId: fileId }]))
          }
          const next = page.nextPageToken ?? null
          return {
            changes: found,
            failures: [],
            skipped: skipped.flat(),
            checkpoint: { changes: next ?? page.newStartPageToken ?? token, listing: null },
            isLast: next === null,
            total: null
          } satisfies ChangePage
        })

      const changes = (
        checkpoint: Checkpoint | null
      ): Effect.Effect<ChangePage, SourceFault | CheckpointExpired> =>
        Effect.gen(function* () {
          // The feed begins before the listing: what changes in between is named twice.
          if (checkpoint === null) return yield* listing("", yield* api.startToken)
          const position = yield* readCheckpoint(Position, checkpoint)
          return yield* position.listing === null
            ? feed(position.changes)
            : listing(position.listing, position.changes)
        })

      /** Readers by the id of their permission, which is the same for all files. Null for everybody. */
      const grantees = new Map<string, ReadonlyArray<string> | null>()
      const readersOf = (
        file: Pick<DriveFile, "id" | "permissionIds">
      ): Effect.Effect<ItemReaders, SourceFault> =>
        Effect.gen(function* () {
          if (wanted === "everybody") return null
          const ids = file.permissionIds ?? null
          if (ids === null || ids.some((id) => !grantees.has(id))) {
            const permissions = yield* api.permissions(file.id)
            if (permissions === null) return []
            for (const one of permissions) grantees.set(one.id, granteeOf(one, domain))
            if (ids === null) return joined(permissions.map((one) => granteeOf(one, domain)))
          }
          return joined(ids.flatMap((id) => (grantees.has(id) ? [grantees.get(id) ?? null] : [])))
        })

      /** The permissions of all files by id, listed once: one request for each thousand, and not for each file. */
      const all = yield* cachedSuccess(
        Effect.gen(function* () {
          const found = new Map<string, DriveFile["permissionIds"]>()
          let token: string | null = null
          do {
            const page: Effect.Effect.Success<ReturnType<typeof api.files>> = yield* api.files(
              token,
              pageSize
            )
            for (const { id, permissionIds } of page.files) found.set(id, permissionIds)
            token = page.nextPageToken ?? null
          } while (token !== null && found.size < filesMax)
          return found
        }).pipe(Effect.catchTag("CheckpointExpired", ({ message }) => new SourceUnreachable({ message })))
      )

      return {
        traits: { changes: "feed", deletions: "changes" } as const,
        check: Effect.asVoid(api.startToken),
        changes,
        listIds: (position) =>
          Effect.gen(function* () {
            const { token } = position === null ? { token: "" } : yield* readCheckpoint(IdPosition, position)
            const page = yield* listing(token, "")
            const next = page.checkpoint.listing
            return {
              ids: page.changes.map(({ externalId }) => externalId),
              failures: [],
              next: next === null ? null : { token: next }
            }
          }),
        readers: (externalIds) =>
          wanted === "everybody"
            ? Effect.succeed(readersBy(() => null)(externalIds))
            : Effect.gen(function* () {
                const files = yield* all
                const found = new Map<string, ItemReaders>()
                for (const id of externalIds) {
                  const permissionIds = files.get(id)
                  if (permissionIds !== undefined) found.set(id, yield* readersOf({ id, permissionIds }))
                }
                return found
              }),
        fetch: (externalId) =>
          Effect.gen(function* () {
            const file = yield* api.file(externalId)
            const path = file === null || file.trashed ? null : yield* pathOf(file)
            if (file === null || path === null) return yield* new ItemGone({ externalId })
            const exported = exports.get(file.mimeType)
            const at = `${api.base}/files/${encodeURIComponent(externalId)}`
            const url =
              exported === undefined
                ? `${at}?alt=media&supportsAllDrives=true`
                : `${at}/export?${new URLSearchParams({ mimeType: exported.type })}`
            const response = yield* api.http.send({ url, maxBytes: itemMaxBytes, mayBeForbidden: true })
            if (response.status === 403)
              return yield* new ItemUnreadable({
                externalId,
                message:
                  exported === undefined
                    ? "Google Drive does not let the account download the file."
                    : "Google Drive does not export the file: it is larger than 10 MB, or copies are not allowed.",
                isPermanent: true
              })
            const { bytes } = yield* itemResponse(externalId, response)
            return {
              externalId,
              version: versionAt(file, path),
              path,
              title: exported === undefined ? null : file.name,
              url: file.webViewLink ?? null,
              author: file.lastModifyingUser?.displayName ?? file.owners?.[0]?.displayName ?? null,
              createdAt: isoMoment(file.createdTime),
              modifiedAt: isoMoment(file.modifiedTime),
              labels: [],
              body: { bytes, mediaType: exported?.type ?? file.mimeType },
              attachments: [],
              warnings: [],
              readers: yield* readersOf(file)
            } satisfies FetchedItem
          })
      }
    })
  )

/** Files of Google without an export as text, and what a warning calls them. */
const withoutText = new Map([
  ["application/vnd.google-apps.shortcut", "shortcut"],
  ["application/vnd.google-apps.form", "form"],
  ["application/vnd.google-apps.drawing", "drawing"]
])
const skippedOf = ({ id, mimeType, name }: DriveFile) => {
  const what = withoutText.get(mimeType)
  return what === undefined
    ? []
    : [
        {
          externalId: id,
          message: `The ${what} "${name.slice(0, 200)}" is left out: Kanon reads documents, sheets, slides and files.`
        }
      ]
}

/** The version of a file changes with its content and its path. */
const versionAt = (file: DriveFile, path: string): string =>
  versionOf(file.md5Checksum ?? file.modifiedTime ?? "", path)

/**
 * Returns whom a permission names; null for everybody. A file is for everybody when all people, or all people of the
 * given domain, can find it by a search. A file that can only be opened by its link is for the people it names.
 */
const granteeOf = (
  { allowFileDiscovery, deleted, domain, emailAddress, type, view }: Permission,
  own: string | undefined
): ReadonlyArray<string> | null => {
  if (deleted === true || view != null) return []
  if (type === "user") return personReader(emailAddress)
  if (type === "group") return groupReader(emailAddress?.toLowerCase())
  const isFound = allowFileDiscovery === true
  if (type === "anyone") return isFound ? null : []
  return type === "domain" && isFound && own !== undefined && domain?.toLowerCase() === own.toLowerCase()
    ? null
    : []
}

const joined = (lists: ReadonlyArray<ReadonlyArray<string> | null>): ItemReaders =>
  lists.includes(null) ? null : [...new Set(lists.flatMap((list) => list ?? []))]
