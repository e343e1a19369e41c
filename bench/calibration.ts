import { createHash } from "node:crypto"
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import {
  Artefact,
  calibrationVersionOf,
  confidenceOf,
  fitCalibration,
  measuresOf,
  priorOf,
  uncertifiedThreshold
} from "../core/calibration/index.js"
import { featurePlan } from "../core/evaluation/index.js"
import { canonicalJson } from "../core/kernel/index.js"
import { aurc, auroc, type Judged } from "../core/measures/index.js"
import { Settings } from "../core/workspace/index.js"
import { type AskedItem, answerFolders, answerSeed, askCollection, vaultSet } from "./answers-data.js"
import type { BenchContext, RunBench } from "./result.js"

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

/**
 * Fits the calibration that ships on questions of all sets, and writes it into the source (full size only). What it is
 * worth is measured by fitting on all sets but one and asking that one. Questions with an answer are asked once more
 * with its passages kept back, to learn what it looks like when the documents do not hold what is asked. It is never
 * certified: the guarantee is for questions like those it was fitted on, and nobody knows what a workspace will be
 * asked.
 */
export const calibration: RunBench = async ({ report, say, size, skip }) => {
  const max = size === "small" ? 60 : Infinity
  const asked: Array<AskedItem> = []
  for (const folder of [...answerFolders, vaultSet]) {
    const items = await askCollection(folder, max, { withhold: true })
    if (items === null) return skip(`The folder ${folder} is not there: see docs/benchmarks.md.`)
    asked.push(...items)
  }
  const pooled = pool(asked)
  const plan = { ...featurePlan, alpha: 0.1, delta: 0.1, seed: answerSeed, onAll: true }
  const unseen: Array<Judged> = []
  for (const left of [...answerFolders, vaultSet]) {
    const others = pooled.filter(({ folder }) => folder !== left)
    const artefact = fitCalibration(others, { ...plan, fingerprint, dataset: "" }, sha256)
    if ("half" in artefact) say(`too few questions to fit without ${left}`)
    else unseen.push(...reportTransfer(report, left, asked, artefact))
  }
  const questions = pooled
    .filter(({ withheld }) => withheld !== true)
    .map(({ answerable, golds, question }) => ({ answerable, golds, question }))
  const dataset = sha256(canonicalJson(questions.map(canonicalJson).sort()))
  const fitted = fitCalibration(pooled, { ...plan, fingerprint, dataset }, sha256)
  if ("half" in fitted) return skip(`Too few questions to fit: ${fitted.found} ${fitted.kind} answers.`)
  const { prior, risk } = fitted
  const artefact = Artefact.parse({
    ...fitted,
    // Cosines of other documents are of other sizes: nobody is refused an answer for those of these.
    prior: prior === null ? null : { ...prior, threshold: 0 },
    risk: { ...risk, threshold: uncertifiedThreshold, certified: false },
    // It was fitted on all questions: what it is worth is seen on sets that were left out.
    calibrated: unseen.length,
    measures: measuresOf(unseen)
  })
  const version = calibrationVersionOf(artefact, sha256)
  say(`fitted on ${artefact.fitted} questions, measured on ${artefact.calibrated}: ${version}`)
  for (const metric of ["ece", "adaptiveEce", "brier", "aurc", "auroc"] as const)
    report({
      metric,
      ours: artefact.measures[metric] ?? 0,
      floor: 0,
      ratio: null,
      n: artefact.calibrated,
      unit: "",
      peer: "none",
      iqr: null
    })
  if (size !== "full") return
  writeFileSync(shippedFile, sourceOf(version, artefact))
  say(`wrote ${shippedFile}`)
}

/** Where an enforcing gate abstains unless a workspace says otherwise. */
const { floor } = Settings.parse({}).policy.thresholds

/** Questions of one set; a larger set would decide alone what an answer looks like. */
const perSetMax = 300

/** At most as many questions of each set, chosen by their hash. */
const pool = (asked: ReadonlyArray<AskedItem>): ReadonlyArray<AskedItem> =>
  [...answerFolders, vaultSet].flatMap((set) => {
    const own = asked.filter(({ folder }) => folder === set)
    const hashed = [...new Set(own.map(({ question }) => question))].map(
      (text) => [sha256(text), text] as const
    )
    const kept = new Set(
      hashed
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .slice(0, perSetMax)
        .map(([, text]) => text)
    )
    return own.flatMap((item) => (kept.has(item.question) ? [{ ...item, set }] : []))
  })

/** What a calibration of the other sets is worth on a set that it has not seen, beside the score of the first hit. */
const reportTransfer = (
  report: BenchContext["report"],
  left: string,
  asked: ReadonlyArray<AskedItem>,
  artefact: Artefact
): ReadonlyArray<Judged> => {
  const items = asked.filter(({ folder, withheld }) => folder === left && withheld !== true)
  const given = items.filter(({ answered }) => answered)
  const rows = (
    of: ReadonlyArray<AskedItem>,
    confidence: (one: AskedItem) => number,
    isRight: keyof AskedItem
  ) => of.map((one) => ({ confidence: confidence(one), right: one[isRight] === true }))
  const sure = (one: AskedItem) => confidenceOf(artefact, one.features)
  const before = (one: AskedItem) => priorOf(artefact, one.features) ?? 0
  const top = ({ topScore }: AskedItem) => topScore
  const { ece } = measuresOf(rows(given, sure, "right"))
  const put = (metric: string, ours: number | null, floor: number | null, n: number) =>
    report({
      metric: `${left} left out: ${metric}`,
      ours: ours ?? 0,
      floor: floor ?? 0,
      ratio: null,
      n,
      unit: "",
      peer: floor === null ? "none" : "score of the first hit",
      iqr: null
    })
  put("AUROC right", auroc(rows(given, sure, "right")), auroc(rows(given, top, "right")), given.length)
  put(
    "AUROC answerable",
    auroc(rows(items, before, "answerable")),
    auroc(rows(items, top, "answerable")),
    items.length
  )
  put("AURC", aurc(rows(given, sure, "right")), aurc(rows(given, top, "right")), given.length)
  put("ECE", ece, null, given.length)
  for (const kind of ["wrong", "right"] as const) {
    const shown = given.filter((one) => one.right === (kind === "right"))
    const share = (limit: number) => shown.filter((one) => sure(one) >= limit).length
    put(`${kind} at ${uncertifiedThreshold} or more`, share(uncertifiedThreshold), null, shown.length)
    put(`${kind} at the floor or more`, share(floor), null, shown.length)
  }
  return rows(given, sure, "right")
}

/** The built-in models throughout: what a workspace has that was told nothing. */
const fingerprint = {
  chat: "builtin/extractive-2",
  embedder: null,
  reranker: null,
  judge: "builtin/lexical-3",
  prompt: "answer-2",
  verifier: "builtin/lexical-3",
  pipeline: "pipeline-1"
}

const shippedFile = fileURLToPath(new URL("../core/calibration/shipped.ts", import.meta.url))

const sourceOf = (
  version: string,
  artefact: Artefact
): string => `// Generated by \`npm run bench -- calibration --size full\`.
import type { ActiveCalibration } from "./model.js"

/** The calibration of a workspace that has none of its own: see docs/answers.md for the data it was fitted on. */
export const shippedCalibration: ActiveCalibration = ${JSON.stringify({ version, artefact, fittedAt: null }, null, 2)}
`
