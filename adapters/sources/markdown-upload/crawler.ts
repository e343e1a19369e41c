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
  SourceRejected,
  type Upload
} from "../../../core/sources/index.js"
import { type ExportFile, unpackArchive } from "../archive.js"
import { cachedSuccess } from "../cached.js"
import { idsOf, readCheckpoint } from "../checkpoints.js"
import { markdownOf } from "../html.js"
import { isLibraryFile, versionOf } from "../item-path.js"
import { type CrawlerOptions, providerOf } from "../options.js"
import type { CleanFile } from "./clean-file.js"
import { cleanConfluence, isConfluenceExport } from "./confluence-export.js"
import { cleanNotion, isNotionExport } from "./notion-export.js"
import { cleanObsidian, isObsidianVault } from "./obsidian-vault.js"

/** Files that are uploaded: in the call, or as a zip. */
export const markdownUpload = (options: CrawlerOptions) =>
  providerOf("markdown_upload", ({ upload }) =>
    upload === null
      ? Effect.fail(new SourceRejected({ message: "A sync of an upload needs files." }))
      : Effect.succeed(uploadCrawler(options, upload))
  )

interface Item extends CleanFile {
  readonly version: string
}

const uploadCrawler = (options: CrawlerOptions, { files, isComplete }: Upload): Crawler => {
  const read = Effect.runSync(cachedSuccess(readItems(files)))
  const changes = (checkpoint: Checkpoint | null) =>
    Effect.gen(function* () {
      const { after } = checkpoint === null ? { after: 0 } : yield* readCheckpoint(Position, checkpoint)
      const items = [...(yield* read).values()]
      const removed = isComplete ? [] : files.filter(({ bytes }) => bytes === null).map(({ path }) => path)
      const all: ChangePage["changes"] = [
        ...removed.map((externalId) => ({ op: "delete" as const, externalId })),
        ...items.map(({ path, version }) => ({ op: "upsert" as const, externalId: path, version, path }))
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
        return item === undefined ? yield* new ItemGone({ externalId }) : yield* fetched(options, item)
      })
  }
}

const Position = z.object({ after: z.int().min(0) })

/** The documents of an upload by path. */
const readItems = (files: Upload["files"]) =>
  Effect.tryPromise({
    try: async (): Promise<ReadonlyMap<string, Item>> => {
      const given: Array<ExportFile> = []
      for (const { bytes, path } of files) {
        if (bytes === null) continue
        if (/\.zip$/i.test(path)) given.push(...(await unpackArchive(bytes)))
        else given.push({ path, bytes })
      }
      const told = new Map(files.map((file) => [file.path, file]))
      const clean = (await cleanExport(given)).filter(({ path }) => isLibraryFile(path))
      return new Map(
        clean.map((file) => {
          const {
            author = file.author,
            modifiedAt = file.modifiedAt,
            url = file.url
          } = told.get(file.path) ?? {}
          const origin = {
            url: url ?? file.url ?? null,
            author: author ?? null,
            modifiedAt: modifiedAt ?? null
          }
          const version = versionOf(file.bytes, JSON.stringify(origin))
          return [file.path, { ...file, ...origin, version }]
        })
      )
    },
    catch: (error) =>
      new SourceRejected({
        message: `The upload cannot be read: ${error instanceof Error ? error.message : "unknown reason"}`
      })
  })

const fetched = ({ converter }: CrawlerOptions, item: Item) => {
  const { bytes, mediaType = null, path, version } = item
  const isText = /\.md$/i.test(path)
  const body: Effect.Effect<ItemBody, ItemFault> =
    isText && mediaType === "text/html"
      ? Effect.map(markdownOf(converter, path, new TextDecoder().decode(bytes)), (markdown) => ({ markdown }))
      : Effect.succeed(isText ? { markdown: new TextDecoder().decode(bytes) } : { bytes, mediaType })
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
      warnings: []
    })
  )
}

/** Programs whose exports are recognised. */
type ExportKind = "notion" | "obsidian" | "confluence" | "plain"

/** Tells which program made an export. */
const exportKind = (files: ReadonlyArray<ExportFile>): ExportKind =>
  isObsidianVault(files)
    ? "obsidian"
    : isNotionExport(files)
      ? "notion"
      : isConfluenceExport(files)
        ? "confluence"
        : "plain"

const cleaners: {
  readonly [Kind in ExportKind]: (
    files: ReadonlyArray<ExportFile>
  ) => ReadonlyArray<CleanFile> | Promise<ReadonlyArray<CleanFile>>
} = {
  notion: cleanNotion,
  obsidian: cleanObsidian,
  confluence: cleanConfluence,
  plain: (files) => files
}

/**
 * Removes from an export what only its program understands: Notion's ids in names and links, Obsidian's comments and
 * settings, Confluence's navigation. Cleaning twice changes nothing.
 */
const cleanExport = async (files: ReadonlyArray<ExportFile>): Promise<ReadonlyArray<CleanFile>> =>
  cleaners[exportKind(files)](files)
