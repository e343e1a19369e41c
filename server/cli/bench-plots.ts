import * as Plot from "@observablehq/plot"
import { parseHTML } from "linkedom"
import {
  type Judgments,
  type Ranking,
  reliabilityBins,
  riskCoverage
} from "../../core/work/evaluation/index.js"

/** Result of one run for one topic. */
export interface PlottedTopic {
  readonly topic: string
  readonly ranking: Ranking
  readonly judgments: Judgments
  /** Score of the first result over the largest such score of the run. */
  readonly confidence: number
  readonly value: number
}

/** The plots of a bench as SVG, by file name. */
export const benchPlots = (
  runs: ReadonlyMap<string, ReadonlyArray<PlottedTopic>>,
  metric: string
): ReadonlyMap<string, string> => {
  const all = [...runs]
  const judged = all.map(([run, topics]) => {
    const items = topics.map(({ confidence, judgments, ranking }) => ({
      confidence,
      right: (judgments.get(ranking[0] ?? "") ?? 0) >= 1
    }))
    return { run, items }
  })
  const curve = judged.flatMap(({ items, run }) =>
    riskCoverage(items).map((risk, at) => ({ run, coverage: (at + 1) / items.length, risk }))
  )
  const bins = judged.flatMap(({ items, run }) =>
    reliabilityBins(items).flatMap(({ accuracy, confidence }) =>
      accuracy === null || confidence === null ? [] : [{ run, confidence, accuracy }]
    )
  )
  const [first, last] = [all[0], all.at(-1)]
  const before = new Map((first?.[1] ?? []).map(({ topic, value }) => [topic, value]))
  const differences = (last?.[1] ?? [])
    .map(({ topic, value }) => ({ topic, difference: value - (before.get(topic) ?? 0) }))
    .sort((a, b) => b.difference - a.difference || (a.topic < b.topic ? -1 : 1))
    .map((one, at) => ({ ...one, place: at + 1 }))
  const pairs: ReadonlyArray<readonly [string, Plot.PlotOptions]> = [
    [
      "precision-recall.svg",
      {
        x: { label: "recall", domain: [0, 1] },
        y: { label: "interpolated precision", domain: [0, 1], grid: true },
        marks: curves(
          all.flatMap(([run, topics]) => precisionRecall(run, topics)),
          "recall",
          "precision"
        )
      }
    ],
    [
      "risk-coverage.svg",
      {
        x: { label: "coverage, most confident first", domain: [0, 1] },
        y: { label: "share whose first result is not relevant", grid: true },
        marks: curves(curve, "coverage", "risk")
      }
    ],
    [
      "reliability.svg",
      {
        x: { label: "score of the first result, scaled", domain: [0, 1] },
        y: { label: "share whose first result is relevant", domain: [0, 1], grid: true },
        marks: [
          Plot.line(
            [
              { x: 0, y: 0 },
              { x: 1, y: 1 }
            ],
            { x: "x", y: "y", stroke: "#999", strokeDasharray: "4" }
          ),
          ...curves(bins, "confidence", "accuracy")
        ]
      }
    ],
    [
      "differences.svg",
      {
        x: { label: `topics by difference, ${last?.[0] ?? ""} against ${first?.[0] ?? ""}`, ticks: [] },
        y: { label: `difference of ${metric}`, grid: true },
        marks: [Plot.barY(differences, { x: "place", y: "difference", fill: "#3b7dd8" }), Plot.ruleY([0])]
      }
    ]
  ]
  return new Map(pairs.map(([file, options]) => [file, drawn(options)]))
}

/** A line for each run, with its name at the end. */
const curves = <Point extends { readonly run: string }>(
  points: ReadonlyArray<Point>,
  x: keyof Point & string,
  y: keyof Point & string
): Array<Plot.Markish> => [
  Plot.line([...points], { x, y, stroke: "run", z: "run", marker: "dot" }),
  Plot.text(
    [...points],
    Plot.selectLast({ x, y, z: "run", text: "run", fill: "run", textAnchor: "start", dx: 6 })
  )
]

/** Precision at eleven levels of recall, interpolated as TREC does, averaged over the topics. */
const precisionRecall = (run: string, topics: ReadonlyArray<PlottedTopic>) => {
  const levels = Array.from({ length: 11 }, (_, at) => at / 10)
  const curves = topics.map(({ judgments, ranking }) => {
    const all = [...judgments.values()].filter((grade) => grade >= 1).length
    let found = 0
    const points = ranking.map((id, place) => {
      if ((judgments.get(id) ?? 0) >= 1) found += 1
      return { recall: all === 0 ? 0 : found / all, precision: found / (place + 1) }
    })
    return levels.map((level) =>
      Math.max(0, ...points.flatMap(({ precision, recall }) => (recall >= level - 1e-12 ? [precision] : [])))
    )
  })
  return levels.map((recall, at) => ({
    run,
    recall,
    precision: curves.reduce((sum, curve) => sum + (curve[at] ?? 0), 0) / Math.max(1, curves.length)
  }))
}

const drawn = (options: Plot.PlotOptions): string => {
  const { document } = parseHTML("<!doctype html><html><body></body></html>")
  const plot = Plot.plot({ ...options, document, width: 720, height: 400, marginRight: 160 })
  plot.setAttribute("xmlns", "http://www.w3.org/2000/svg")
  return `${plot.outerHTML}\n`
}
