import { dataFolder } from "./data.js"
import { type Floors, openFloors, openSite, type Site } from "./growth-site.js"
import { notesOf } from "./notes.js"
import type { BenchContext, RunBench, Size } from "./result.js"
import { median } from "./statistics.js"
import { withFolder } from "./workspace.js"

const sizesOf: Readonly<Record<Size, ReadonlyArray<number>>> = {
  small: [30, 60],
  default: [1000, 10_000],
  full: [1000, 10_000, 100_000]
}
const roundsOf: Readonly<Record<Size, number>> = { small: 6, default: 240, full: 240 }
/** Rounds of a hundred before any counts: what is asked is how a program fares that runs. */
const warmUpShare = 10

/** Median milliseconds of CPU time at one size. */
interface Figures {
  readonly size: number
  readonly search: number
  readonly fts5: number
  readonly bm25: number | null
  readonly read: number
  readonly neighbourhood: number
  /** Entities in a neighbourhood. */
  readonly shown: number
  readonly create: number
  /** Notes a second of CPU time while the workspace was filled. */
  readonly ingest: number
}

export const growth: RunBench = async (context) => {
  const notes = notesOf(context.seed)
  if (notes === null) return context.skip(`no eips in ${dataFolder}`)
  const sizes = [...sizesOf[context.size], ...(context.documents === null ? [] : [context.documents])]
  const figures = await withFolder(async (folder) => {
    const sites: Array<Site> = []
    for (const size of sizes) {
      sites.push(await openSite(notes, size, context.seed, folder))
      context.say(`${size} documents are there`)
    }
    const rounds = roundsOf[context.size]
    const worked = await inTurns(sites, rounds, workOf)
    // Not before: what floors read at a large size is in the caches of the processor where ours would be.
    const beside = sites.map((site) => ({ site, floors: openFloors(notes, site.size, folder) }))
    const searched = await inTurns(beside, rounds, searchesFor(notes.queries))
    for (const { floors, site } of beside) {
      floors.close()
      await site.close()
    }
    return sites.map(({ ingest, shown, size }, place): Figures => {
      const [work, search] = [worked[place], searched[place]]
      return {
        size,
        search: search?.("search") ?? 0,
        fts5: search?.("fts5") ?? 0,
        bm25: search?.("bm25") ?? null,
        read: work?.("read") ?? 0,
        neighbourhood: work?.("neighbourhood") ?? 0,
        shown: median(shown),
        create: work?.("create") ?? 0,
        ingest
      }
    })
  })
  for (const one of figures) context.say(`${one.size} documents: ${JSON.stringify(one)}`)
  reportAll(context, figures)
}

/** Returns the cost of an operation at one size; null when it was never run. */
type Costs<What> = (what: What) => number | null

/** All sizes in turn, operation by operation: whatever else the machine does hits each alike. */
const inTurns = async <Of, What extends string>(
  places: ReadonlyArray<Of>,
  rounds: number,
  work: (place: Of, round: number) => Promise<Readonly<Record<What, number | null>>>
): Promise<ReadonlyArray<Costs<What>>> => {
  const kept = places.map((place) => ({ place, costs: [] as Array<Readonly<Record<What, number | null>>> }))
  for (let round = 0; round < rounds; round++)
    for (const { costs, place } of round % 2 === 0 ? kept : kept.toReversed())
      costs.push(await work(place, round))
  return kept.map(
    ({ costs }) =>
      (what) =>
        typical(costs.flatMap((cost) => cost[what] ?? []))
  )
}

const typical = (values: ReadonlyArray<number>): number | null =>
  values.length === 0 ? null : median(values.slice(Math.floor((values.length * warmUpShare) / 100)))

const workOf = async (site: Site) => ({
  read: await site.read(),
  neighbourhood: await site.neighbourhood(),
  create: await site.create()
})

interface Beside {
  readonly site: Site
  readonly floors: Floors
}

const searchesFor =
  (queries: ReadonlyArray<string>) =>
  async ({ floors, site }: Beside, round: number) => {
    const query = queries[round % queries.length] ?? ""
    return {
      search: await site.search(query),
      fts5: await floors.fts5(query),
      bm25: floors.bm25 === null ? null : await floors.bm25(query)
    }
  }

/** Returns the slope of the least-squares line through the logarithms of sizes and costs. */
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
  const n = roundsOf[size]
  const slope = (of: (figure: Figures) => number | null) =>
    slopeOf(
      figures.flatMap((figure) => {
        const cost = of(figure)
        return cost === null ? [] : [[figure.size, cost] as const]
      })
    )
  const line = { n, unit: "ms" }
  for (const one of figures) {
    const { bm25, size: documents } = one
    const beside = (metric: string, ours: number, floor: number | null, peer: string) =>
      report({ ...line, metric, ours, floor, peer })
    beside(`search p50 CPU, ${documents} documents`, one.search, one.fts5, "FTS5, OR, and the ten rows read")
    if (bm25 !== null)
      beside(`search p50 CPU, ${documents} documents`, one.search, bm25, "40-line BM25 in memory")
    for (const kind of ["read", "neighbourhood", "create"] as const)
      beside(`${kind} p50 CPU, ${documents} documents`, one[kind], null, "none")
    report({
      ...line,
      metric: `neighbourhood, ${documents} documents`,
      ours: one.shown,
      unit: "entities",
      peer: "none"
    })
    report({
      ...line,
      n: 1,
      metric: `ingest up to ${documents} documents`,
      ours: one.ingest,
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
    peer: "FTS5, OR, and the ten rows read",
    target: "<= 1"
  })
  report({ ...than, floor: plain, peer: "40-line BM25 in memory" })
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
  report({ ...rates, metric, peer: `up to ${base.size}`, target: ">= 0.5" })
}
