import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { sqlEntityStore } from "../../adapters/sql/knowledge/entities/entity-store.js"
import { sqlGraphStore } from "../../adapters/sql/knowledge/graph/graph-store.js"
import { type JobSignals, sqlJobStore } from "../../adapters/sql/platform/jobs/job-store.js"
import { type Chunk, type Document, DocumentStore } from "../../core/files/documents/index.js"
import { chunkDocument } from "../../core/files/markdown/chunk.js"
import { parseFrontMatter } from "../../core/files/markdown/front-matter.js"
import { documentTitle, parseMarkdown } from "../../core/files/markdown/parse-markdown.js"
import { cachedDetectors } from "../../core/knowledge/entities/index.js"
import { builtInExtractor } from "../../core/knowledge/extraction/index.js"
import { Listeners } from "../../core/platform/jobs/index.js"
import type { DocumentId, Ids } from "../../core/platform/kernel/index.js"
import { baseLayer } from "./run.js"

/** Signals that never fire, for tests without a worker. */
export const quietSignals = Effect.succeed<JobSignals>({
  changed: Effect.void,
  watch: Effect.succeed(Effect.never),
  watchDue: Effect.succeed(Effect.never)
})

/** All that the graph needs beside documents. */
export const graphLayer = (filename = ":memory:") =>
  Layer.mergeAll(
    sqlGraphStore,
    builtInExtractor,
    Layer.succeed(Listeners, {}),
    sqlJobStore({ isOwnerGone: () => false, signals: quietSignals }),
    Layer.provideMerge(cachedDetectors(), sqlEntityStore)
  ).pipe(Layer.provideMerge(baseLayer(filename)))

/** A vault in memory, read and cut as the documents room does it; a feed of changes, and nothing else. */
export class MemoryVault {
  private readonly rows = new Map<DocumentId, { document: Document; chunks: ReadonlyArray<Chunk> }>()
  private seq = 0
  private label = 0

  constructor(private readonly ids: Ids["Type"]) {}

  get documents(): ReadonlyArray<Document> {
    return [...this.rows.values()].map(({ document }) => document)
  }

  chunksOf(id: DocumentId): ReadonlyArray<Chunk> {
    const row = this.rows.get(id)
    return row === undefined || row.document.deletedAt !== null ? [] : row.chunks
  }

  create(path: string, text: string): DocumentId {
    const id = this.ids.make("document")
    this.put(id, path, text, null)
    return id
  }

  replace(id: DocumentId, text: string): void {
    this.put(id, this.rows.get(id)?.document.path ?? "", text, null)
  }

  move(id: DocumentId, path: string): void {
    const row = this.rows.get(id)
    if (row !== undefined) this.change(id, { ...row.document, path, title: row.document.title }, row.chunks)
  }

  remove(id: DocumentId): void {
    const row = this.rows.get(id)
    if (row !== undefined)
      this.change(id, { ...row.document, deletedAt: "2026-01-02T00:00:00.000Z" }, row.chunks)
  }

  restore(id: DocumentId): void {
    const row = this.rows.get(id)
    if (row === undefined) return
    // A restored document gets new labels, as any text that is indexed again.
    this.change(
      id,
      { ...row.document, deletedAt: null },
      row.chunks.map((chunk) => ({ ...chunk, label: ++this.label }))
    )
  }

  private put(id: DocumentId, path: string, text: string, deletedAt: string | null): void {
    const { bodyStart, frontMatter } = parseFrontMatter(text)
    const parsed = parseMarkdown(text, bodyStart)
    const chunks = chunkDocument(parsed, { maxChars: 1500, overlapChars: 150 }).map(
      (draft): Chunk => ({
        ...draft,
        id: this.ids.derive(
          "chunk",
          `${id} ${draft.headingPath.join("/")} ${draft.text} ${draft.occurrence}`
        ),
        documentId: id,
        label: ++this.label
      })
    )
    const title = documentTitle(frontMatter, parsed, path)
    this.change(
      id,
      {
        id,
        path,
        title,
        contentHash: this.ids.sha256(text),
        version: (this.rows.get(id)?.document.version ?? 0) + 1,
        sizeBytes: text.length,
        mtimeMs: 0,
        frontMatter,
        verification: "unverified",
        verifiedBy: null,
        verifiedAt: null,
        nextVerifyAt: null,
        createdAt: "2026-01-01T00:00:00.000Z",
        updatedAt: "2026-01-01T00:00:00.000Z",
        deletedAt,
        seq: 0
      },
      chunks
    )
  }

  private change(id: DocumentId, document: Document, chunks: ReadonlyArray<Chunk>): void {
    this.rows.set(id, { document: { ...document, seq: ++this.seq }, chunks })
  }

  private passage(chunk: Chunk) {
    const document = this.rows.get(chunk.documentId)?.document
    return {
      ...chunk,
      docTitle: document?.title ?? "",
      docPath: document?.path ?? "",
      docVerification: "unverified" as const,
      docUpdatedAt: document?.updatedAt ?? ""
    }
  }

  /** The part of the port that the graph uses; the rest dies. */
  get layer(): Layer.Layer<DocumentStore> {
    const unused = () => Effect.dieMessage("The graph does not use this.")
    const chunks = () => this.documents.flatMap(({ id }) => this.chunksOf(id))
    const inspection = {
      documentsAfter: unused,
      content: unused,
      filing: unused,
      refile: unused,
      passagesOfIds: unused,
      labelsAfter: unused,
      feedEnd: unused,
      orphans: unused,
      removeOrphan: unused,
      hasText: unused,
      raiseCounters: unused
    }
    return Layer.succeed(DocumentStore, {
      inspection,
      proposals: { find: unused, list: unused, add: unused, decide: unused },
      find: (_, id) => Effect.sync(() => Option.fromNullable(this.rows.get(id)?.document)),
      findMany: (_, ids) => Effect.sync(() => ids.flatMap((id) => this.rows.get(id)?.document ?? [])),
      sizes: (_, ids) => Effect.sync(() => ids.flatMap((id) => this.rows.get(id)?.document ?? [])),
      chunks: (_, id) => Effect.sync(() => this.chunksOf(id)),
      passages: (_, labels) =>
        Effect.sync(() => {
          const wanted = new Set(labels)
          return chunks()
            .filter(({ label }) => wanted.has(label))
            .map((chunk) => this.passage(chunk))
        }),
      changesSince: (_, seq, limit) =>
        Effect.sync(() =>
          this.documents
            .filter((document) => document.seq > seq)
            .sort((a, b) => a.seq - b.seq)
            .slice(0, limit)
        ),
      allPassages: () => Stream.empty,
      trashedBefore: unused,
      purge: unused,
      pruneVersions: unused,
      findByPath: unused,
      list: unused,
      folders: unused,
      stamps: unused,
      trashStamps: unused,
      save: unused,
      touch: unused,
      changeChunks: unused,
      passageById: unused,
      labels: unused,
      counts: unused,
      hasVerified: unused,
      firstLabels: unused,
      trashed: unused,
      openIntent: unused,
      closeIntent: unused,
      openIntents: unused,
      lastIntent: unused,
      keepContent: unused,
      content: unused,
      contents: unused,
      addVersions: unused,
      versions: unused,
      version: unused,
      noteIndexing: unused,
      indexing: unused,
      takeLabels: unused
    })
  }
}
