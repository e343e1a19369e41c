import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import {
  certify,
  conformalThreshold,
  fitLogistic,
  gridRows,
  leastAbstention,
  measuresOf,
  objectiveOf,
  predictIsotonic,
  sigmoid,
  smallestPerfectSample,
  upperBound
} from "../../../../core/answers/calibration/index.js"
import {
  accuracy,
  adaptiveEce,
  aurc,
  auroc,
  brier,
  coverageAtRisk,
  ece,
  logLoss,
  optimalAurc,
  reliabilityBins,
  riskCoverage,
  selectiveAccuracy
} from "../../../../core/answers/measures/index.js"

interface IsotonicCase {
  readonly name: string
  readonly x: ReadonlyArray<number>
  readonly knotsX: ReadonlyArray<number>
  readonly knotsY: ReadonlyArray<number>
  readonly fitted: ReadonlyArray<number>
  readonly predict: ReadonlyArray<{ readonly x: number; readonly y: number }>
}

interface LogisticCase {
  readonly X: ReadonlyArray<ReadonlyArray<number>>
  readonly y: ReadonlyArray<number>
  readonly l2: number
  readonly expected: {
    readonly intercept: number
    readonly weights: ReadonlyArray<number>
    readonly objective: number
    readonly probabilities: ReadonlyArray<number>
  }
}

interface CalibrationCase {
  readonly name: string
  readonly confidence: ReadonlyArray<number>
  readonly correct: ReadonlyArray<number>
  readonly accuracy: number
  readonly riskCoverage: ReadonlyArray<number>
  readonly aurc: number
  readonly optimalAurc: number
  readonly eAurc: number
  readonly brier: number
  readonly logLoss: number
  readonly ece: { readonly bins: number; readonly value: number; readonly counts: ReadonlyArray<number> }
  readonly adaptiveEce: { readonly bins: number; readonly value: number }
  readonly coverageAtRisk: ReadonlyArray<{
    readonly risk: number
    readonly coverage: number
    readonly threshold: number | null
  }>
  readonly auroc: number | null
  readonly selectiveAccuracy: ReadonlyArray<{ readonly coverage: number; readonly value: number }>
}

interface RiskCase {
  readonly name: string
  readonly confidence: ReadonlyArray<number>
  readonly correct: ReadonlyArray<number>
  readonly alpha: number
  readonly delta: number
  readonly grid: ReadonlyArray<number>
  readonly start: number
  readonly rows: ReadonlyArray<{
    readonly threshold: number
    readonly answered: number
    readonly wrong: number
    readonly pValue: number
    readonly upperBound: number
  }>
  readonly certifiedThreshold: number | null
  readonly certifiedCoverage: number
  readonly crcThreshold: number | null
  readonly smallestPerfectSample: number
  readonly baseRisk: number
  readonly leastAbstention: number
}

const golden: {
  readonly tolerance: number
  readonly isotonic: ReadonlyArray<IsotonicCase>
  readonly logistic: ReadonlyArray<LogisticCase>
  readonly calibration: ReadonlyArray<CalibrationCase>
  readonly riskControl: ReadonlyArray<RiskCase>
} = JSON.parse(readFileSync(new URL("../../../fixtures/golden/calibration.json", import.meta.url), "utf8"))

const near = (ours: number, expected: number) =>
  expect(Math.abs(ours - expected), `${ours} beside ${expected}`).toBeLessThanOrEqual(golden.tolerance)
const allNear = (ours: ReadonlyArray<number>, expected: ReadonlyArray<number>) => {
  expect(ours).toHaveLength(expected.length)
  for (const [at, value] of expected.entries()) near(ours[at] ?? Number.NaN, value)
}

describe("the computed cases of calibration", () => {
  it.each(golden.isotonic)(
    "an increasing function by its knots: $name",
    ({ fitted, knotsX, knotsY, predict, x }) => {
      const knots = { x: [...knotsX], y: [...knotsY] }
      allNear(
        x.map((at) => predictIsotonic(knots, at)),
        fitted
      )
      for (const one of predict) near(predictIsotonic(knots, one.x), one.y)
    }
  )

  it.each(golden.logistic)("logistic regression with $l2", ({ X, expected, l2, y }) => {
    const rows = X.map((features, at) => ({ features, right: y[at] === 1 }))
    const { intercept, weights } = fitLogistic(rows, l2)
    near(intercept, expected.intercept)
    allNear(weights, expected.weights)
    near(objectiveOf(rows, [intercept, ...weights], l2), expected.objective)
    allNear(
      X.map((row) => sigmoid(row.reduce((sum, value, at) => sum + value * (weights[at] ?? 0), intercept))),
      expected.probabilities
    )
  })

  it.each(golden.calibration)("measures: $name", (one) => {
    const items = one.confidence.map((confidence, at) => ({ confidence, right: one.correct[at] === 1 }))
    near(accuracy(items), one.accuracy)
    allNear(riskCoverage(items), one.riskCoverage)
    near(aurc(items), one.aurc)
    near(optimalAurc(items), one.optimalAurc)
    near(measuresOf(items).excessAurc, one.eAurc)
    near(brier(items), one.brier)
    near(logLoss(items), one.logLoss)
    near(ece(items, one.ece.bins), one.ece.value)
    expect(reliabilityBins(items, one.ece.bins).map(({ count }) => count)).toEqual(one.ece.counts)
    near(adaptiveEce(items, one.adaptiveEce.bins), one.adaptiveEce.value)
    const area = auroc(items)
    if (one.auroc === null) expect(area).toBeNull()
    else near(area ?? Number.NaN, one.auroc)
    for (const { coverage, value } of one.selectiveAccuracy) near(selectiveAccuracy(items, coverage), value)
    for (const { coverage, risk, threshold } of one.coverageAtRisk) {
      const ours = coverageAtRisk(items, risk)
      near(ours.coverage, coverage)
      expect(ours.threshold).toBe(threshold)
    }
  })

  it.each(golden.riskControl)("risk control: $name", (one) => {
    const items = one.confidence.map((confidence, at) => ({
      confidence,
      right: one.correct[at] === 1,
      answers: true
    }))
    const rows = gridRows(items, one.grid, one.alpha)
    expect(rows).toHaveLength(one.rows.length)
    for (const [at, { answered, pValue, threshold, upperBound: bound, wrong }] of one.rows.entries()) {
      const row = rows[at]
      expect(row).toMatchObject({ threshold, answered, wrong })
      near(row?.pValue ?? Number.NaN, pValue)
      near(upperBound(wrong, answered, one.delta), bound)
    }
    const certified = certify(rows, one.start, one.delta)
    expect(certified?.threshold ?? null).toBe(one.certifiedThreshold)
    near((certified?.answered ?? 0) / items.length, one.certifiedCoverage)
    expect(conformalThreshold(rows, items.length, one.alpha)).toBe(one.crcThreshold)
    expect(smallestPerfectSample(one.alpha, one.delta)).toBe(one.smallestPerfectSample)
    near(1 - accuracy(items), one.baseRisk)
    near(leastAbstention(one.baseRisk, one.alpha), one.leastAbstention)
  })
})
