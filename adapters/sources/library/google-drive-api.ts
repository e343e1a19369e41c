/** The interface of Google Drive, version 3, as far as the crawler asks it. */
import * as Effect from "effect/Effect"
import { z } from "zod"
import {
  CheckpointExpired,
  type CrawlTarget,
  type ProviderConfig,
  type SourceFault,
  SourceRejected
} from "../../../core/connected/sources/index.js"
import type { AddressRules } from "../../host/addresses.js"
import { jsonOf, type SourceHttp } from "../http.js"
import { oauthHttp } from "../oauth.js"

const Permission = z.object({
  id: z.string(),
  type: z.string(),
  emailAddress: z.string().nullish(),
  domain: z.string().nullish(),
  allowFileDiscovery: z.boolean().nullish(),
  deleted: z.boolean().nullish(),
  view: z.string().nullish()
})
export type Permission = z.infer<typeof Permission>

const DriveFile = z.object({
  id: z.string(),
  name: z.string(),
  mimeType: z.string(),
  trashed: z.boolean().catch(false),
  parents: z.array(z.string()).optional(),
  driveId: z.string().nullish(),
  md5Checksum: z.string().nullish(),
  modifiedTime: z.string().nullish(),
  createdTime: z.string().nullish(),
  size: z.coerce.number().nullish(),
  webViewLink: z.string().nullish(),
  owners: z.array(z.object({ displayName: z.string().nullish() })).nullish(),
  lastModifyingUser: z.object({ displayName: z.string().nullish() }).nullish(),
  permissionIds: z.array(z.string()).nullish()
})
export type DriveFile = z.infer<typeof DriveFile>

const FilePage = z.object({ files: z.array(DriveFile), nextPageToken: z.string().nullish() })
const ChangePage = z.object({
  changes: z.array(
    z.object({
      fileId: z.string().nullish(),
      removed: z.boolean().catch(false),
      changeType: z.string().catch("file"),
      file: DriveFile.nullish()
    })
  ),
  nextPageToken: z.string().nullish(),
  newStartPageToken: z.string().nullish()
})
export type DriveChanges = z.infer<typeof ChangePage>
const StartToken = z.object({ startPageToken: z.string() })
const PermissionPage = z.object({ permissions: z.array(Permission), nextPageToken: z.string().nullish() })

const fileFields =
  "id,name,mimeType,trashed,parents,driveId,md5Checksum,modifiedTime,createdTime,size,webViewLink,owners(displayName),lastModifyingUser(displayName),permissionIds"

/** The type of a folder. */
export const folderType = "application/vnd.google-apps.folder"

export interface DriveApi {
  readonly http: SourceHttp
  readonly base: string
  readonly startToken: Effect.Effect<string, SourceFault>
  readonly files: (
    token: string | null,
    size: number
  ) => Effect.Effect<z.infer<typeof FilePage>, SourceFault | CheckpointExpired>
  readonly changes: (
    token: string,
    size: number
  ) => Effect.Effect<DriveChanges, SourceFault | CheckpointExpired>
  /** A file or folder; null where there is none, or none that the account sees. */
  readonly file: (id: string) => Effect.Effect<DriveFile | null, SourceFault>
  /** Who has a right to a file; null where the account may not see that. */
  readonly permissions: (id: string) => Effect.Effect<ReadonlyArray<Permission> | null, SourceFault>
}

export const driveApi = (
  rules: AddressRules,
  target: CrawlTarget<ProviderConfig<"google_drive">>
): Effect.Effect<DriveApi, SourceRejected> =>
  Effect.gen(function* () {
    const { drive, requestsPerSecond, tokenUrl, url = "https://www.googleapis.com", username } = target.config
    const base = `${url.replace(/\/$/, "")}/drive/v3`
    const http = yield* oauthHttp(
      rules,
      target,
      { url: base, requestsPerSecond },
      {
        tokenUrl: tokenUrl ?? "https://oauth2.googleapis.com/token",
        scope: "https://www.googleapis.com/auth/drive.readonly",
        subject: username
      }
    )
    const all = { supportsAllDrives: "true", includeItemsFromAllDrives: "true" }
    const within = drive === undefined ? {} : { driveId: drive }
    /** Sends a GET and parses the answer; null when Drive refuses it or no longer knows the file or the token. */
    const get = <Value>(path: string, query: Readonly<Record<string, string>>, schema: z.ZodType<Value>) =>
      Effect.gen(function* () {
        const request = { url: `${base}/${path}?${new URLSearchParams(query)}`, mayBeForbidden: true }
        const response = yield* http.send(request)
        if ([400, 403, 404, 410].includes(response.status)) return null
        const parsed = response.ok ? schema.safeParse(yield* jsonOf(response, request)) : undefined
        return parsed?.success === true
          ? parsed.data
          : yield* new SourceRejected({
              message: `Google Drive does not answer as its interface does (status ${response.status}).`
            })
      })
    const refused = new SourceRejected({
      message:
        "Google Drive refuses the listing: the account may not read the drive, or there is none of this id."
    })
    const listed = <Value>(work: Effect.Effect<Value | null, SourceFault>, token: string | null) =>
      Effect.flatMap(work, (found): Effect.Effect<Value, SourceRejected | CheckpointExpired> => {
        if (found !== null) return Effect.succeed(found)
        return token === null
          ? Effect.fail(refused)
          : Effect.fail(
              new CheckpointExpired({
                message: "Google Drive does not know the place of the crawl any more."
              })
            )
      })
    return {
      http,
      base,
      startToken: get("changes/startPageToken", { ...within, supportsAllDrives: "true" }, StartToken).pipe(
        Effect.flatMap((found) =>
          found === null ? Effect.fail(refused) : Effect.succeed(found.startPageToken)
        )
      ),
      files: (token, size) =>
        listed(
          get(
            "files",
            {
              ...all,
              ...within,
              corpora: drive === undefined ? "allDrives" : "drive",
              q: "trashed = false",
              orderBy: "createdTime",
              pageSize: String(size),
              fields: `nextPageToken,files(${fileFields})`,
              ...(token === null ? {} : { pageToken: token })
            },
            FilePage
          ),
          token
        ),
      changes: (token, size) =>
        listed(
          get(
            "changes",
            {
              ...all,
              ...within,
              includeRemoved: "true",
              pageToken: token,
              pageSize: String(size),
              fields: `nextPageToken,newStartPageToken,changes(fileId,removed,changeType,file(${fileFields}))`
            },
            ChangePage
          ),
          token
        ),
      file: (id) =>
        get(`files/${encodeURIComponent(id)}`, { supportsAllDrives: "true", fields: fileFields }, DriveFile),
      permissions: (id) =>
        Effect.gen(function* () {
          const found: Array<Permission> = []
          let token: string | null = null
          do {
            const page: z.infer<typeof PermissionPage> | null = yield* get(
              `files/${encodeURIComponent(id)}/permissions`,
              {
                supportsAllDrives: "true",
                pageSize: "100",
                fields:
                  "nextPageToken,permissions(id,type,emailAddress,domain,allowFileDiscovery,deleted,view)",
                ...(token === null ? {} : { pageToken: token })
              },
              PermissionPage
            )
            if (page === null) return null
            found.push(...page.permissions)
            token = page.nextPageToken ?? null
          } while (token !== null && found.length < 10_000)
          return found
        })
    }
  })
