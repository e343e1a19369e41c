import { readFile, stat } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import { z } from "zod"
import {
  type Checkpoint,
  type Crawler,
  type CrawlTarget,
  type ProviderConfig,
  type SourceFault,
  SourceRejected
} from "../../../core/connected/sources/index.js"
import type { ExportFile } from "../archive.js"
import { cachedSuccess } from "../cached.js"
import { idsOf, readCheckpoint } from "../checkpoints.js"
import { credentialHeaders, sourceHttp } from "../http.js"
import { allowedFolder, type CrawlerOptions, providerOf } from "../options.js"
import { listedDays } from "./conversation.js"

type Target = CrawlTarget<ProviderConfig<"slack_export" | "mattermost_export">>

const archiveMaxBytes = 256 * 1024 * 1024

/** Crawls the zip that Slack exports. */
export const slackExport = (options: CrawlerOptions) =>
  providerOf("slack_export", (target) => exportCrawler(options, target))

/** Crawls the bulk export of Mattermost. */
export const mattermostExport = (options: CrawlerOptions) =>
  providerOf("mattermost_export", (target) => exportCrawler(options, target))

/** A crawler of an exported chat: the archive is read as a whole, and lists a document for each channel and day. */
const exportCrawler = (options: CrawlerOptions, target: Target): Effect.Effect<Crawler, SourceRejected> =>
  Effect.gen(function* () {
    const { channels, directMessages = false, readers, since } = target.config
    const pageSize = options.pageSize ?? 500
    const files = yield* archiveFiles(options, target)
    const days = yield* cachedSuccess(
      Effect.flatMap(files, (given) =>
        options.tasks
          .run("chatExport", {
            program: target.config.provider,
            files: given,
            channels: channels ?? null,
            directMessages,
            since: since ?? null,
            isForEverybody: readers === "everybody"
          })
          .pipe(
            Effect.map(listedDays),
            Effect.mapError(
              ({ code, message }) =>
                new SourceRejected({
                  message:
                    code === "conversion_failed"
                      ? "The archive is not an export of this kind."
                      : `The archive cannot be read: ${message}`
                })
            )
          )
      )
    )
    const changes = (checkpoint: Checkpoint | null) =>
      Effect.gen(function* () {
        const { after } = checkpoint === null ? { after: 0 } : yield* readCheckpoint(Position, checkpoint)
        const all = (yield* days).changes
        const isLast = after + pageSize >= all.length
        return {
          changes: all.slice(after, after + pageSize),
          failures: [],
          checkpoint: { after: isLast ? 0 : after + pageSize },
          isLast,
          total: all.length
        }
      })
    return {
      traits: { changes: "listing", deletions: "ids" },
      check: Effect.asVoid(days),
      changes,
      listIds: (position) => Effect.map(changes(position), idsOf),
      readers: (ids) => Effect.map(days, ({ readers: readersOf }) => readersOf(ids)),
      fetch: (externalId) => Effect.flatMap(days, ({ fetch }) => fetch(externalId))
    }
  })

const Position = z.object({ after: z.int().min(0) })

/** The files of the export: uploaded, or those of the archive at the address. */
const archiveFiles = (
  options: CrawlerOptions,
  { config, credential, upload }: Target
): Effect.Effect<Effect.Effect<ReadonlyArray<ExportFile>, SourceFault>, SourceRejected> =>
  Effect.gen(function* () {
    if (upload !== null) {
      return Effect.succeed(
        upload.files.flatMap(({ bytes, path }) => (bytes === null ? [] : [{ path, bytes }]))
      )
    }
    if (config.url.startsWith("file:")) {
      const file = Effect.flatMap(allowedFolder(options, fileURLToPath(config.url)), (path) =>
        Effect.tryPromise({
          try: async () => {
            if ((await stat(path)).size > archiveMaxBytes) throw new Error("too large")
            return new Uint8Array(await readFile(path))
          },
          catch: () => new SourceRejected({ message: "The archive cannot be read, or is too large." })
        })
      )
      return Effect.map(file, zipped)
    }
    const http = yield* sourceHttp(options, {
      url: config.url,
      requestsPerSecond: config.requestsPerSecond,
      secretHeaders: credentialHeaders(config.username, credential)
    })
    return Effect.flatMap(
      http.send({ url: config.url, maxBytes: archiveMaxBytes }),
      ({ bytes, ok, status }) =>
        ok
          ? Effect.succeed(zipped(bytes))
          : Effect.fail(new SourceRejected({ message: `The archive cannot be fetched (status ${status}).` }))
    )
  })

const zipped = (bytes: Uint8Array): ReadonlyArray<ExportFile> => [{ path: "export.zip", bytes }]
