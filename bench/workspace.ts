import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Stream from "effect/Stream"
import { type Wired, wiring } from "../core/engine/engine/index.js"
import { ChunkIndex, DocumentStore, type Passage } from "../core/files/documents/index.js"
import { create } from "../core/files/documents/machine.js"
import { noFrontMatter } from "../core/files/markdown/front-matter.js"
import { syncVault } from "../core/files/vault-sync/index.js"
import { atomically, Caller, Ids, now, scopeOf, type WorkspaceScope } from "../core/platform/kernel/index.js"
import { Settings, WorkspaceStore } from "../core/platform/workspace/index.js"
import type { Ports } from "../core/ports.js"
import { mergeSegments } from "../core/search/lexical/index.js"
import { persistVectors, refreshVectors } from "../core/search/vectors/index.js"
import type { CorpusDocument } from "./data.js"
import { type Kind, portsAt } from "./database.js"

type Services = Ports | Wired | Caller

/** A workspace, on SQLite in memory where nothing else is asked for, with all the rooms an engine has but no worker beside the measurement. */
export interface BenchWorkspace {
  readonly scope: WorkspaceScope
  readonly run: <A, E>(effect: Effect.Effect<A, E, Services>) => Promise<A>
  readonly close: () => Promise<void>
}

/** Opens a new workspace, over a folder of files where there is one. */
export const openWorkspace = async (
  options: {
    readonly vault?: string
    readonly data?: string
    /** The one that the benches run on by default. */
    readonly database?: Kind
    /** Puts something around the ports, such as a counter. */
    readonly around?: (ports: Layer.Layer<Ports>) => Layer.Layer<Ports>
  } = {}
): Promise<BenchWorkspace> => {
  const ports = await portsAt({ vault: options.vault ?? tmpdir(), data: options.data }, options.database)
  const runtime = ManagedRuntime.make(Layer.provideMerge(wiring, options.around?.(ports) ?? ports))
  const scope = await runtime.runPromise(
    Effect.gen(function* () {
      const id = (yield* Ids).make("workspace")
      yield* (yield* WorkspaceStore).insert({ id, name: "bench", settings: Settings.parse({}) }, yield* now)
      return scopeOf(id)
    })
  )
  const caller = { workspace: scope, actor: "local", activity: "ui" } as const
  return {
    scope,
    run: (effect) => runtime.runPromise(Effect.provideService(effect, Caller, caller)),
    close: () => runtime.dispose()
  }
}

/** A workspace with documents in it. */
export interface Filled {
  readonly workspace: BenchWorkspace
  /** The id of the document at each path. */
  readonly idOf: ReadonlyMap<string, string>
}

/** Rows of one unit of work: as many as fit into memory easily. */
const rowsPerCommit = 200

/**
 * Stores each text as a document of one passage, whatever its length, through the stores and the lexical index of
 * the engine.
 */
export const addWhole = async (documents: ReadonlyArray<CorpusDocument>): Promise<Filled> => {
  const workspace = await openWorkspace()
  for (let at = 0; at < documents.length; at += rowsPerCommit)
    await workspace.run(atomically(addBatch(workspace.scope, documents.slice(at, at + rowsPerCommit), at)))
  await workspace.run(mergeSegments(workspace.scope))
  return { workspace, idOf: new Map(documents.map(({ id }, i) => [pathOf(i), id])) }
}

const pathOf = (place: number): string => `${place}.md`

const addBatch = (scope: WorkspaceScope, batch: ReadonlyArray<CorpusDocument>, from: number) =>
  Effect.gen(function* () {
    const [store, index, ids, at] = [yield* DocumentStore, yield* ChunkIndex, yield* Ids, yield* now]
    const firstLabel = yield* store.takeLabels(scope, batch.length)
    const rows = batch.map(({ text, title }, i) => {
      const content = {
        contentHash: ids.sha256(text),
        sizeBytes: text.length,
        mtimeMs: 0,
        title,
        frontMatter: noFrontMatter
      }
      const document = create({ id: ids.make("document"), path: pathOf(from + i), content, at })
      const place = { ordinal: 0, start: 0, end: text.length, label: firstLabel + i }
      const chunk = {
        id: ids.derive("chunk", document.id),
        documentId: document.id,
        headingPath: [],
        text,
        ...place
      }
      return { document, title, chunk }
    })
    yield* store.save(
      scope,
      rows.map(({ document }) => ({ before: null, after: document }))
    )
    yield* store.changeChunks(scope, { removed: [], kept: [], added: rows.map(({ chunk }) => chunk) })
    yield* index.change(scope, { removed: [], added: rows })
  })

/** Writes the documents as Markdown files and has them synced as a vault is; in memory unless `data` names a folder. */
export const addAsVault = async (
  documents: ReadonlyArray<CorpusDocument>,
  folder: string,
  data?: string,
  database?: Kind
): Promise<Filled> => {
  const idOf = writeVault(documents, folder)
  if (data !== undefined) mkdirSync(data, { recursive: true })
  const workspace = await openWorkspace({
    vault: folder,
    ...(data === undefined ? {} : { data }),
    ...(database === undefined ? {} : { database })
  })
  const { errors } = await workspace.run(syncVault())
  for (const { message, path } of errors) console.error(`${path}: ${message}`)
  await workspace.run(mergeSegments(workspace.scope))
  return { workspace, idOf }
}

/** Writes the documents as Markdown files and tells the id of the document at each path. */
export const writeVault = (
  documents: ReadonlyArray<CorpusDocument>,
  folder: string
): ReadonlyMap<string, string> => {
  const idOf = new Map<string, string>()
  documents.forEach((document, i) => {
    // Documents that are files keep their path; others get a path, and their title in a front matter.
    const isFile = /\.md$/.test(document.id)
    const path = isFile ? document.id : pathOf(i)
    const front =
      isFile || document.title === "" ? "" : `---\ntitle: ${JSON.stringify(document.title)}\n---\n\n`
    idOf.set(path, document.id)
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), front + document.text)
  })
  return idOf
}

/** Learns the built-in vectors and finishes the index over them. */
export const learnVectors = (workspace: BenchWorkspace): Promise<void> =>
  workspace.run(Effect.zipRight(refreshVectors(workspace.scope), persistVectors(workspace.scope)))

export const passagesOf = (workspace: BenchWorkspace): Promise<ReadonlyArray<Passage>> =>
  workspace.run(
    Effect.gen(function* () {
      return [...(yield* Stream.runCollect((yield* DocumentStore).allPassages(workspace.scope)))]
    })
  )

/** Makes a folder, hands it over, removes it. */
export const withFolder = async <A>(use: (folder: string) => Promise<A>): Promise<A> => {
  const folder = mkdtempSync(join(tmpdir(), "kanon-bench-"))
  try {
    return await use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
