import { mkdirSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { documentOperations } from "../core/documents/index.js"
import { entityOperations } from "../core/entities/index.js"
import { graphOperations } from "../core/graph/index.js"
import { atomically, type EntityId, runOperation } from "../core/kernel/index.js"
import { mergeSegments } from "../core/lexical/index.js"
import { retrievalOperations } from "../core/retrieval/index.js"
import { dataFolder } from "./data.js"
import { costOf, interleaved } from "./measure.js"
import { type Notes, notesOf } from "./notes.js"
import { type Fts5, fts5 } from "./peers/fts5.js"
import { plainBm25 } from "./peers/plain-bm25.js"
import { randomFrom } from "./random.js"
import type { BenchContext, RunBench, Size } from "./result.js"
import { median } from "./statistics.js"
import { addTo, type BenchWorkspace, openWorkspace, withFolder } from "./workspace.js"

const limit = 10
const sizesOf: Readonly<Record<Size, ReadonlyArray<number>>> = {
  small: [30, 60],
  default: [1000, 10_000],
  full: [1000, 10_000, 100_000]
}
/** One larger size, on demand: `KANON_BENCH_DOCUMENTS=1000000`. */
const onDemand = Number(process.env["KANON_BENCH_DOCUMENTS"] ?? 0)
const windowsOf: Readonly<Record<Size, number>> = { small: 2, default: 8, full: 8 }
const opsPerWindow: Readonly<Record<Size, number>> = { small: 3, default: 30, full: 30 }
const rowsPerCommit = 1000
/** The lists of the 40-line BM25 are plain arrays: beyond this they no longer fit into a default heap. */
const bm25NotesMax = 200_000
/** Entities for each note, and relations for each entity. The corpora of the benches have 1.4 for each document. */
const entityShare = 1
const relationsEach = 3

/** Median milliseconds of CPU time at one size. */
interface Figures {
  readonly size: number
  readonly search: number
  readonly fts5: number
  readonly bm25: number | null
  readonly read: number
  readonly neighbourhood: number
  /** Entities in a neighbourhood, in the median. */
  readonly shown: number
  readonly create: number
  /** Notes a second of CPU time while the index grew to this size. */
  readonly ingest: number
}

export const growth: RunBench = async (context) => {
  const notes = notesOf(context.seed)
  if (notes === null) return context.skip(`no eips in ${dataFolder}`)
  const sizes = [...sizesOf[context.size], ...(onDemand > 0 ? [onDemand] : [])]
  const figures: Array<Figures> = []
  await withFolder(async (folder) => {
    const [vault, data] = [join(folder, "vault"), join(folder, "data")]
    mkdirSync(vault)
    mkdirSync(data)
    const workspace = await openWorkspace({ vault, data })
    const graph = new Graph(workspace, context.seed)
    let held = 0
    for (const size of sizes) {
      const { cpuMs } = await costOf(async () => {
        for (; held < size; held += rowsPerCommit) {
          const count = Math.min(rowsPerCommit, size - held)
          await addTo(workspace, rows(notes, held, count), held, rowsPerCommit)
          await workspace.run(mergeSegments(workspace.scope))
        }
        held = size
      })
      await graph.growTo(Math.max(20, Math.round(size * entityShare)))
      const measured = await at(context, workspace, notes, size, graph, folder)
      const before = figures[figures.length - 1]?.size ?? 0
      figures.push({ ...measured, ingest: ((size - before) / cpuMs) * 1000 })
      context.say(`${size} documents: ${JSON.stringify(figures[figures.length - 1])}`)
    }
    await workspace.close()
  })
  reportAll(context, figures)
}

const rows = (notes: Notes, from: number, count: number) =>
  Array.from({ length: count }, (_, i) => notes.at(from + i))

/** What one size costs; searches and the floors' in turn. */
const at = async (
  { seed, size: benchSize }: BenchContext,
  workspace: BenchWorkspace,
  notes: Notes,
  size: number,
  graph: Graph,
  folder: string
): Promise<Omit<Figures, "ingest">> => {
  const all = rows(notes, 0, size)
  const floor: Fts5 = fts5(all, join(folder, `floor-${size}.sqlite`))
  const bm25 = size <= bm25NotesMax ? plainBm25(all) : null
  const random = randomFrom(seed * 7919 + size)
  const pick = <A>(values: ReadonlyArray<A>): A | undefined => values[Math.floor(random() * values.length)]
  const count = opsPerWindow[benchSize]
  const windows = windowsOf[benchSize]
  const queries = (window: number) =>
    Array.from({ length: count }, (_, i) => notes.queries[(window * count + i) % notes.queries.length] ?? "")
  const each = async (of: ReadonlyArray<string>, work: (query: string) => unknown) => {
    const costs: Array<number> = []
    for (const query of of) costs.push((await costOf(() => work(query))).cpuMs)
    return median(costs)
  }
  const pairs = await interleaved(
    windows,
    (window) =>
      each(queries(window), (q) => workspace.run(runOperation(retrievalOperations.search, { q, limit }))),
    (window) => each(queries(window), (query) => floor.read(floor.search(query, limit).map(({ row }) => row)))
  )
  const plain: Array<number> = []
  if (bm25 !== null)
    for (let window = 0; window < windows; window++)
      plain.push(await each(queries(window), (query) => bm25(query, limit)))
  const rest = await others(workspace, graph, pick, windows * count, `new/${size}`)
  floor.close()
  return {
    size,
    search: median(pairs.map(({ ours }) => ours)),
    fts5: median(pairs.map((pair) => pair.floor)),
    bm25: bm25 === null ? null : median(plain),
    ...rest
  }
}

/** Reading, walking and writing, in turn, so that the noise of the machine hits them alike. */
const others = async (
  workspace: BenchWorkspace,
  graph: Graph,
  pick: <A>(values: ReadonlyArray<A>) => A | undefined,
  times: number,
  folder: string
) => {
  const costs = { read: [0], neighbourhood: [0], create: [0] }
  const shown: Array<number> = []
  const ids = await workspace.run(
    Effect.map(runOperation(documentOperations.listDocuments, { limit: 200 }), ({ items }) =>
      items.map(({ id }) => id)
    )
  )
  const stored = workspace.run
  for (let i = 0; i < times; i++) {
    const timed = async (kind: keyof typeof costs, work: () => Promise<unknown>) => {
      costs[kind].push((await costOf(work)).cpuMs)
    }
    await timed("read", () => stored(runOperation(documentOperations.getDocument, { id: pick(ids) ?? "" })))
    const around = { id: pick(graph.entities) ?? "", depth: 2 }
    await timed("neighbourhood", async () => {
      shown.push((await stored(runOperation(graphOperations.getNeighborhood, around))).nodes.length)
    })
    const name = `${folder}/${i}.md`
    await timed("create", () =>
      stored(
        runOperation(documentOperations.createDocument, { path: name, content: `# Note ${i}\n\nText.\n` })
      )
    )
  }
  const typical = (values: ReadonlyArray<number>) => median(values.slice(1 + Math.floor(values.length / 10)))
  return {
    read: typical(costs.read),
    neighbourhood: typical(costs.neighbourhood),
    shown: median(shown),
    create: typical(costs.create)
  }
}

/** Entities and relations, some with many neighbours, that grow with the documents. */
class Graph {
  readonly entities: Array<EntityId> = []
  readonly #random: () => number

  constructor(
    readonly workspace: BenchWorkspace,
    seed: number
  ) {
    this.#random = randomFrom(seed * 104_729)
  }

  async growTo(count: number): Promise<void> {
    while (this.entities.length < count) {
      const first = this.entities.length
      const more = Math.min(500, count - first)
      const made = await this.workspace.run(
        atomically(
          Effect.forEach(Array.from({ length: more }), (_, i) =>
            runOperation(entityOperations.createEntity, { name: `Thing ${first + i}`, type: "concept" })
          )
        )
      )
      this.entities.push(...made.map(({ id }) => id))
      await this.workspace.run(
        atomically(
          Effect.forEach(this.#ends(first), ([from, to], i) =>
            runOperation(graphOperations.createRelation, {
              srcEntityId: from,
              dstEntityId: to,
              type: `kind-${i % 5}`
            }).pipe(Effect.ignore)
          )
        )
      )
    }
  }

  /** Pairs that join the new entities to any, early ones more often than late ones. */
  #ends(first: number): ReadonlyArray<readonly [EntityId, EntityId]> {
    return this.entities.slice(first).flatMap((from) =>
      Array.from({ length: relationsEach }).flatMap(() => {
        const to = this.entities[Math.floor(this.#random() ** 2 * this.entities.length)]
        return to === undefined || to === from ? [] : [[from, to] as const]
      })
    )
  }
}

/** Of the line through the logarithms of sizes and costs, by least squares. */
const slopeOf = (points: ReadonlyArray<readonly [number, number]>): number => {
  const logs = points.map(([x, y]) => [Math.log(x), Math.log(y)] as const)
  const [meanX, meanY] = [0, 1].map(
    (axis) => logs.reduce((sum, at) => sum + (at[axis] ?? 0), 0) / logs.length
  )
  const [x, y] = [meanX ?? 0, meanY ?? 0]
  return (
    logs.reduce((sum, at) => sum + (at[0] - x) * (at[1] - y), 0) /
    logs.reduce((sum, at) => sum + (at[0] - x) ** 2, 0)
  )
}

const reportAll = ({ report, size }: BenchContext, figures: ReadonlyArray<Figures>): void => {
  const n = windowsOf[size] * opsPerWindow[size]
  const slope = (of: (figure: Figures) => number | null) =>
    slopeOf(
      figures.flatMap((figure) => {
        const cost = of(figure)
        return cost === null ? [] : [[figure.size, cost] as const]
      })
    )
  const line = { n, unit: "ms", iqr: null }
  for (const one of figures) {
    const { bm25, size: documents } = one
    const beside = (metric: string, ours: number, floor: number | null, peer: string) =>
      report({ ...line, metric, ours, floor, ratio: floor === null ? null : ours / floor, peer })
    beside(`search p50 CPU, ${documents} documents`, one.search, one.fts5, "FTS5, OR, and the ten rows read")
    if (bm25 !== null)
      beside(`search p50 CPU, ${documents} documents`, one.search, bm25, "40-line BM25 in memory")
    for (const kind of ["read", "neighbourhood", "create"] as const)
      beside(`${kind} p50 CPU, ${documents} documents`, one[kind], null, "none")
    report({
      ...line,
      metric: `neighbourhood, ${documents} documents`,
      ours: one.shown,
      floor: null,
      ratio: null,
      unit: "entities",
      peer: "none"
    })
    report({
      ...line,
      metric: `ingest up to ${documents} documents`,
      ours: one.ingest,
      floor: null,
      ratio: null,
      unit: "documents/CPU s",
      peer: "none"
    })
  }
  const slopes = { ...line, unit: "slope", n: figures.length }
  const ours = slope(({ search }) => search)
  const [theirs, plain] = [slope((one) => one.fts5), slope((one) => one.bm25)]
  const steady = { ...slopes, floor: null, peer: "none: the slope itself" }
  report({ ...steady, metric: "search p50 over size", ours, ratio: ours, target: "<= 0.9" })
  const than = { ...slopes, metric: "search p50 over size", ours }
  report({
    ...than,
    floor: theirs,
    ratio: ours / theirs,
    peer: "FTS5, OR, and the ten rows read",
    target: "<= 1"
  })
  report({ ...than, floor: plain, ratio: ours / plain, peer: "40-line BM25 in memory" })
  for (const kind of ["read", "neighbourhood"] as const) {
    const found = slope((one) => one[kind])
    report({ ...steady, metric: `${kind} p50 over size`, ours: found, ratio: found, target: "<= 0.1" })
  }
  const created = slope(({ create }) => create)
  report({ ...steady, metric: "create p50 over size", ours: created, ratio: created })
  const [last, base] = [figures[figures.length - 1], figures.find((one) => one.size >= 10_000) ?? figures[0]]
  if (last === undefined || base === undefined || last === base) return
  const rates = { ...line, unit: "documents/CPU s", n: 1, ours: last.ingest, floor: base.ingest }
  const metric = `ingest rate up to ${last.size} documents`
  report({ ...rates, metric, ratio: last.ingest / base.ingest, peer: `up to ${base.size}`, target: ">= 0.5" })
}
