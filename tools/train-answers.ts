/**
 * Trains the scorer of statements and the confidence of the built-in model, prints the figures of articles and of sets
 * left out, and writes both to `core/answers/calibration/shipped.ts`. Run `npx tsx tools/train-answers.ts`; `--from FILE` reuses
 * the features of an earlier run, `--to FILE` keeps them. Needs the collections of docs/benchmarks.md.
 */
import { createHash } from "node:crypto"
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { readStatements, type StatementRow } from "../bench/statement-rows.js"
import { pipelineVersion } from "../core/answers/answering/index.js"
import {
  type Artefact,
  calibrationVersionOf,
  fitLogistic,
  type Logistic,
  logit,
  measuresOf,
  type Scale,
  uncertifiedThreshold
} from "../core/answers/calibration/index.js"
import { extractiveModelId } from "../core/answers/extractive/index.js"
import { promptVersion } from "../core/answers/generation/index.js"
import { verifierId } from "../core/answers/grounding/index.js"
import { auroc, type Judged } from "../core/answers/measures/index.js"
import { featuresId } from "../core/answers/policy/index.js"
import { answerFeatures, statementFeatures } from "../core/answers/selection/index.js"
import { canonicalJson } from "../core/platform/kernel/index.js"
import { answersBy, type Given, type Names, probabilityBy, trained } from "./answer-models.js"

const seed = "1"
const folds = 4
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

interface Predicted extends Given {
  readonly probability: number
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
const familyOf = ({ set }: StatementRow): string => families[set.replace(/ \(.*\)$/u, "")] ?? "own"

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
  const names: Names = { statement: statementFeatures, answer: answerFeatures }
  const unscaled = Array.from({ length: folds }, (_, fold) =>
    predict(questions, (row) => foldOf(row) === fold, names)
  ).flat()
  const scale = fitScale(unscaled)
  const byGroup = scaled(scale, unscaled)
  print("articles, conversations and vaults left out", figuresOf(byGroup, answerFloor))
  const bySet = (values.quick ? [] : [...new Set(questions.map(familyOf))]).flatMap((family) =>
    scaled(
      fitScale(unscaled.filter(({ row }) => familyOf(row) !== family)),
      predict(questions, (row) => familyOf(row) === family, names)
    )
  )
  print("whole sets left out", figuresOf(bySet, answerFloor))
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
  const shippedScale = { intercept: short(scale.intercept), slope: short(scale.slope) }
  const artefact: Artefact = {
    format: 1,
    features: featuresId,
    model,
    scale: shippedScale,
    knots: null,
    least: 0.01,
    most: 0.99,
    prior: { ...model, ...priorBounds(shippedScale) },
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
  writeFileSync(shippedFile, sourceOf(calibrationVersionOf(artefact, sha256), artefact, compact(statement)))
  console.log(`wrote ${shippedFile}`)
}

/** The rest of the model before generation, which is the model itself. */
const priorBounds = (scale: Artefact["scale"]) => ({ scale, threshold: 0, least: 0.01, most: 0.99 })

const short = (value: number): number => Number(value.toPrecision(5))

const shippedFile = fileURLToPath(new URL("../core/answers/calibration/shipped.ts", import.meta.url))

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

/** A model in source text, with its names in one line of words. */
const modelText = ({ names, ...numbers }: Omit<Logistic, "intercept">): string =>
  `{ names: ${JSON.stringify(names.join(" "))}.split(" "), ${JSON.stringify(numbers).slice(1)}`

const sourceOf = (
  version: string,
  { model, prior: _, ...artefact }: Artefact,
  statement: Omit<Logistic, "intercept">
): string => `// Generated by \`npx tsx tools/train-answers.ts\`.
import type { ActiveCalibration, Logistic } from "./model.js"

/** Least probability that an answer of the built-in model is right, for it to be given. */
export const answerFloor = ${answerFloor}

/**
 * Scores statements as answers: a linear function of standardized features. Fitted, like the calibration below, on the
 * sets that docs/answers-quality.md lists.
 */
export const statementScorer: Omit<Logistic, "intercept"> = ${modelText(statement)}

/** The probability that an answer is right. */
const model: Logistic = ${modelText(model)}

/** The calibration of a workspace that has none of its own. */
export const shippedCalibration: ActiveCalibration = {
  version: "${version}",
  fittedAt: null,
  artefact: { model, prior: { ...model, ${JSON.stringify(priorBounds(artefact.scale)).slice(1)}, ${JSON.stringify(artefact).slice(1)}
}
`

await main()
