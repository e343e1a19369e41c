import Database from "better-sqlite3"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ChunkIndex, DocumentStore, type Passage } from "../core/files/documents/index.js"
import { atomically, runOperation } from "../core/platform/kernel/index.js"
import type { Ports } from "../core/ports.js"
import { mergeSegments, type NewSegment, PostingStore } from "../core/search/lexical/index.js"
import { retrievalOperations } from "../core/search/retrieval/index.js"
import { dataFolder } from "./data.js"
import { compare, costOf, interleaved } from "./measure.js"
import { type Notes, notesOf } from "./notes.js"
import { randomFrom } from "./random.js"
import type { BenchContext, RunBench, Size } from "./result.js"
import { median, quantile } from "./statistics.js"
import { addTo, type BenchWorkspace, openWorkspace, passagesOf } from "./workspace.js"

const sizesOf: Readonly<Record<Size, ReadonlyArray<number>>> = {
  small: [40],
  default: [1000, 10_000],
  full: [1000, 10_000, 100_000]
}
const changesOf: Readonly<Record<Size, number>> = { small: 10, default: 300, full: 300 }
/** Changes between two turns of the merger, as a busy minute may bring. */
const changesPerMerge = 50
const queriesPerWindow = 30
const rowsPerCommit = 1000
const limit = 10

/** Bytes that went into segments and into sets of removed passages. */
class Written {
  segments = 0
  dead = 0

  readonly around = (ports: Layer.Layer<Ports>): Layer.Layer<Ports> =>
    Layer.flatMap(ports, (context) =>
      Layer.merge(Layer.succeedContext(context), Layer.succeed(PostingStore, this.#over(context)))
    )

  #over(context: Context.Context<Ports>): PostingStore["Type"] {
    const store = Context.get(context, PostingStore)
    const note = (segment: NewSegment | null) => {
      this.segments += segment?.sizeBytes ?? 0
    }
    return {
      ...store,
      add: (workspace, segment) => Effect.tap(store.add(workspace, segment), () => note(segment)),
      replace: (workspace, merged, by) =>
        Effect.tap(store.replace(workspace, merged, by), (done) => (done ? note(by) : undefined)),
      remove: (workspace, segment, before, after) =>
        Effect.tap(store.remove(workspace, segment, before, after), () => {
          this.dead += after.dead.length
        })
    }
  }
}

export const indexUpkeep: RunBench = async (context) => {
  const notes = notesOf(context.seed)
  if (notes === null) return context.skip(`no eips in ${dataFolder}`)
  for (const size of sizesOf[context.size]) await upkeepAt(context, notes, size)
}

const upkeepAt = async (context: BenchContext, notes: Notes, size: number): Promise<void> => {
  const written = new Written()
  const { around } = written
  const open = async () => {
    const workspace = await openWorkspace({ around })
    for (let at = 0; at < size; at += rowsPerCommit) {
      const count = Math.min(rowsPerCommit, size - at)
      await addTo(
        workspace,
        Array.from({ length: count }, (_, i) => notes.at(at + i)),
        at,
        rowsPerCommit
      )
      await workspace.run(mergeSegments(workspace.scope))
    }
    return workspace
  }
  const workspace = await open()
  const loaded = written.segments
  const fresh = await sizeOf(workspace)
  const line = { n: 1, unit: "bytes/byte" }
  const metric = `bytes written while loading ${size} passages`
  context.report({
    ...line,
    metric,
    ours: loaded,
    floor: fresh,
    peer: "the finished index"
  })
  const changes = new Changes(workspace, written, await passagesOf(workspace), fresh, context.seed)
  const floor = changedFts5(notes, size)
  await changesAt(context, size, changes, floor)
  await searchAt(context, notes, size, workspace, changes)
  floor.close()
  await workspace.close()
}

/** Bytes of all segments. */
const sizeOf = ({ run, scope }: BenchWorkspace): Promise<number> =>
  run(
    Effect.flatMap(PostingStore, (store) =>
      Effect.map(store.segments(scope), (segments) =>
        segments.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
      )
    )
  )

/** Replaces and removes passages of a workspace, each in a unit of work of its own. */
class Changes {
  readonly live: Array<Passage>
  readonly #random: () => number

  constructor(
    readonly workspace: BenchWorkspace,
    readonly written: Written,
    passages: ReadonlyArray<Passage>,
    /** Bytes of all segments before any change. */
    readonly freshBytes: number,
    seed: number
  ) {
    this.live = [...passages]
    this.#random = randomFrom(seed * 6151)
  }

  #any(): number {
    return Math.floor(this.#random() * this.live.length)
  }

  /** A passage gets new words, and with them a new label. */
  update(): Promise<void> {
    const place = this.#any()
    const [old, other] = [this.live[place], this.live[this.#any()]]
    if (old === undefined || other === undefined) throw new Error("Nothing is left to change.")
    const { run, scope } = this.workspace
    return run(
      atomically(
        Effect.gen(this, function* () {
          const [documents, index] = [yield* DocumentStore, yield* ChunkIndex]
          const label = yield* documents.takeLabels(scope, 1)
          const chunk = { ...old, label, text: `${old.text.slice(0, 300)}\n${other.text.slice(0, 300)}` }
          yield* documents.changeChunks(scope, { removed: [old], kept: [], added: [chunk] })
          yield* index.change(scope, { removed: [old.label], added: [{ chunk, title: old.docTitle }] })
          this.live[place] = chunk
        })
      )
    )
  }

  remove(): Promise<void> {
    const place = this.#any()
    const [old] = this.live.splice(place, 1)
    if (old === undefined) throw new Error("Nothing is left to remove.")
    const { run, scope } = this.workspace
    return run(
      atomically(
        Effect.gen(function* () {
          yield* (yield* DocumentStore).changeChunks(scope, { removed: [old], kept: [], added: [] })
          yield* (yield* ChunkIndex).change(scope, { removed: [old.label], added: [] })
        })
      )
    )
  }

  merge(): Promise<number> {
    return this.workspace.run(mergeSegments(this.workspace.scope))
  }
}

/**
 * The same passages in FTS5 beside a table of their rows, changed one by one in transactions of their own, each change
 * in both. In memory, as ours are: neither side waits for a disk.
 */
const changedFts5 = (notes: Notes, size: number) => {
  const database = new Database(":memory:")
  database.exec(`create table passage (
      workspace_id text, id text, document_id text, label integer, title text, text text,
      primary key (workspace_id, id)
    ) without rowid;
    create unique index passage_label on passage (workspace_id, label);
    create virtual table words using fts5 (title, text, tokenize = 'porter unicode61')`)
  const [keep, forget] = [
    database.prepare("insert into passage values ('one', ?, ?, ?, ?, ?)"),
    database.prepare("delete from passage where workspace_id = 'one' and label = ?")
  ]
  const insert = database.prepare("insert into words (rowid, title, text) values (?, ?, ?)")
  database.transaction(() => {
    for (let place = 0; place < size; place++) {
      const { text, title } = notes.at(place)
      insert.run(place, title, text)
      keep.run(`passage-${place}`, `document-${place}`, place, title, text)
    }
  })()
  const [change, remove] = [
    database.prepare("update words set text = ? where rowid = ?"),
    database.prepare("delete from words where rowid = ?")
  ]
  return {
    update: database.transaction((place: number) => {
      const { text, title } = notes.at(place + 1)
      forget.run(place)
      keep.run(`passage-${place}`, `document-${place}`, place, title, text)
      change.run(text, place)
    }),
    remove: database.transaction((place: number) => {
      forget.run(place)
      remove.run(place)
    }),
    close: () => database.close()
  }
}

const changesAt = async (
  { report, seed, size: benchSize }: BenchContext,
  size: number,
  changes: Changes,
  floor: ReturnType<typeof changedFts5>
): Promise<void> => {
  const count = changesOf[benchSize]
  const { written } = changes
  const random = randomFrom(seed * 389)
  const per = Math.min(changesPerMerge, count)
  const peer = "FTS5 and a table of rows, one passage in a transaction"
  for (const kind of ["update", "remove"] as const) {
    const [before, beforeDead] = [written.segments, written.dead]
    let mergeMs = 0
    const pairs = await interleaved(
      Math.max(1, count / per - 1),
      async () => {
        const costs: Array<number> = []
        for (let i = 0; i < per; i++) costs.push((await costOf(() => changes[kind]())).cpuMs)
        mergeMs += (await costOf(() => changes.merge())).cpuMs
        return costs
      },
      async () => {
        const costs: Array<number> = []
        for (let i = 0; i < per; i++) {
          const place = Math.floor(random() * size)
          costs.push((await costOf(() => floor[kind](place))).cpuMs)
        }
        return costs
      }
    )
    const done = (pairs.length + 1) * per
    const of = (share: number) => compare(pairs, (window) => quantile(window, share))
    const subject = `${kind} at ${size} passages`
    report({ metric: `${subject}, p50 CPU`, ...of(0.5), unit: "ms", peer })
    report({ metric: `${subject}, p95 CPU`, ...of(0.95), unit: "ms", peer })
    const line = { n: done, peer: "none" }
    report({ ...line, metric: `${subject}, merging for each`, ours: mergeMs / done, unit: "ms CPU" })
    const bytes = (written.segments - before) / done
    report({ ...line, metric: `${subject}, segments written for each`, ours: bytes, unit: "bytes" })
    // Against the share of one passage in the finished index.
    const each = size === 0 ? 0 : changes.freshBytes / size
    const grown = { ...line, metric: `${subject}, segments written, times over`, unit: "bytes/byte" }
    if (kind === "update") report({ ...grown, ours: bytes, floor: each, peer: "one passage" })
    const dead = (written.dead - beforeDead) / done
    report({
      ...line,
      metric: `${subject}, sets of removed ones written for each`,
      ours: dead,
      unit: "bytes"
    })
  }
}

/** Searches right after changes that nobody has merged, beside the same passages in an index made afresh. */
const searchAt = async (
  { report, size: benchSize }: BenchContext,
  notes: Notes,
  size: number,
  workspace: BenchWorkspace,
  changes: Changes
): Promise<void> => {
  for (let i = 0; i < changesOf[benchSize]; i++) await changes.update()
  const fresh = await openWorkspace()
  for (let at = 0; at < changes.live.length; at += rowsPerCommit)
    await addTo(
      fresh,
      changes.live
        .slice(at, at + rowsPerCommit)
        .map(({ docTitle, id, text }) => ({ id, title: docTitle, text })),
      at,
      rowsPerCommit
    )
  await fresh.run(mergeSegments(fresh.scope))
  const window = (of: BenchWorkspace) => async (place: number) => {
    const costs: Array<number> = []
    for (let i = 0; i < queriesPerWindow; i++) {
      const q = notes.queries[(place * queriesPerWindow + i) % notes.queries.length] ?? ""
      costs.push((await costOf(() => of.run(runOperation(retrievalOperations.search, { q, limit })))).cpuMs)
    }
    return median(costs)
  }
  const pairs = await interleaved(benchSize === "small" ? 2 : 15, window(workspace), window(fresh))
  const metric = `search p50 CPU after ${changesOf[benchSize]} updates of ${size} passages`
  report({ metric, ...compare(pairs, (cost) => cost), unit: "ms", peer: "the same, merged" })
  await fresh.close()
}
