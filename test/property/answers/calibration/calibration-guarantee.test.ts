import { createHash } from "node:crypto"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { randomFrom } from "../../../../bench/random.js"
import {
  type Artefact,
  binomialTail,
  type CalibrationItem,
  certify,
  confidenceOf,
  fitCalibration,
  fitStandardised,
  gridRows,
  logisticValue,
  missingSuffix,
  riskGrid,
  shippedCalibration,
  splitQuestions,
  standingOf,
  startOf,
  upperBound
} from "../../../../core/answers/calibration/index.js"
import { aurc, auroc } from "../../../../core/answers/measures/index.js"
import { prepareCalibration } from "../../../../core/answers/policy/active-calibration.js"
import { decideGate, type GateFeatures } from "../../../../core/answers/policy/index.js"
import { runs } from "../../../support/runs.js"

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")
const [alpha, delta] = [0.1, 0.1]

/** A share of draws may exceed delta by chance: three standard errors. */
const allowed = (draws: number): number => delta + 3 * Math.sqrt((delta * (1 - delta)) / draws)

describe("the sequence of tests", () => {
  /** Scores and outcomes of one draw; `rightAt` tells how likely an answer of a score is right. */
  const drawn = (random: () => number, count: number, rightAt: (score: number) => number) =>
    Array.from({ length: count }, () => {
      const confidence = random()
      return { confidence, right: random() < rightAt(confidence), answers: true }
    })

  const violations = (
    draws: number,
    rightAt: (score: number) => number,
    riskFrom: (level: number) => number
  ) => {
    const random = randomFrom(7)
    let broken = 0
    let certified = 0
    for (let draw = 0; draw < draws; draw++) {
      const start = startOf(gridRows(drawn(random, 200, rightAt), riskGrid, alpha))
      const passed = certify(gridRows(drawn(random, 200, rightAt), riskGrid, alpha), start, delta)
      if (passed === null) continue
      certified += 1
      if (riskFrom(passed.threshold) > alpha) broken += 1
    }
    return { broken: broken / draws, certified: certified / draws }
  }
  const draws = runs(1000)

  it("holds the risk where scores tell right from wrong", () => {
    const { broken, certified } = violations(
      draws,
      (score) => 0.6 + 0.4 * score,
      (level) => 1 - (0.6 + 0.4 * ((1 + level) / 2))
    )
    expect(broken).toBeLessThan(allowed(draws))
    expect(certified).toBeGreaterThan(0.2)
  })

  it("holds it where scores tell nothing and the risk is just above what is allowed", () => {
    const { broken } = violations(
      draws,
      () => 1 - 0.101,
      () => 0.101
    )
    expect(broken).toBeLessThan(allowed(draws))
  })
})

describe("a fitted calibration", () => {
  const fingerprint = {
    chat: "a",
    embedder: null,
    reranker: null,
    judge: "b",
    prompt: "c",
    verifier: "d",
    pipeline: "e"
  }
  const plan = {
    featuresId: "features-2",
    names: ["unitScore"],
    priorNames: ["unitScore"],
    presenceNames: ["vectorScore"],
    answerNames: ["unitScore"],
    alpha,
    delta,
    seed: "1",
    fingerprint,
    dataset: ""
  }
  const rightAt = (value: number): number => 0.55 + 0.45 * value

  const itemsOf = (random: () => number, count: number): ReadonlyArray<CalibrationItem> =>
    Array.from({ length: count }, () => {
      const value = random()
      const right = random() < rightAt(value)
      const question = `What is ${Math.floor(random() * 2 ** 40).toString(36)}?`
      return {
        question,
        features: { unitScore: value },
        answerable: right,
        answered: true,
        right,
        clean: true
      }
    })

  const fitted = (items: ReadonlyArray<CalibrationItem>, seed = "1"): Artefact => {
    const artefact = fitCalibration(items, { ...plan, seed }, sha256)
    if ("half" in artefact) throw new Error(`${artefact.found} ${artefact.kind}`)
    return artefact
  }

  /** Returns the gate's decision on an answer with these features. */
  const verdictOf = (artefact: Artefact, unitScore: number) => {
    const version = "0123456789abcdef"
    const calibration = prepareCalibration({ version, artefact, fittedAt: null }, fingerprint, {
      alpha,
      delta
    })
    const values = { unitScore }
    const features: GateFeatures = {
      format: "features-1",
      values,
      evidence: {
        sources: 1,
        dataRows: 0,
        hasSubject: true,
        ambiguous: [],
        unknownTerms: [],
        coverage: 1,
        bestCosine: null
      },
      answer: {
        answerable: true,
        claims: 1,
        verified: 1,
        unverifiedSourceIds: [],
        cited: [],
        workspaceVerifies: false,
        entities: [],
        workspaceCurates: false,
        conflicts: [],
        truncatedDataIds: [],
        fromCache: false,
        notes: []
      },
      prior: calibration.prior?.probability(values) ?? null,
      confidence: calibration.confidence(values),
      limits: {
        calibrationVersion: version,
        certified: calibration.certified,
        reasons: [...calibration.reasons],
        confidence: calibration.threshold,
        coverage: 0.25,
        cosine: null,
        prior: calibration.prior?.threshold ?? null
      }
    }
    return decideGate(features).verdict
  }

  it("keeps the gate's answers within the risk over many draws of questions", () => {
    const random = randomFrom(11)
    const draws = runs(220)
    let [broken, certified] = [0, 0]
    for (let draw = 0; draw < draws; draw++) {
      const artefact = fitted(itemsOf(random, 300))
      if (!artefact.risk.certified) continue
      certified += 1
      const places = Array.from({ length: 200 }, (_, at) => (at + 0.5) / 200)
      const answered = places.filter((value) => verdictOf(artefact, value) === "answer")
      const risk = answered.reduce((sum, value) => sum + 1 - rightAt(value), 0) / Math.max(1, answered.length)
      if (risk > alpha) broken += 1
    }
    expect(broken / draws).toBeLessThan(allowed(draws))
    expect(certified / draws).toBeGreaterThan(0.1)
  })

  it("depends on the questions and the seed, and not on their order", () => {
    const items = itemsOf(randomFrom(3), 300)
    expect(fitted([...items].reverse())).toEqual(fitted(items))
    expect(fitted(items, "2")).not.toEqual(fitted(items))
  })

  it("gives a confidence that rises with a feature that speaks for an answer, and never certainty", () => {
    const artefact = fitted(itemsOf(randomFrom(5), 600))
    const at = (unitScore: number) => confidenceOf(artefact, { unitScore })
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (a, b) => {
          expect(at(Math.min(a, b))).toBeLessThanOrEqual(at(Math.max(a, b)))
          expect(at(a)).toBeGreaterThanOrEqual(artefact.least)
          expect(at(a)).toBeLessThanOrEqual(artefact.most)
        }
      )
    )
    expect(artefact.least).toBeGreaterThan(0)
    expect(artefact.most).toBeLessThan(1)
  })

  it("tells documents that do not speak of it from those that do not say it", () => {
    const random = randomFrom(7)
    const asked = itemsOf(random, 400).map((one) => ({
      ...one,
      features: { ...one.features, vectorScore: 0.6 + 0.4 * random() }
    }))
    const keptBack = asked.map((one) => ({
      ...one,
      features: { ...one.features, vectorScore: 0.4 * random() },
      ...{ answerable: false, answered: false, right: false, withheld: true }
    }))
    const [artefact, without] = [fitted([...asked, ...keptBack]), fitted(asked)]
    const at = (vectorScore: number) => confidenceOf(artefact, { unitScore: 0.9, vectorScore })
    expect(at(0.1)).toBeLessThan(0.3)
    expect(at(0.9)).toBeGreaterThan(0.6)
    // Items held back are only learned from, never measured on.
    expect([artefact.fitted, artefact.calibrated]).toEqual([without.fitted, without.calibrated])
    expect(without.presence).toBeUndefined()
    expect(artefact.measures.bins.reduce((sum, { count }) => sum + count, 0)).toBe(artefact.calibrated)
  })

  it("lets a feature that was missing nowhere speak neither for nor against where it is", () => {
    const names = ["unitScore", "unitScore.missing"]
    const rows = itemsOf(randomFrom(9), 200).map(({ features, right }) => ({
      features: [features["unitScore"] ?? 0, 0],
      right
    }))
    const model = fitStandardised(names, rows, 1)
    const mean = rows.reduce((sum, { features: [value = 0] }) => sum + value, 0) / rows.length
    expect(logisticValue(model, [0, 1])).toBeCloseTo(logisticValue(model, [mean, 0]), 9)
  })

  it("rises, as it ships, in each feature that no model of it speaks against", () => {
    const { artefact } = shippedCalibration
    const models = [artefact.model, artefact.presence, artefact.prior].flatMap((one) => one ?? [])
    const weightsOf = (name: string) =>
      models.flatMap(({ names, weights }) => weights.filter((_, at) => names[at] === name))
    const names = [...new Set(models.flatMap((model) => model.names))]
    const rising = names.filter((name) => weightsOf(name).every((weight) => weight >= 0))
    expect(rising).toContain("cosineBest")
    const share = fc.double({ min: 0, max: 1, noNaN: true })
    fc.assert(
      fc.property(
        fc.tuple(
          ...names
            .filter((name) => !name.endsWith(missingSuffix))
            .map((name) => fc.tuple(fc.constant(name), share))
        ),
        fc.constantFrom(...rising.filter((name) => !name.endsWith(missingSuffix))),
        share,
        (values, name, other) => {
          const features = Object.fromEntries(values)
          const [low, high] = [features[name] ?? 0, other].sort((x, y) => x - y)
          const at = (value = 0) => confidenceOf(artefact, { ...features, [name]: value })
          expect(at(low)).toBeLessThanOrEqual(at(high))
        }
      ),
      { numRuns: runs(200) }
    )
  })

  it("makes no two answers alike that the model tells apart", () => {
    const artefact = fitted(itemsOf(randomFrom(5), 600))
    const places = Array.from({ length: 100 }, (_, at) => confidenceOf(artefact, { unitScore: at / 100 }))
    expect(new Set(places).size).toBe(places.length)
  })

  it("says which kind of answer a half has too few of", () => {
    const right = itemsOf(randomFrom(3), 100).map((one) => ({ ...one, right: true, answerable: true }))
    expect(fitCalibration(right, plan, sha256)).toEqual({ half: "fit", kind: "wrong", found: 0 })
  })

  it("promises nothing for another pipeline or another risk", () => {
    const artefact = { ...fitted(itemsOf(randomFrom(3), 300)) }
    const certified = { artefact: { ...artefact, risk: { ...artefact.risk, certified: true } } }
    const standing = (...args: Parameters<typeof standingOf>) => standingOf(...args).reasons
    expect(standing(certified, fingerprint, null)).toEqual([])
    expect(standing(certified, fingerprint, { alpha: 0.05, delta })).toEqual(["threshold_uncertified"])
    expect(standing(certified, { ...fingerprint, chat: "another" }, null)).toEqual(["calibration_stale"])
    expect(standingOf(certified, { ...fingerprint, prompt: "2" }, null).certified).toBe(false)
  })
})

describe("the statistics", () => {
  const judged = fc.array(
    fc.record({ confidence: fc.integer({ min: 0, max: 4 }).map((n) => n / 4), right: fc.boolean() }),
    { minLength: 1, maxLength: 40 }
  )

  it("do not hang on the order of their input", () => {
    fc.assert(
      fc.property(judged, (items) => {
        const turned = [...items].reverse()
        expect(aurc(turned)).toBeCloseTo(aurc(items), 12)
        const [one, other] = [auroc(items), auroc(turned)]
        if (one === null || other === null) expect(one).toBe(other)
        else expect(other).toBeCloseTo(one, 12)
      })
    )
  })

  it("the exact bound is the risk at which so few errors have chance delta", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 400 }),
        fc.double({ min: 0, max: 0.9, noNaN: true }),
        (trials, share) => {
          const wrong = Math.floor(share * trials)
          expect(binomialTail(wrong, trials, upperBound(wrong, trials, delta))).toBeCloseTo(delta, 6)
        }
      )
    )
  })

  it("near-duplicates never stand in both halves, and one of them certifies", () => {
    const base = Array.from(
      { length: 60 },
      (_, at) => `Which ${sha256(`${at}`).slice(0, 6)} has the long rope of the crane`
    )
    const questions = base.flatMap((text) => [`${text}?`, `${text.toUpperCase()}!`])
    const { calibrate, fit, groups } = splitQuestions(questions, "1", sha256)
    const groupOf = (place: number) => Math.floor(place / 2)
    expect(groups).toBeLessThanOrEqual(base.length)
    expect(new Set(calibrate.map(groupOf)).size).toBe(calibrate.length)
    expect(fit.map(groupOf).filter((group) => calibrate.map(groupOf).includes(group))).toEqual([])
  })
})
