import { dataFolder } from "./data.js"
import { openSite, type Site } from "./growth-site.js"
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
    const measured = await inTurns(sites, roundsOf[context.size], notes.queries)
    for (const site of sites) await site.close()
    return measured
  })
  for (const one of figures) context.say(`${one.size} documents: ${JSON.stringify(one)}`)
  reportAll(context, figures)
}

/** All sizes in turn, operation by operation: whatever else the machine does hits each alike. */
const inTurns = async (
  sites: ReadonlyArray<Site>,
  rounds: number,
  queries: ReadonlyArray<string>
): Promise<ReadonlyArray<Figures>> => {
  const costs = sites.map((site) => ({
    site,
    search: [] as Array<number>,
    fts5: [] as Array<number>,
    bm25: [] as Array<number>,
    read: [] as Array<number>,
    neighbourhood: [] as Array<number>,
    create: [] as Array<number>
  }))
  const each = async (work: (one: (typeof costs)[number], round: number) => Promise<void>) => {
    for (let round = 0; round < rounds; round++)
      for (const one of round % 2 === 0 ? costs : costs.toReversed()) await work(one, round)
  }
  await each(async ({ site, ...kept }, round) => {
    const query = queries[round % queries.length] ?? ""
    kept.search.push(await site.search(query))
    kept.fts5.push(await site.fts5(query))
    if (site.bm25 !== null) kept.bm25.push(await site.bm25(query))
  })
  // Apart: what a floor reads at a large size is in the caches of the processor where ours would be.
  await each(async ({ site, ...kept }) => {
    kept.read.push(await site.read())
    kept.neighbourhood.push(await site.neighbourhood())
    kept.create.push(await site.create())
  })
  const typical = (values: ReadonlyArray<number>) =>
    median(values.slice(Math.floor((values.length * warmUpShare) / 100)))
  return costs.map(({ site, ...kept }) => ({
    size: site.size,
    search: typical(kept.search),
    fts5: typical(kept.fts5),
    bm25: site.bm25 === null ? null : typical(kept.bm25),
    read: typical(kept.read),
    neighbourhood: typical(kept.neighbourhood),
    shown: median(site.shown),
    create: typical(kept.create),
    ingest: site.ingest
  }))
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
  const n = roundsOf[size]
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
      n: 1,
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
