import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { Redacted } from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { z } from "zod"

/** Kinds of content that a connector reads, as the service contract names them. */
export const sourceKinds = ["wiki", "document_library", "chat", "markdown_upload"] as const
/** Kind of content that a connector reads. */
export type SourceKind = (typeof sourceKinds)[number]

/** JSON that only the crawler understands: where a crawl continues. At most 64 KiB as text. */
export type Checkpoint = Readonly<Record<string, unknown>>

/** One change at the source, as a listing tells it. The same item may be named several times, in any order. */
export type ItemChange =
  | {
      /** The item exists. It is fetched unless its version is the one that was stored last. */
      readonly op: "upsert"
      readonly externalId: string
      /** ETag, revision or commit; null where the source tells none before the item is fetched. */
      readonly version: string | null
      /** The path that `fetch` will give; null where only `fetch` can tell. */
      readonly path: string | null
    }
  | {
      /** The item has another id than before; its history continues. Then like `upsert`. */
      readonly op: "move"
      readonly previousId: string
      readonly externalId: string
      readonly version: string | null
      readonly path: string | null
    }
  | { readonly op: "delete"; readonly externalId: string }

/** Something that could not be listed, and what lies below it. A listing with failures is incomplete. */
export interface ListingFailure {
  /** The item or folder; null where it has no id. */
  readonly externalId: string | null
  readonly message: string
}

/** A part of a crawl. */
export interface ChangePage {
  readonly changes: ReadonlyArray<ItemChange>
  readonly failures: ReadonlyArray<ListingFailure>
  /** Items that can never become a document, and why, described for people. The listing is complete without them. */
  readonly skipped?: ReadonlyArray<{ readonly externalId: string; readonly message: string }>
  /**
   * Position to continue from: the same crawl after a page that is not the last, the next crawl after the last page. It
   * stays valid when the process ends, and continuing from it repeatedly is safe.
   */
  readonly checkpoint: Checkpoint
  readonly isLast: boolean
  /** How many items the whole crawl will name, where the source tells; an estimate. */
  readonly total: number | null
}

/** A part of a listing of ids. */
export interface IdPage {
  readonly ids: ReadonlyArray<string>
  readonly failures: ReadonlyArray<ListingFailure>
  /** Position to continue from; null after the last page. */
  readonly next: Checkpoint | null
}

/** The content of an item: Markdown, or a file that is converted by the format of its path or media type. */
export type ItemBody =
  | { readonly markdown: string }
  | { readonly bytes: Uint8Array; readonly mediaType: string | null }

/**
 * Who may read an item at the source: null for everybody who sees the source, else `email:ADDRESS` for a person,
 * `group:NAME` for a group, or a principal of the workspace. Whom the source names in no such way is left out: nobody
 * else reads the item.
 */
export type ItemReaders = ReadonlyArray<string> | null

/** A file that belongs to an item. */
export interface ItemAttachment {
  /** A file name that is a segment of a path, unique within the item. */
  readonly name: string
  readonly body: ItemBody
  readonly url: string | null
}

/** An item as it was fetched. */
export interface FetchedItem {
  readonly externalId: string
  readonly version: string | null
  /** Relative path in the form of a document path, with the extension of the format: `Handbook/Onboarding.md`. */
  readonly path: string
  readonly title: string | null
  /** Address of the original for a browser; null when there is none. */
  readonly url: string | null
  readonly author: string | null
  /** ISO 8601 in UTC. */
  readonly createdAt: string | null
  readonly modifiedAt: string | null
  /** Labels or tags at the source. */
  readonly labels: ReadonlyArray<string>
  readonly body: ItemBody
  readonly attachments: ReadonlyArray<ItemAttachment>
  /** Parts that were left out, described for people. */
  readonly warnings: ReadonlyArray<string>
  /** Absent where the source has no rights of its own for an item. Attachments have the readers of their item. */
  readonly readers?: ItemReaders
}

/** The source cannot be reached, or failed itself. A retry may succeed. */
export class SourceUnreachable extends Data.TaggedError("SourceUnreachable")<{ readonly message: string }> {}
/** The source refuses the credential, or the credential may not read what is configured. */
export class SourceUnauthorized extends Data.TaggedError("SourceUnauthorized")<{
  readonly message: string
}> {}
/** The source asks for a pause that is longer than the crawler itself waits. */
export class SourceRateLimited extends Data.TaggedError("SourceRateLimited")<{
  readonly message: string
  readonly retryAfterMs: number
}> {}
/** The configuration names nothing that can be crawled, or an address that this host does not allow. */
export class SourceRejected extends Data.TaggedError("SourceRejected")<{ readonly message: string }> {}
/** The source no longer knows the changes since the checkpoint, or cannot read it: crawl from the start. */
export class CheckpointExpired extends Data.TaggedError("CheckpointExpired")<{ readonly message: string }> {}

/** A fault that ends a crawl. No message holds a credential. */
export type SourceFault = SourceUnreachable | SourceUnauthorized | SourceRateLimited | SourceRejected

/** The item does not exist any more. */
export class ItemGone extends Data.TaggedError("ItemGone")<{ readonly externalId: string }> {}
/** The item cannot be read; others can. Repeating it is useless where `isPermanent`, until its version changes. */
export class ItemUnreadable extends Data.TaggedError("ItemUnreadable")<{
  readonly externalId: string
  readonly message: string
  readonly isPermanent: boolean
}> {}

/** A fault of one item; others can still be read. */
export type ItemFault = ItemGone | ItemUnreadable

/** Traits of a crawler's listings. */
export interface CrawlerTraits {
  /** `feed`: a crawl that continues names what changed since; `listing`: every crawl names all items. */
  readonly changes: "feed" | "listing"
  /**
   * `changes`: a crawl that continues reports what was deleted; `ids`: what `listIds` no longer names was deleted. A
   * crawl from the start names all items in either case. `never`: the source forgets items, and tells of no deletion.
   */
  readonly deletions: "changes" | "ids" | "never"
  /** Whether items get other ids, which only a crawl that continues reports; false by default. */
  readonly moves?: boolean
}

/**
 * An open connection to a source. Methods wait as the source asks, repeat requests that failed, and are safe to call
 * concurrently and to interrupt. They keep no state that a restart would lose.
 */
export interface Crawler {
  readonly traits: CrawlerTraits
  /** Asks the source whether it can be crawled with this configuration and credential. */
  readonly check: Effect.Effect<void, SourceFault>
  /**
   * The next part of a crawl: from the start without a checkpoint, else from there. An item that changes while it is
   * listed is named in this crawl or in the next one. Clocks of the source need not agree with ours.
   */
  readonly changes: (
    checkpoint: Checkpoint | null
  ) => Effect.Effect<ChangePage, SourceFault | CheckpointExpired>
  /** The next part of all ids, as cheaply as the source allows. */
  readonly listIds: (position: Checkpoint | null) => Effect.Effect<IdPage, SourceFault | CheckpointExpired>
  /** An item as it is now. */
  readonly fetch: (externalId: string) => Effect.Effect<FetchedItem, SourceFault | ItemFault>
  /**
   * Who may read these items now, of 100 at most; those that the source does not know are left out. A sync that begins
   * asks it for all items that have a document, since rights change without a new version. Absent where `fetch` gives
   * no readers, or where they change with the version alone.
   */
  readonly readers?: (
    externalIds: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyMap<string, ItemReaders>, SourceFault>
}

/** A file of an upload. */
export interface UploadedFile {
  readonly path: string
  /** Null deletes the file. */
  readonly bytes: Uint8Array | null
  readonly url: string | null
  readonly author: string | null
  /** ISO 8601 in UTC. */
  readonly modifiedAt: string | null
}

/** The files that a sync run of an upload was given. */
export interface Upload {
  readonly files: ReadonlyArray<UploadedFile>
  /** Whether these are all files there are, so that others were deleted. */
  readonly isComplete: boolean
}

/** Arguments for opening a crawler. */
export interface CrawlTarget<Config = unknown> {
  /** Identifies workspace and connector, for caches of the adapter. */
  readonly key: string
  readonly config: Config
  readonly credential: Redacted<string> | null
  /**
   * Stores the credential that the source gave in place of the one above, such as a refresh token that is used once.
   * Absent where nothing is stored, as when a configuration is checked.
   */
  readonly keepCredential?: (credential: Redacted<string>) => Effect.Effect<void, SourceRejected>
  /** Only for sources that are uploaded. */
  readonly upload: Upload | null
}

/** A provider of content: how it is configured, and how a crawler of it is opened. */
export interface CrawlerProvider {
  /** The value of `config.provider`: `mediawiki`. */
  readonly provider: string
  readonly kind: SourceKind
  /** Parses a configuration, including `provider`. */
  readonly config: z.ZodType
  readonly credential: CredentialNeed
  /**
   * Opens no connection before the first call of a method; resources are released with the scope. Rejected: a
   * configuration that the schema refuses, a credential that is missing, an address that the host does not allow.
   */
  readonly open: (target: CrawlTarget) => Effect.Effect<Crawler, SourceRejected, Scope.Scope>
}

/** Whether a provider needs a credential. */
export type CredentialNeed = "required" | "optional" | "none"

/** A provider whose `open` takes the parsed configuration. */
export const crawlerProvider = <Config>(
  definition: Omit<CrawlerProvider, "config" | "open"> & {
    readonly config: z.ZodType<Config>
    readonly open: (target: CrawlTarget<Config>) => Effect.Effect<Crawler, SourceRejected, Scope.Scope>
  }
): CrawlerProvider => ({
  ...definition,
  open: (target) => {
    const parsed = definition.config.safeParse(target.config)
    if (!parsed.success)
      return Effect.fail(
        new SourceRejected({ message: `The configuration is not valid: ${z.prettifyError(parsed.error)}` })
      )
    if (definition.credential === "required" && target.credential === null)
      return Effect.fail(new SourceRejected({ message: "The connector has no credential, and needs one." }))
    return definition.open({ ...target, config: parsed.data })
  }
})

/** The providers that this host can crawl, by name. Default: none. */
export class Crawlers extends Context.Reference<Crawlers>()("kanon/Crawlers", {
  defaultValue: (): ReadonlyMap<string, CrawlerProvider> => new Map()
}) {}
