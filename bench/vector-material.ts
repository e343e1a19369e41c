import { monitorEventLoopDelay } from "node:perf_hooks"
import * as Effect from "effect/Effect"
import { workerLsaFitter } from "../adapters/vectors/fit-worker.js"
import { LsaFitter } from "../core/search/vectors/index.js"
import { lsaFolder, sampleMax } from "../core/search/vectors/lsa.js"
import { decodeLsa } from "../core/search/vectors/lsa-artefact.js"
import { termCounts } from "../core/search/vectors/lsa-terms.js"
import { costOf } from "./measure.js"
import { passageTexts } from "./passages.js"
import { randomFrom, shuffled } from "./random.js"
import type { BenchContext, Size } from "./result.js"
import { dimensions, fitThread } from "./vector-index.js"

const counts: Readonly<Record<Size, number>> = { small: 300, default: 10_000, full: 100_000 }
/** Name of the vectors of the built-in model. */
export const learnedKind = "LSA vectors"

/** Vectors of a kind, and others of that kind to ask with. */
export interface Material {
  readonly kind: string
  readonly vectors: ReadonlyArray<Float32Array>
  readonly queries: ReadonlyArray<Float32Array>
}

/** Passages of a real vault, beyond its size written out again in other words, with the built-in vectors. */
export const learnedVectors = async (context: BenchContext): Promise<Material | null> => {
  const { seed, size } = context
  const queriesWanted = 200
  const texts = passageTexts(counts[size] + queriesWanted, seed)
  if (texts === null) {
    context.skip("the collection eips is not there: random vectors alone")
    return null
  }
  const sample = shuffled(texts, seed).slice(0, sampleMax)
  const fitted = await offTheLoop(() =>
    Effect.runPromise(
      Effect.flatMap(LsaFitter, (fitter) => fitter.fit(sample)).pipe(
        Effect.provide(workerLsaFitter(fitThread))
      )
    )
  )
  const lsa = fitted.result === null ? null : decodeLsa(fitted.result)
  if (lsa === null || lsa.dimensions !== dimensions) {
    context.skip("too few passages for vectors of 256 numbers: random vectors alone")
    return null
  }
  const about = `${sample.length.toLocaleString("en")} of ${texts.length.toLocaleString("en")} passages`
  context.report({ metric: `LSA fit, ${about}, CPU`, ours: fitted.cpuMs / 1000, n: 1, unit: "s" })
  reportDelay(context, "LSA fit in a thread", fitted)
  const fold = lsaFolder(lsa)
  const made: Array<Float32Array> = []
  const folded = await costOf(() => {
    for (const text of texts) {
      const { vector } = fold(termCounts(text))
      if (vector !== null) made.push(vector)
    }
  })
  context.report({
    metric: "LSA fold-in, CPU",
    ours: folded.cpuMs / texts.length,
    n: texts.length,
    unit: "ms/passage"
  })
  const mixed = shuffled(made, seed)
  return {
    kind: learnedKind,
    vectors: mixed.slice(0, counts[size]),
    queries: mixed.slice(counts[size], counts[size] + queriesWanted)
  }
}

/** The worst case for a graph, since nothing lies near anything: half as many do to show it. */
export const randomVectors = ({ seed, size }: BenchContext): Material => {
  const draw = randomFrom(seed)
  const vector = () => {
    const raw = Float64Array.from({ length: dimensions }, () => draw() + draw() + draw() - 1.5)
    const length = Math.hypot(...raw)
    return Float32Array.from(raw, (value) => value / length)
  }
  return {
    kind: "random vectors",
    vectors: Array.from({ length: counts[size] / 2 }, vector),
    queries: Array.from({ length: 200 }, vector)
  }
}

/** Runs work and watches how long the main loop is held meanwhile. */
export const offTheLoop = async <A>(work: () => Promise<A>) => {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  let result: A | undefined
  const cost = await costOf(async () => {
    result = await work()
  })
  // A loop that was held all the time shows it only at its next turn.
  await new Promise((resolve) => setTimeout(resolve, 20))
  delay.disable()
  if (result === undefined) throw new Error("The work gave nothing.")
  return { ...cost, result, maxMs: delay.max / 1e6, p99Ms: delay.percentile(99) / 1e6 }
}

export const reportDelay = (
  { report }: BenchContext,
  metric: string,
  ours: { readonly maxMs: number; readonly p99Ms: number },
  floor: { readonly maxMs: number; readonly p99Ms: number } | null = null,
  peer = ""
): void => {
  const row = { ratio: null, n: 1, unit: "ms", peer }
  report({ ...row, metric: `${metric}: event-loop delay p99`, ours: ours.p99Ms, floor: floor?.p99Ms ?? null })
  report({ ...row, metric: `${metric}: event-loop delay max`, ours: ours.maxMs, floor: floor?.maxMs ?? null })
}
