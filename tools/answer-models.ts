import type { StatementRow } from "../bench/statement-rows.js"
import type { Logistic } from "../core/answers/calibration/index.js"
import {
  byRank,
  featuresOf,
  furtherMargin,
  isRefused,
  statementFeatures
} from "../core/answers/selection/index.js"
import { minimize } from "./minimize.js"

const penalty = { statement: 1, answer: 20 }

/** Features that can only speak for a statement, and those that can only speak against it. */
const speaksFor = new Set(
  "own head near passage bm25 cosine ordered exact namesHeld namesNear namesPassage codesHeld kindHeld counted placeName personName score margin otherMargin nearBest passageBest cosineBest".split(
    " "
  )
)
const speaksAgainst = new Set("missing missingPool kindMissing denied askedDenied past entropy".split(" "))

/**
 * Fits weights whose signs are given by what their features mean, so that features that say nearly the same cannot
 * take opposite sides: such a weight is the square of what is fitted, with its sign.
 */
const minimizeSigned = (
  of: (weights: Float64Array, gradient: Float64Array) => number,
  names: ReadonlyArray<string>,
  further = 0
): Float64Array => {
  const signs = [
    ...names.map((name) => (speaksFor.has(name) ? 1 : speaksAgainst.has(name) ? -1 : 0)),
    ...Array.from({ length: further }, () => 0)
  ]
  const weightsOf = (x: Float64Array) =>
    x.map((one, at) => (signs[at] === 0 ? one : (signs[at] ?? 0) * one * one))
  const start = Float64Array.from(signs, (sign) => (sign === 0 ? 0 : startWeight))
  const x = minimize((at, gradient) => {
    const loss = of(weightsOf(at), gradient)
    for (const [column, sign] of signs.entries())
      if (sign !== 0) gradient[column] = (gradient[column] ?? 0) * 2 * sign * (at[column] ?? 0)
    return loss
  }, start)
  return weightsOf(x)
}
const startWeight = 0.3

interface Standard {
  readonly means: ReadonlyArray<number>
  readonly deviations: ReadonlyArray<number>
}

const standardOf = (rows: ReadonlyArray<ReadonlyArray<number>>, places: ReadonlyArray<number>): Standard => {
  const means = places.map((place) => rows.reduce((sum, row) => sum + (row[place] ?? 0), 0) / rows.length)
  const deviations = places.map((place, at) => {
    const mean = means[at] ?? 0
    return Math.sqrt(rows.reduce((sum, row) => sum + ((row[place] ?? 0) - mean) ** 2, 0) / rows.length)
  })
  return { means, deviations: deviations.map((one) => (one < 1e-6 ? 1 : one)) }
}

/** A large set would decide alone what an answer looks like. */
const setWeights = (questions: ReadonlyArray<StatementRow>): ReadonlyArray<number> => {
  const counts = new Map<string, number>()
  for (const { set } of questions) counts.set(set, (counts.get(set) ?? 0) + 1)
  const weights = questions.map(({ set }) => 1 / Math.sqrt(counts.get(set) ?? 1))
  const mean = weights.reduce((sum, one) => sum + one, 0) / weights.length
  return weights.map((one) => one / mean)
}

const matrix = (
  rows: ReadonlyArray<ReadonlyArray<number>>,
  places: ReadonlyArray<number>,
  standard: Standard
): Float32Array => {
  const cells = new Float32Array(rows.length * places.length)
  let at = 0
  for (const row of rows)
    for (const [column, place] of places.entries()) {
      cells[at] = ((row[place] ?? 0) - (standard.means[column] ?? 0)) / (standard.deviations[column] ?? 1)
      at += 1
    }
  return cells
}

/** Fits a conditional logit: of the statements of a question, the probability that one with the answer comes first. */
const fitStatements = (
  given: ReadonlyArray<StatementRow>,
  names: ReadonlyArray<string>
): Omit<Logistic, "intercept"> => {
  const questions = given.filter(
    ({ answerable, statements }) =>
      answerable !== false &&
      statements.some(({ carries }) => carries) &&
      statements.some(({ carries }) => !carries)
  )
  const weights = setWeights(questions)
  const places = names.map((name) => statementFeatures.indexOf(name))
  const rows = questions.flatMap(({ statements }) => statements.map(({ features }) => features))
  const standard = standardOf(rows, places)
  const cells = matrix(rows, places, standard)
  const width = places.length
  const of = (x: Float64Array, gradient: Float64Array): number => {
    let loss = 0
    let from = 0
    for (const [place, { statements }] of questions.entries()) {
      const weight = weights[place] ?? 1
      const scores = statements.map((_, at) => {
        let sum = 0
        const start = (from + at) * width
        for (let column = 0; column < width; column += 1)
          sum += (cells[start + column] ?? 0) * (x[column] ?? 0)
        return sum
      })
      const most = Math.max(...scores)
      const powers = scores.map((score) => Math.exp(score - most))
      let [all, right] = [0, 0]
      for (const [at, power] of powers.entries()) {
        all += power
        if (statements[at]?.carries === true) right += power
      }
      loss -= weight * Math.log(right / all)
      for (const [at, power] of powers.entries()) {
        const share = weight * (power / all - (statements[at]?.carries === true ? power / right : 0))
        if (share === 0) continue
        const start = (from + at) * width
        for (let column = 0; column < width; column += 1)
          gradient[column] = (gradient[column] ?? 0) + share * (cells[start + column] ?? 0)
      }
      from += statements.length
    }
    for (let column = 0; column < width; column += 1) {
      const weight = x[column] ?? 0
      loss += 0.5 * penalty.statement * weight * weight
      gradient[column] = (gradient[column] ?? 0) + penalty.statement * weight
    }
    return loss
  }
  return {
    names: [...names],
    ...{ means: [...standard.means], deviations: [...standard.deviations] },
    weights: [...minimizeSigned(of, names)]
  }
}

const linear = (
  { deviations, means, names, weights }: Omit<Logistic, "intercept">,
  valueOf: (name: string) => number
): number =>
  names.reduce(
    (sum, name, at) =>
      sum + ((weights[at] ?? 0) * (valueOf(name) - (means[at] ?? 0))) / (deviations[at] ?? 1),
    0
  )

/** The answer that the built-in model would give to a question, and whether it is right. */
export interface Given {
  readonly row: StatementRow
  readonly features: Readonly<Record<string, number>>
  /** A value check keeps it from being given. */
  readonly isRefused: boolean
  readonly right: boolean
}

const place = new Map<string, number>(statementFeatures.map((name, at) => [name, at]))

export const answersBy = (
  scorer: Omit<Logistic, "intercept">,
  questions: ReadonlyArray<StatementRow>
): ReadonlyArray<Given> =>
  questions.flatMap((row) => {
    const scored = row.statements
      .map((one) => ({ ...one, score: linear(scorer, (name) => one.features[place.get(name) ?? -1] ?? 0) }))
      .sort(byRank)
    const features = featuresOf(scored)
    const [first, second] = scored
    if (features === null || first === undefined) return []
    const isFurther = second !== undefined && first.score - second.score < furtherMargin
    return [
      {
        row,
        features,
        isRefused: isRefused(first, scored),
        right: row.answerable !== false && (first.right || (isFurther && second.right))
      }
    ]
  })

/** Fits the probability that the answer is right. Questions where silence is right too are left out. */
const fitAnswers = (
  given: ReadonlyArray<Given>,
  made: ReadonlyArray<Given>,
  names: ReadonlyArray<string>
): Logistic => {
  const own = given.filter(({ isRefused, row }) => !isRefused && row.answerable !== null)
  const items = [...own, ...made.filter(({ isRefused }) => !isRefused)]
  const ownWeights = setWeights(own.map(({ row }) => row))
  const sums = new Map<string, { answerable: number; unanswerable: number; made: number }>()
  for (const [at, { row }] of items.entries()) {
    const sum = sums.get(row.set) ?? { answerable: 0, unanswerable: 0, made: 0 }
    sums.set(row.set, sum)
    if (at >= own.length) sum.made += 1
    else if (row.answerable === true) sum.answerable += ownWeights[at] ?? 0
    else sum.unanswerable += ownWeights[at] ?? 0
  }
  const weights = items.map(({ row }, at) => {
    const sum = sums.get(row.set)
    if (at < own.length || sum === undefined) return ownWeights[at] ?? 0
    const wanted = (sum.answerable * unanswerableShare) / (1 - unanswerableShare)
    return Math.max(0, wanted - sum.unanswerable) / Math.max(1, sum.made)
  })
  const rows = items.map(({ features }) => names.map((name) => features[name] ?? 0))
  const places = names.map((_, at) => at)
  const standard = standardOf(rows, places)
  const cells = matrix(rows, places, standard)
  const width = names.length
  const fitted = minimizeSigned(
    (x, gradient) => {
      let loss = 0
      for (const [at, { right }] of items.entries()) {
        let sum = x[width] ?? 0
        for (let column = 0; column < width; column += 1)
          sum += (cells[at * width + column] ?? 0) * (x[column] ?? 0)
        const probability = 1 / (1 + Math.exp(-sum))
        const weight = weights[at] ?? 1
        loss -= weight * Math.log(Math.max(1e-12, right ? probability : 1 - probability))
        const error = weight * (probability - (right ? 1 : 0))
        for (let column = 0; column < width; column += 1)
          gradient[column] = (gradient[column] ?? 0) + error * (cells[at * width + column] ?? 0)
        gradient[width] = (gradient[width] ?? 0) + error
      }
      for (let column = 0; column < width; column += 1) {
        const weight = x[column] ?? 0
        loss += 0.5 * penalty.answer * weight * weight
        gradient[column] = (gradient[column] ?? 0) + penalty.answer * weight
      }
      return loss
    },
    names,
    1
  )
  return {
    names: [...names],
    means: [...standard.means],
    deviations: [...standard.deviations],
    weights: [...fitted.slice(0, width)],
    intercept: fitted[width] ?? 0
  }
}

export const probabilityBy = (model: Logistic, features: Readonly<Record<string, number>>): number =>
  1 / (1 + Math.exp(-model.intercept - linear(model, (name) => features[name] ?? 0)))

/** Features that take part, of the scorer and of the confidence. */
export interface Names {
  readonly statement: ReadonlyArray<string>
  readonly answer: ReadonlyArray<string>
}

/**
 * The same question where no document carries its answer: the statements of those that do are taken away. Every set
 * thereby has questions without an answer, whose statements still share words with them.
 */
const withheld = (row: StatementRow): ReadonlyArray<StatementRow> => {
  if (row.answerable !== true) return []
  const carriers = new Set(row.statements.flatMap(({ carries, document }) => (carries ? [document] : [])))
  const left = row.statements.filter(({ document, right }) => !carriers.has(document) && !right)
  if (carriers.size === 0 || left.length === 0) return []
  const bm25 = statementFeatures.indexOf("bm25")
  const best = Math.max(1e-9, ...left.map(({ features }) => features[bm25] ?? 0))
  return [
    {
      ...row,
      answerable: false,
      statements: left.map((one) => {
        const features = [...one.features]
        features[bm25] = (features[bm25] ?? 0) / best
        return { ...one, features, carries: false, right: false }
      })
    }
  ]
}

/** Share of the weight of a set that questions without an answer have. */
const unanswerableShare = 0.5

export const trained = (questions: ReadonlyArray<StatementRow>, names: Names) => {
  const statement = fitStatements(questions, names.statement)
  const [own, made] = [answersBy(statement, questions), answersBy(statement, questions.flatMap(withheld))]
  return { statement, answer: fitAnswers(own, made, names.answer) }
}
