import * as Effect from "effect/Effect"
import { z } from "zod"
import {
  type Crawler,
  type CrawlerProvider,
  crawlerProvider,
  type ItemChange,
  ItemGone,
  type ItemReaders,
  ItemUnreadable,
  SourceUnreachable
} from "../../core/connected/sources/index.js"

/** An item of the model. */
export interface ModelItem {
  readonly path: string
  readonly text: string
  readonly revision: number
  readonly about: ModelMetadata
}

/** Metadata of an item beside its text. */
interface ModelMetadata {
  readonly modifiedAt?: string
  readonly warnings?: ReadonlyArray<string>
  readonly readers?: ItemReaders
}

interface LogEntry {
  readonly seq: number
  readonly change:
    | { readonly op: "upsert"; readonly externalId: string }
    | { readonly op: "move"; readonly previousId: string; readonly externalId: string }
    | { readonly op: "delete"; readonly externalId: string }
}

export type ModelTraits = Crawler["traits"]

const Position = z.object({ from: z.string().nullable(), seq: z.number() })

/**
 * A source in memory that behaves as badly as the port allows: pages in any order, with duplicates, of items that
 * change between pages, with requests that fail. `onRequest` is called before each request of a crawler.
 */
export class ModelSource {
  readonly items = new Map<string, ModelItem>()
  readonly log: Array<LogEntry> = []
  onRequest: (request: "changes" | "listIds" | "fetch", externalId?: string) => Effect.Effect<void> = () =>
    Effect.void
  /** Called between the pages of a listing. */
  onPage: () => void = () => {}
  /** Chance in [0, 1) for each decision of the source; 1 never fails. */
  random: () => number = () => 1
  /** Share of the requests that fail. */
  failures = 0
  /** Items that cannot be read for the time being, however often they are asked for. */
  locked: ReadonlySet<string> = new Set()
  fetched = 0
  private seq = 0
  private revision = 0

  constructor(
    readonly traits: ModelTraits,
    readonly pageSize = 3
  ) {}

  put(externalId: string, path: string, text: string, about: ModelMetadata = {}): void {
    this.revision += 1
    this.items.set(externalId, { path, text, revision: this.revision, about })
    this.tell({ op: "upsert", externalId })
  }

  /** Changes who may read an item; its version stays. */
  permit(externalId: string, readers: ItemReaders): void {
    const item = this.items.get(externalId)
    if (item !== undefined) this.items.set(externalId, { ...item, about: { ...item.about, readers } })
  }

  /** Gives an item another path; its id stays unless another one is given. */
  move(externalId: string, path: string, newId = externalId): void {
    const item = this.items.get(externalId)
    if (item === undefined) return
    this.revision += 1
    this.items.delete(externalId)
    this.items.set(newId, { ...item, path, revision: this.revision })
    this.tell(
      newId === externalId
        ? { op: "upsert", externalId }
        : { op: "move", previousId: externalId, externalId: newId }
    )
  }

  remove(externalId: string): void {
    if (this.items.delete(externalId)) this.tell({ op: "delete", externalId })
  }

  /** The texts that a workspace should hold, by path. */
  get texts(): ReadonlyMap<string, string> {
    return new Map([...this.items.values()].map(({ path, text }) => [path, text]))
  }

  private tell(change: LogEntry["change"]): void {
    this.seq += 1
    this.log.push({ seq: this.seq, change })
  }

  private version(externalId: string): string | null {
    const item = this.items.get(externalId)
    return item === undefined ? null : `r${item.revision}`
  }

  private request(name: "changes" | "listIds" | "fetch", externalId?: string) {
    return Effect.zipRight(
      Effect.suspend(() => this.onRequest(name, externalId)),
      Effect.suspend(() =>
        this.random() < this.failures
          ? Effect.fail(new SourceUnreachable({ message: "The model source does not answer." }))
          : Effect.void
      )
    )
  }

  /** In any order, some of them twice. */
  private shuffled(changes: ReadonlyArray<ItemChange>): ReadonlyArray<ItemChange> {
    const doubled = changes.flatMap((change) => (this.random() < 0.2 ? [change, change] : [change]))
    return doubled
      .map((change) => ({ change, at: this.random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ change }) => change)
  }

  private upsert(externalId: string): ItemChange {
    const item = this.items.get(externalId)
    // A listing may be older than the item.
    return { op: "upsert", externalId, version: this.version(externalId), path: item?.path ?? null }
  }

  private pageAfter(from: string | null): ReadonlyArray<string> {
    return [...this.items.keys()]
      .sort()
      .filter((id) => from === null || id > from)
      .slice(0, this.pageSize)
  }

  crawler(): Crawler {
    return {
      traits: this.traits,
      check: Effect.void,
      changes: (checkpoint) =>
        Effect.map(this.request("changes"), () => {
          const position = checkpoint === null ? null : Position.parse(checkpoint)
          const isListing = position === null || position.from !== null || this.traits.changes === "listing"
          const total = this.items.size
          if (isListing) {
            const from = position?.from === "" ? null : (position?.from ?? null)
            // Changes from here on are reported by the next crawl.
            const seq = position?.from == null ? this.seq : position.seq
            const ids = this.pageAfter(from)
            const isLast = ids.length < this.pageSize
            const changes = this.shuffled(ids.map((id) => this.upsert(id)))
            this.onPage()
            return {
              changes,
              failures: [],
              total,
              isLast,
              checkpoint: { from: isLast ? null : (ids.at(-1) ?? ""), seq }
            }
          }
          const entries = this.log.filter(({ seq }) => seq > position.seq).slice(0, this.pageSize)
          const isLast = entries.length < this.pageSize
          const told = entries.flatMap(({ change }): ReadonlyArray<ItemChange> => {
            if (change.op === "upsert") return [this.upsert(change.externalId)]
            if (change.op === "delete") return this.traits.deletions === "changes" ? [change] : []
            return [{ ...change, version: this.version(change.externalId), path: null }]
          })
          const changes = this.shuffled(told)
          this.onPage()
          return {
            changes,
            failures: [],
            total: null,
            isLast,
            checkpoint: { from: null, seq: entries.at(-1)?.seq ?? position.seq }
          }
        }),
      listIds: (position) =>
        Effect.map(this.request("listIds"), () => {
          const from = position === null ? null : Position.parse(position).from
          const ids = this.pageAfter(from)
          this.onPage()
          return {
            ids,
            failures: [],
            next: ids.length < this.pageSize ? null : { from: ids.at(-1) ?? null, seq: 0 }
          }
        }),
      fetch: (externalId) =>
        Effect.flatMap(this.request("fetch", externalId), (): ReturnType<Crawler["fetch"]> => {
          this.fetched += 1
          const item = this.items.get(externalId)
          if (item === undefined) return Effect.fail(new ItemGone({ externalId }))
          if (this.locked.has(externalId) || this.random() < this.failures)
            return Effect.fail(
              new ItemUnreadable({ externalId, message: "It cannot be read now.", isPermanent: false })
            )
          return Effect.succeed({
            externalId,
            version: `r${item.revision}`,
            path: item.path,
            title: null,
            url: `https://source.example/${encodeURIComponent(externalId)}`,
            author: "Ada",
            createdAt: null,
            // The clock of the source is years behind.
            modifiedAt: item.about.modifiedAt ?? "2001-02-03T04:05:06.000Z",
            labels: [],
            body: item.path.endsWith(".md")
              ? { markdown: item.text }
              : { bytes: new TextEncoder().encode(item.text), mediaType: null },
            attachments: [],
            warnings: item.about.warnings ?? [],
            ...(item.about.readers === undefined ? {} : { readers: item.about.readers })
          })
        }),
      readers: (externalIds) =>
        Effect.sync(
          () =>
            new Map(
              externalIds.flatMap((id) => {
                const readers = this.items.get(id)?.about.readers
                return readers === undefined ? [] : [[id, readers] as const]
              })
            )
        )
    }
  }

  /** As a provider; a connector of kind wiki with the provider `model` reads this source. */
  provider(): CrawlerProvider {
    return crawlerProvider({
      provider: "model",
      kind: "wiki",
      config: z.strictObject({ provider: z.literal("model"), url: z.string().optional() }),
      credential: "optional",
      open: () => Effect.succeed(this.crawler())
    })
  }
}
