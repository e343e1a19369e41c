import { createHash } from "node:crypto"
import { measuresOf, shippedCalibration } from "../core/answers/calibration/index.js"
import { answerF1, aurc, auroc, type Judged, riskCoverage } from "../core/answers/measures/index.js"
import { type AskedItem, answerFolders, askCollection, halvesOf } from "./answers-data.js"
import { randomFrom } from "./random.js"
import type { BenchContext } from "./result.js"
import { mean } from "./statistics.js"

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

/**
 * Target AUROC of answerable against unanswerable questions; scores of retrieval alone reach 0.51 to 0.58, and 0.71.
 */
const aims: Readonly<Record<string, number>> = { "squad2-dev-sample": 0.7, "mtragun-dev": 0.82 }
const eceAim = 0.08
const draws = 2000

/**
 * Asks the questions of the half that the shipped calibration was not fitted on: answers, citations, confidences, and
 * the order that confidences give, beside answering always and a threshold on the score of the first passage.
 */
export const answers = async (context: BenchContext): Promise<void> => {
  const { say, size, skip } = context
  const asked: Array<AskedItem> = []
  for (const folder of answerFolders) {
    const items = await askCollection(folder, size === "small" ? 60 : Infinity)
    if (items === null) return skip(`The folder ${folder} is not there: see docs/benchmarks.md.`)
    asked.push(...items)
  }
  const { held } = halvesOf(asked, sha256)
  say(`calibration ${shippedCalibration.version}; ${held.length} questions kept apart`)
  for (const folder of answerFolders)
    ofCollection(
      context,
      folder,
      held.filter((one) => one.folder === folder)
    )
  ofCollection(context, "both", held)
}

const ofCollection = (context: BenchContext, name: string, items: ReadonlyArray<AskedItem>): void => {
  const given = items.filter((one) => one.answered)
  const put = putter(context, name)
  put("questions answered", given.length, items.length, items.length)
  put("answers right", given.filter(({ right }) => right).length, given.length, given.length)
  const golden = items.filter(({ golds }) => golds.length > 0)
  if (golden.length > 0)
    put("answer F1, answerable questions", mean(golden.map(answerScore)), null, golden.length)
  put("citations that carry their claim", ...carried(given))
  const cited = given.filter(({ answerable, hasRelevant }) => answerable && hasRelevant)
  const relevant = cited.flatMap(({ citedRelevant }) => citedRelevant)
  put("citations of a passage judged to answer", share(relevant), null, relevant.length)
  put(
    "answers that cite a passage judged to answer",
    share(cited.map(({ citedRelevant }) => citedRelevant.includes(true))),
    null,
    cited.length
  )
  ofConfidence(context, name, items)
  ofOrder(context, name, given)
}

type Put = (metric: string, ours: number, floor: number | null, n: number, peer?: string) => void

const putter =
  ({ report }: BenchContext, name: string): Put =>
  (metric, ours, floor, n, peer = "all") =>
    report({
      metric: `${name}: ${metric}`,
      ours,
      floor: floor ?? 1,
      ratio: floor === null || floor === 0 ? null : ours / floor,
      n,
      unit: "",
      peer: floor === null ? "none" : peer
    })

/** Token F1 of the best claim; an abstention scores 0. */
const answerScore = ({ golds, traced }: AskedItem): number =>
  Math.max(0, ...traced.answer.claims.map(({ text }) => answerF1(text, golds)))

/** Share of citations that carry their claim. It should be 1 for the extractive model, whose claims are quotes. */
const carried = (given: ReadonlyArray<AskedItem>): readonly [number, null, number] => {
  const checks = given.flatMap(({ traced }) => traced.trace.checks)
  return [share(checks.map(({ supported }) => supported)), null, checks.length]
}

const confidenceOf = ({ traced }: AskedItem): number => traced.answer.policy.confidence

const ofConfidence = (context: BenchContext, name: string, items: ReadonlyArray<AskedItem>): void => {
  const put = putter(context, name)
  const byAnswerable = (confidence: (one: AskedItem) => number, of: ReadonlyArray<AskedItem>) =>
    auroc(of.map((one) => ({ confidence: confidence(one), right: one.answerable }))) ?? 0
  const aim = aims[name] ?? null
  const score = byAnswerable(({ topScore }) => topScore, items)
  put("AUROC answerable, top score", score, aim, items.length, "aim")
  put("AUROC answerable, confidence", byAnswerable(confidenceOf, items), aim, items.length, "aim")
  put("AUROC answerable, before the answer", byAnswerable(priorOf, items), aim, items.length, "aim")
  const given = items.filter((one) => one.answered)
  put("AUROC answerable among answers given", byAnswerable(confidenceOf, given), aim, given.length, "aim")
  const measures = measuresOf(given.map((one) => judged(one, confidenceOf)))
  put("AUROC right among answers given", measures.auroc ?? 0, null, given.length)
  put("ECE", measures.ece, eceAim, given.length, "aim")
  put("adaptive ECE", measures.adaptiveEce, eceAim, given.length, "aim")
  put("Brier", measures.brier, null, given.length)
}

const priorOf = ({ traced }: AskedItem): number => traced.trace.gate?.features.prior ?? 0

/** Risk and coverage of the order, beside no order and that of the top score. */
const ofOrder = (context: BenchContext, name: string, given: ReadonlyArray<AskedItem>): void => {
  const put = putter(context, name)
  const ours = given.map((one) => judged(one, confidenceOf))
  const top = given.map((one) => judged(one, ({ topScore }) => topScore))
  const always = given.map((one) => judged(one, () => 1))
  put("AURC", aurc(ours), aurc(always), given.length, "always answer")
  put("AURC", aurc(ours), aurc(top), given.length, "threshold on the top score")
  const curve = riskCoverage(ours)
  for (const coverage of [0.1, 0.25, 0.5, 0.75, 1])
    put(
      `risk of the most confident ${Math.round(100 * coverage)} %`,
      curve[Math.ceil(coverage * curve.length) - 1] ?? 0,
      curve.at(-1) ?? 0,
      Math.ceil(coverage * curve.length),
      "always answer"
    )
  const lower = (other: ReadonlyArray<Judged>) => bootstrapP(ours, other, context.seed)
  put("chance that AURC is no lower, paired bootstrap", lower(always), 0.05, draws, "always answer")
  put("chance that AURC is no lower, paired bootstrap", lower(top), 0.05, draws, "threshold on the top score")
}

const judged = (one: AskedItem, confidence: (item: AskedItem) => number): Judged => ({
  confidence: confidence(one),
  right: one.right
})

/** Share of draws of the same questions, with replacement, in which ours is not lower (one more of each counted). */
const bootstrapP = (ours: ReadonlyArray<Judged>, other: ReadonlyArray<Judged>, seed: number): number => {
  const random = randomFrom(seed)
  let notLower = 0
  for (let draw = 0; draw < draws; draw++) {
    const places = ours.map(() => Math.floor(random() * ours.length))
    const [a, b] = [ours, other].map((items) => aurc(places.flatMap((at) => items[at] ?? [])))
    if ((a ?? 0) >= (b ?? 0)) notLower += 1
  }
  return (notLower + 1) / (draws + 1)
}

const share = (values: ReadonlyArray<boolean>): number => mean(values.map((value) => (value ? 1 : 0)))
