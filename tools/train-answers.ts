/**
 * Trains the scorer of statements and the confidence of the built-in model, and writes both, with the sets and figures
 * that they come from, to `core/calibration/shipped.ts`. Run `npx tsx tools/train-answers.ts`; `--from FILE` reuses
 * the features of an earlier run, `--to FILE` keeps them. Needs the collections of docs/benchmarks.md.
 */
import { createHash } from "node:crypto"
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { readStatements, type StatementRow } from "../bench/statement-rows.js"
import { pipelineVersion } from "../core/answering/index.js"
import {
  type Artefact,
  calibrationVersionOf,
  fitLogistic,
  type Logistic,
  logit,
  measuresOf,
  type Scale,
  uncertifiedThreshold
} from "../core/calibration/index.js"
import {
  answerFeatures,
  extractiveModelId,
  failsValueCheck,
  featuresOf,
  furtherMargin,
  statementFeatures
} from "../core/extractive/index.js"
import { promptVersion } from "../core/generation/index.js"
import { verifierId } from "../core/grounding/index.js"
import { canonicalJson } from "../core/kernel/index.js"
import { auroc, type Judged } from "../core/measures/index.js"
import { featuresId } from "../core/policy/index.js"
import { minimize } from "./minimize.js"

const seed = "1"
const folds = 4
const penalty = { statement: 1, answer: 20 }
/** A weight below this, in standard deviations of the feature, is left out of both models. */
const weightMin = 0.03

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

/** Features that can only speak for a statement, and those that can only speak against it. */
const speaksFor = new Set(
  "own head near passage exact bm25 rank lexical cosine ordered adjacent namesHeld namesNear namesPassage codesHeld number+ date+ person+ place+ reason+ procedure+ list+ definition+ counted placeName personName score margin otherMargin share documentShare firstThree nearBest passageBest cosineBest lexicalBest namesPassageBest defines opensSubject reasonAbove listAsked nearest".split(
    " "
  )
)
const speaksAgainst = new Set(
  "missing missingPassage missingNear missingWords missingWordsNear missingPool missingPassageLeast number- date- person- place- reason- procedure- list- definition- uncounted swapped opposed denied askedDenied deniedWord over past leadIn ownGap nearGap passageGap titleGap nameClash nameElsewhere verbMissing spread entropy otherState listUnasked".split(
    " "
  )
)

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
interface Given {
  readonly row: StatementRow
  readonly features: Readonly<Record<string, number>>
  /** A value check keeps it from being given. */
  readonly isRefused: boolean
  readonly right: boolean
}

const place = new Map<string, number>(statementFeatures.map((name, at) => [name, at]))

const answersBy = (
  scorer: Omit<Logistic, "intercept">,
  questions: ReadonlyArray<StatementRow>
): ReadonlyArray<Given> =>
  questions.flatMap((row) => {
    const scored = row.statements
      .map((one) => ({ ...one, score: linear(scorer, (name) => one.features[place.get(name) ?? -1] ?? 0) }))
      .sort((a, b) => b.score - a.score)
    const features = featuresOf(scored)
    const [first, second] = scored
    if (features === null || first === undefined) return []
    const isFurther = second !== undefined && first.score - second.score < furtherMargin
    return [
      {
        row,
        features,
        isRefused: failsValueCheck(first.features),
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

const probabilityBy = (model: Logistic, features: Readonly<Record<string, number>>): number =>
  1 / (1 + Math.exp(-model.intercept - linear(model, (name) => features[name] ?? 0)))

interface Predicted extends Given {
  readonly probability: number
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
  const at = (name: string) => statementFeatures.indexOf(name)
  const most = (of: (features: ReadonlyArray<number>) => number) =>
    Math.max(...left.map(({ features }) => of(features)))
  const gaps = ["own", "near", "passage", "title"].map((name) => {
    const place = at(name)
    return { place, gap: at(`${name}Gap`), best: most((features) => features[place] ?? 0) }
  })
  const bm25 = {
    place: at("bm25"),
    best: Math.max(
      1e-9,
      most((features) => features[at("bm25")] ?? 0)
    )
  }
  return [
    {
      ...row,
      answerable: false,
      statements: left.map((one) => {
        const features = [...one.features]
        for (const { best, gap, place: held } of gaps) features[gap] = best - (features[held] ?? 0)
        features[bm25.place] = (features[bm25.place] ?? 0) / bm25.best
        return { ...one, features, carries: false, right: false }
      })
    }
  ]
}

/**
 * The same question in a workspace without vectors. Small vaults have none, and the foreign sets all do, so that the
 * scorer would otherwise learn what such a vault looks like from vaults of our own alone.
 */
const withoutVectors = (row: StatementRow): StatementRow => ({
  ...row,
  statements: row.statements.map((one) => ({
    ...one,
    features: one.features.map((value, at) => (at === cosineAt ? 0 : value))
  }))
})
const cosineAt = statementFeatures.indexOf("cosine")

/** Share of the weight of a set that questions without an answer have. */
const unanswerableShare = 0.5

const trained = (questions: ReadonlyArray<StatementRow>, names: Names) => {
  const train = [...questions, ...questions.map(withoutVectors)]
  const statement = fitStatements(train, names.statement)
  const [own, made] = [answersBy(statement, train), answersBy(statement, train.flatMap(withheld))]
  return { statement, answer: fitAnswers(own, made, names.answer) }
}

/** Sets with questions that were written to look answerable, or were asked by people and found no answer. */
const hardFamilies = new Set(["squad2", "clapnq", "mtragun"])

/**
 * Fits a scale on the questions of sets with true near-misses, each set counting as much: what share of questions has
 * an answer is a matter of the set, and confidence should rather say too little.
 */
const fitScale = (predicted: ReadonlyArray<Predicted>): Scale => {
  const items = predicted.filter(
    ({ isRefused, row }) => !isRefused && row.answerable !== null && hardFamilies.has(familyOf(row))
  )
  const counts = new Map<string, number>()
  for (const { row } of items) counts.set(row.set, (counts.get(row.set) ?? 0) + 1)
  const { intercept, weights } = fitLogistic(
    items.map(({ probability, right, row }) => ({
      features: [logit(probability)],
      right,
      weight: items.length / Math.sqrt(counts.get(row.set) ?? 1) / 1000
    })),
    1e-6
  )
  return { intercept, slope: weights[0] ?? 1 }
}

const scaled = ({ intercept, slope }: Scale, predicted: ReadonlyArray<Predicted>): ReadonlyArray<Predicted> =>
  predicted.map((one) => ({
    ...one,
    probability: one.isRefused ? 0 : 1 / (1 + Math.exp(-intercept - slope * logit(one.probability)))
  }))

/**
 * Features that rank the statements of one question and say little of whether any of them answers it: left out, the
 * figures of sets left out are the same, and short statements and passages without a rank are judged as others are.
 */
const unfitForConfidence = new Set(["words", "newWords", "short", "rank"])

/** What is rarer is known from a handful of questions of one set, which say nothing of others. */
const rareDeviation = 0.12
const deviationOf = ({ deviations, names }: Logistic, name: string): number =>
  deviations[names.indexOf(name)] ?? 0

interface Names {
  readonly statement: ReadonlyArray<string>
  readonly answer: ReadonlyArray<string>
}

const predict = (
  questions: ReadonlyArray<StatementRow>,
  isLeft: (row: StatementRow) => boolean,
  names: Names
): ReadonlyArray<Predicted> => {
  const { answer, statement } = trained(
    questions.filter((row) => !isLeft(row)),
    names
  )
  return answersBy(statement, questions.filter(isLeft)).map((one) => ({
    ...one,
    probability: one.isRefused ? 0 : probabilityBy(answer, one.features)
  }))
}

/** Sets that belong together: the same articles in three languages, the vaults of our own. */
const families: Readonly<Record<string, string>> = {
  "xquad-dev-en": "xquad",
  "xquad-dev-de": "xquad",
  "xquad-dev-es": "xquad",
  "squad2-dev-8": "squad2",
  "clapnq-dev": "clapnq",
  "mtragun-dev": "mtragun"
}
const familyOf = ({ set }: StatementRow): string => families[set] ?? "own"

const foldOf = (row: StatementRow): number =>
  // An article is in one fold in all of its languages.
  Number.parseInt(sha256(`${seed} ${familyOf(row)} ${row.group}`).slice(0, 8), 16) % folds

interface Figures {
  readonly set: string
  readonly questions: number
  readonly bestRight: number
  readonly right: number
  readonly rightOfAnswered: number
  readonly unanswerableAnswered: number | null
  readonly auroc: number | null
  readonly ece: number
}

const rounded = (value: number): number => Math.round(value * 100) / 100

const figuresOf = (all: ReadonlyArray<Predicted>, floor: number): ReadonlyArray<Figures> =>
  [...new Set(all.map(({ row }) => row.set))].map((set) => {
    const own = all.filter(({ row }) => row.set === set)
    const answerable = own.filter(({ row }) => row.answerable === true)
    const unanswerable = own.filter(({ row }) => row.answerable === false)
    const given = (of: ReadonlyArray<Predicted>) => of.filter(({ probability }) => probability >= floor)
    const share = (of: ReadonlyArray<unknown>, all: ReadonlyArray<unknown>) =>
      all.length === 0 ? 0 : rounded(of.length / all.length)
    const judged: ReadonlyArray<Judged> = [...answerable, ...unanswerable].map(({ probability, row }) => ({
      confidence: probability,
      right: row.answerable === true
    }))
    return {
      set,
      questions: own.length,
      bestRight: share(
        answerable.filter(({ right }) => right),
        answerable
      ),
      right: share(
        given(answerable).filter(({ right }) => right),
        answerable
      ),
      rightOfAnswered: share(
        given(answerable).filter(({ right }) => right),
        given(answerable)
      ),
      unanswerableAnswered: unanswerable.length === 0 ? null : share(given(unanswerable), unanswerable),
      auroc: answerable.length === 0 || unanswerable.length === 0 ? null : rounded(auroc(judged) ?? 0),
      ece: rounded(
        measuresOf(given(own).map(({ probability, right }) => ({ confidence: probability, right }))).ece
      )
    }
  })

const print = (title: string, figures: ReadonlyArray<Figures>): void => {
  console.log(`\n${title}`)
  console.table(Object.fromEntries(figures.map(({ set, ...rest }) => [set, rest])))
}

/** Least probability of an answer that is given; chosen on articles left out, see docs/answers-quality.md. */
const answerFloor = 0.41

const main = async (): Promise<void> => {
  const { values } = parseArgs({
    options: {
      from: { type: "string" },
      to: { type: "string" },
      dry: { type: "boolean", default: false },
      quick: { type: "boolean", default: false }
    }
  })
  const questions = await readStatements(values.from, values.to)
  const all: Names = {
    statement: statementFeatures,
    answer: answerFeatures.filter((name) => !unfitForConfidence.has(name))
  }
  const whole = trained(questions, all)
  const isKept = (name: string) =>
    [whole.statement, whole.answer].some(
      ({ names, weights }) => Math.abs(weights[names.indexOf(name)] ?? 0) >= weightMin
    )
  const names: Names = {
    statement: all.statement.filter(isKept),
    answer: all.answer.filter((name) => isKept(name) && deviationOf(whole.answer, name) >= rareDeviation)
  }
  console.log(`left out: ${all.answer.filter((name) => !names.answer.includes(name)).join(", ")}`)
  const unscaled = Array.from({ length: folds }, (_, fold) =>
    predict(questions, (row) => foldOf(row) === fold, names)
  ).flat()
  const scale = fitScale(unscaled)
  const byGroup = scaled(scale, unscaled)
  for (const floor of [0.3, 0.32, 0.34, 0.36, 0.38, 0.4, 0.42, 0.45]) {
    const own = byGroup.filter(({ row }) => familyOf(row) === "own")
    const given = own.filter(({ probability }) => probability >= floor)
    const of = (all: ReadonlyArray<Predicted>, answerable: boolean) =>
      all.filter(({ row }) => row.answerable === answerable)
    console.log(
      floor,
      "own",
      of(given, true).filter(({ right }) => right).length / of(own, true).length,
      of(given, true).filter(({ right }) => right).length / of(given, true).length,
      of(given, false).length / of(own, false).length,
      of(own, false).length
    )
    console.log(
      floor,
      figuresOf(byGroup, floor)
        .slice(0, 6)
        .map(
          ({ right, rightOfAnswered, set, unanswerableAnswered }) =>
            `${set} ${right} ${rightOfAnswered} ${unanswerableAnswered}`
        )
        .join("; ")
    )
  }
  const groupFigures = figuresOf(byGroup, answerFloor)
  print("articles, conversations and vaults left out", groupFigures)
  const bySet = (values.quick ? [] : [...new Set(questions.map(familyOf))]).flatMap((family) =>
    scaled(
      fitScale(unscaled.filter(({ row }) => familyOf(row) !== family)),
      predict(questions, (row) => familyOf(row) === family, names)
    )
  )
  const setFigures = figuresOf(bySet, answerFloor)
  print("whole sets left out", setFigures)
  if (values.dry) return
  const { answer, statement } = trained(questions, names)
  const measured = byGroup.filter(
    ({ probability, row }) => row.answerable !== null && probability >= answerFloor
  )
  const compact = <Model extends Omit<Logistic, "intercept">>(model: Model): Model => ({
    ...model,
    means: model.means.map(short),
    deviations: model.deviations.map(short),
    weights: model.weights.map(short)
  })
  const model = { ...compact(answer), intercept: short(answer.intercept) }
  const artefact: Artefact = {
    format: 1,
    features: featuresId,
    model,
    scale: { intercept: short(scale.intercept), slope: short(scale.slope) },
    knots: null,
    least: 0.01,
    most: 0.99,
    prior: {
      ...model,
      scale: { intercept: short(scale.intercept), slope: short(scale.slope) },
      threshold: 0,
      least: 0.01,
      most: 0.99
    },
    risk: {
      alpha: 0.1,
      delta: 0.1,
      grid: [uncertifiedThreshold],
      start: 0,
      threshold: uncertifiedThreshold,
      certified: false,
      answered: measured.length,
      wrong: measured.filter(({ right }) => !right).length,
      bound: 1,
      conformalThreshold: null
    },
    seed,
    fitted: questions.length,
    calibrated: measured.length,
    measures: measuresOf(measured.map(({ probability, right }) => ({ confidence: probability, right }))),
    fingerprint,
    dataset: sha256(
      canonicalJson(
        questions.map(({ answerable, group, set, text }) => `${set} ${group} ${text} ${answerable}`).sort()
      )
    )
  }
  writeFileSync(
    shippedFile,
    sourceOf(calibrationVersionOf(artefact, sha256), artefact, compact(statement), groupFigures, setFigures)
  )
  console.log(`wrote ${shippedFile}`)
}

const short = (value: number): number => Number(value.toPrecision(5))

const shippedFile = fileURLToPath(new URL("../core/calibration/shipped.ts", import.meta.url))

/** The built-in models throughout. */
const fingerprint: Artefact["fingerprint"] = {
  chat: extractiveModelId,
  embedder: null,
  reranker: null,
  judge: verifierId,
  prompt: promptVersion,
  verifier: verifierId,
  pipeline: pipelineVersion
}

const sourceOf = (
  version: string,
  artefact: Artefact,
  statement: Omit<Logistic, "intercept">,
  groups: ReadonlyArray<Figures>,
  sets: ReadonlyArray<Figures>
): string => `// Generated by \`npx tsx tools/train-answers.ts\`.
import type { ActiveCalibration, Logistic } from "./model.js"

/** Least probability that an answer of the built-in model is right, for it to be given. */
export const answerFloor = ${answerFloor}

/**
 * Scores statements as answers: a linear function of standardized features. Fitted, like the calibration below, on the
 * questions of the sets in \`trainingFigures\`.
 */
export const statementScorer: Omit<Logistic, "intercept"> = ${JSON.stringify(statement, null, 2)}

/** The calibration of a workspace that has none of its own. Its model is the probability that an answer is right. */
export const shippedCalibration: ActiveCalibration = ${JSON.stringify({ version, fittedAt: null, artefact }, null, 2)}

/** Figures of each set with its articles or vaults left out of the training, and with the whole set left out. */
export const trainingFigures = ${JSON.stringify({ groupsLeftOut: groups, setsLeftOut: sets }, null, 2)}
`

await main()
