import * as Effect from "effect/Effect"
import { z } from "zod"
import {
  type ChangePage,
  type Checkpoint,
  type Crawler,
  type FetchedItem,
  type ItemBody,
  type ItemFault,
  ItemGone,
  ItemUnreadable,
  SourceRejected,
  type Upload
} from "../../../core/connected/sources/index.js"
import { cachedSuccess } from "../cached.js"
import { idsOf, readCheckpoint } from "../checkpoints.js"
import { markdownOf } from "../html.js"
import { libraryPath, versionOf } from "../item-path.js"
import { type CrawlerOptions, providerOf } from "../options.js"
import type { UploadItem } from "./items.js"

/** Files that are uploaded: in the call, or as a zip. */
export const markdownUpload = (options: CrawlerOptions) =>
  providerOf("markdown_upload", ({ upload }) =>
    upload === null
      ? Effect.fail(new SourceRejected({ message: "A sync of an upload needs files." }))
      : Effect.succeed(uploadCrawler(options, upload))
  )

const uploadCrawler = (options: CrawlerOptions, { files, isComplete }: Upload): Crawler => {
  const read = Effect.runSync(cachedSuccess(itemsOf(options, files)))
  const changes = (checkpoint: Checkpoint | null) =>
    Effect.gen(function* () {
      const { after } = checkpoint === null ? { after: 0 } : yield* readCheckpoint(Position, checkpoint)
      const items = [...(yield* read).values()]
      const removed = isComplete
        ? []
        : files.filter(({ bytes }) => bytes === null).map(({ path }) => libraryPath(path))
      const all: ChangePage["changes"] = [
        ...removed.map((externalId) => ({ op: "delete" as const, externalId })),
        ...items.map((item) => ({
          op: "upsert" as const,
          externalId: item.path,
          version: item.version,
          path: "refusal" in item ? null : item.path
        }))
      ]
      const end = after + (options.pageSize ?? 500)
      const isLast = end >= all.length
      return {
        changes: all.slice(after, end),
        failures: [],
        checkpoint: { after: isLast ? 0 : end },
        isLast,
        total: all.length
      }
    })
  return {
    traits: { changes: isComplete ? "listing" : "feed", deletions: "changes" },
    check: Effect.asVoid(read),
    changes,
    listIds: (position) => Effect.map(changes(position), idsOf),
    fetch: (externalId) =>
      Effect.gen(function* () {
        const item = (yield* read).get(externalId)
        if (item === undefined) return yield* new ItemGone({ externalId })
        if ("refusal" in item)
          return yield* new ItemUnreadable({ externalId, message: item.refusal, isPermanent: true })
        return yield* fetched(options, item)
      })
  }
}

const Position = z.object({ after: z.int().min(0) })

/** The documents of an upload by path. */
const itemsOf = ({ tasks }: CrawlerOptions, files: Upload["files"]) =>
  tasks.run("upload", files).pipe(
    Effect.catchAll((failure) =>
      files.length === 1
        ? Effect.fail(new SourceRejected({ message: `The upload cannot be read: ${failure.message}` }))
        : readAlone(tasks, files)
    ),
    Effect.map((items): ReadonlyMap<string, UploadItem> => new Map(items.map((item) => [item.path, item])))
  )

/** Reads each file of an upload alone, so that one which cannot be read does not stop the others. */
const readAlone = (tasks: CrawlerOptions["tasks"], files: Upload["files"]) =>
  Effect.map(
    Effect.forEach(files, (file) =>
      Effect.catchAll(tasks.run("upload", [file]), ({ message }) =>
        Effect.succeed<ReadonlyArray<UploadItem>>([
          { path: file.path, version: versionOf(file.path), refusal: `The file cannot be read: ${message}` }
        ])
      )
    ),
    (items) => items.flat()
  )

const fetched = ({ converter }: CrawlerOptions, item: Exclude<UploadItem, { readonly refusal: string }>) => {
  const { bytes, mediaType = null, path, version, warnings } = item
  const isText = /\.md$/i.test(path)
  const body: Effect.Effect<ItemBody, ItemFault> =
    isText && mediaType === "text/html"
      ? Effect.map(markdownOf(converter, path, new TextDecoder().decode(bytes)), (markdown) => ({ markdown }))
      : Effect.succeed({ bytes, mediaType: isText ? "text/markdown" : mediaType })
  return Effect.map(
    body,
    (content): FetchedItem => ({
      externalId: path,
      version,
      path,
      title: item.title ?? null,
      url: item.url ?? null,
      author: item.author ?? null,
      createdAt: item.createdAt ?? null,
      modifiedAt: item.modifiedAt ?? null,
      labels: item.labels ?? [],
      body: content,
      attachments: [],
      warnings
    })
  )
}
