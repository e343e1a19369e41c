import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  type AnswerFacts,
  blockOf,
  builtInCalibration,
  CaveatCode,
  type DecisionGroup,
  decideGate,
  featureNames,
  featureVector,
  GateFeatures,
  PolicyBlock,
  type PreGateRule,
  preGate,
  preGateRules,
  readRules,
  statsOf,
  Verdict
} from "../../../../core/answers/policy/index.js"
import { gateFeatures, registry, sound } from "../../../support/gate-features.js"
import { runs } from "../../../support/runs.js"

const property = <Args extends [unknown, ...Array<unknown>]>(
  ...args: Parameters<typeof fc.property<Args>>
): void => fc.assert(fc.property<Args>(...args), { numRuns: runs(200) })

describe("a decision", () => {
  it("follows from its features alone, and from what is left of them in JSON", () =>
    property(gateFeatures, (features) => {
      const again = GateFeatures.parse(JSON.parse(JSON.stringify(features)))
      expect(decideGate(again)).toEqual(decideGate(features))
      const [shadow, enforce] = (["shadow", "enforce"] as const).map((mode) =>
        blockOf(mode, features, decideGate(features))
      )
      expect({ ...shadow, mode: "enforce" }).toEqual(enforce)
      expect(PolicyBlock.safeParse(shadow).error).toBeUndefined()
    }))

  it("is an answer without reservation exactly where no caveat but that of the cache holds", () =>
    property(gateFeatures, (features) => {
      const { caveats, gate, verdict } = decideGate(features)
      if (gate === "pre")
        expect([verdict === "clarify" || verdict === "abstain_with_pointers", caveats]).toEqual([true, []])
      else if (features.answer !== null && !features.answer.answerable)
        expect([verdict, caveats]).toEqual(["abstain_with_pointers", []])
      else expect(verdict === "answer").toBe(caveats.every(({ code }) => code === "from_cache"))
    }))

  it("names each caveat once, and only what stands in the registry, in the order in which it is cited", () =>
    property(gateFeatures, (features) => {
      const cited = (features.answer?.cited ?? []).map(({ id }) => id)
      const { caveats, confidence } = decideGate(features)
      const codes = caveats.map(({ code }) => code)
      expect(new Set(codes).size).toBe(codes.length)
      expect(codes).toEqual(CaveatCode.options.filter((code) => codes.includes(code)))
      for (const { sourceIds } of caveats) {
        expect(sourceIds.filter((id) => !registry.has(id))).toEqual([])
        expect(new Set(sourceIds).size).toBe(sourceIds.length)
        const places = sourceIds.map((id) => cited.lastIndexOf(id)).filter((place) => place >= 0)
        expect(places).toEqual(places.toSorted((a, b) => a - b))
      }
      expect(confidence >= 0 && confidence <= 1).toBe(true)
    }))

  it("is that of the first rule that fires", () =>
    property(gateFeatures, (features) => {
      const fired = readRules(features).filter((reading) => reading.fired)
      const found = preGate(features)
      expect(found?.rule).toBe(fired[0]?.rule)
      expect(readRules(features).map(({ rule }) => rule)).toEqual(preGateRules)
      expect(decideGate(features).rule).toBe(found?.rule ?? null)
      expect(decideGate({ ...features, answer: null }).gate).toBe(decideGate(features).gate)
    }))

  it("asks nothing of passages where rows of data stand for them", () =>
    property(gateFeatures, (features) => {
      const withRows = { ...features, evidence: { ...features.evidence, dataRows: 1 } }
      const late: ReadonlyArray<string> = [
        "unknown_term",
        "insufficient_evidence",
        "low_prior",
        "no_evidence"
      ]
      expect(late).not.toContain(preGate(withRows)?.rule)
    }))
})

describe("each rule", () => {
  const evidence = (change: Partial<GateFeatures["evidence"]>): GateFeatures => ({
    ...sound,
    evidence: { ...sound.evidence, ...change }
  })
  const candidates = [
    { id: "a", name: "Mercury", type: "planet" },
    { id: "b", name: "Mercury", type: "element" }
  ]
  const cases: ReadonlyArray<readonly [PreGateRule, GateFeatures, string, ReadonlyArray<string>]> = [
    ["no_evidence", evidence({ sources: 0 }), "abstain_with_pointers", ["no_evidence"]],
    ["missing_subject", evidence({ hasSubject: false }), "clarify", ["missing_subject"]],
    [
      "ambiguous_entity",
      evidence({ ambiguous: [{ surface: "Mercury", candidates }] }),
      "clarify",
      ["ambiguous_entity:Mercury"]
    ],
    [
      "unknown_term",
      evidence({ unknownTerms: ["KX-1", "Zed"] }),
      "abstain_with_pointers",
      ["unknown_term:KX-1", "unknown_term:Zed"]
    ],
    [
      "insufficient_evidence",
      evidence({ coverage: 0.2499 }),
      "abstain_with_pointers",
      ["insufficient_evidence"]
    ],
    [
      "low_prior",
      { ...sound, prior: 0.1, limits: { ...sound.limits, prior: 0.2 } },
      "abstain_with_pointers",
      ["low_prior"]
    ]
  ]
  it.each(cases)("%s", (rule, features, verdict, reasons) => {
    expect(decideGate(features)).toMatchObject({
      gate: "pre",
      rule,
      verdict,
      reasons,
      confidence: features.prior ?? 0
    })
    expect(
      readRules(features)
        .filter(({ fired }) => fired)
        .map((one) => one.rule)
    ).toEqual([rule])
  })

  it("lets a sound question through", () => {
    expect(decideGate(sound)).toMatchObject({
      gate: "post",
      verdict: "answer",
      caveats: [],
      reasons: [],
      confidence: 0.9
    })
    expect(decideGate({ ...sound, answer: null, confidence: null }).verdict).toBe("answer")
  })

  it("of thin evidence heeds the vectors of an embedding model", () => {
    const thin = (bestCosine: number | null, cosine: number | null) =>
      decideGate({ ...evidence({ coverage: 0, bestCosine }), limits: { ...sound.limits, cosine } }).rule
    expect(thin(null, null)).toBe("insufficient_evidence")
    expect(thin(0.9, null)).toBeNull()
    expect(thin(0.9, 0.5)).toBeNull()
    expect(thin(0.4, 0.5)).toBe("insufficient_evidence")
  })
})

describe("each caveat", () => {
  const one = { id: "S2", verification: "verified", reviewDue: false } as const
  const entity = { id: "x", name: "X", authority: "curated", lifecycle: "published", sourceIds: ["S3"] }
  const disagreement = {
    kind: "number",
    subject: "x",
    attribute: "y",
    sides: [
      { sourceId: "S1", value: "1", quote: "1" },
      { sourceId: "S2", value: "2", quote: "2" }
    ],
    preferred: null,
    reason: ""
  } as const
  const conflict = { ...disagreement, sides: [...disagreement.sides] }
  const cases: ReadonlyArray<readonly [CaveatCode, Partial<AnswerFacts>, ReadonlyArray<string>]> = [
    ["partial_grounding", { verified: 1, unverifiedSourceIds: ["S2"] }, ["S2"]],
    ["conflicting_evidence", { conflicts: [conflict] }, ["S1", "S2"]],
    [
      "stale_source",
      {
        cited: [
          { ...one, reviewDue: true },
          { ...one, id: "S1" }
        ]
      },
      ["S2"]
    ],
    ["unverified_source", { cited: [{ ...one, verification: "unverified" }] }, ["S2"]],
    [
      "deprecated_source",
      {
        cited: [
          { ...one, verification: "deprecated" },
          { ...one, id: "S1" }
        ]
      },
      ["S2"]
    ],
    ["deprecated_entity", { entities: [{ ...entity, lifecycle: "deprecated" }] }, ["S3"]],
    ["superseded_entity", { entities: [{ ...entity, lifecycle: "superseded" }] }, ["S3"]],
    ["machine_extracted_only", { entities: [{ ...entity, authority: "machine_extracted" }] }, ["S3"]],
    ["data_truncated", { truncatedDataIds: ["D1"] }, ["D1"]],
    ["from_cache", { fromCache: true }, ["S1"]]
  ]
  const withFacts = (change: Partial<AnswerFacts>): GateFeatures => ({
    ...sound,
    answer: sound.answer === null ? null : { ...sound.answer, ...change }
  })
  it.each(cases)("%s", (code, change, sourceIds) => {
    const { caveats, verdict } = decideGate(withFacts(change))
    expect(caveats.map((caveat) => [caveat.code, caveat.sourceIds])).toEqual([[code, sourceIds]])
    expect(verdict).toBe(code === "from_cache" ? "answer" : "answer_with_caveats")
  })

  it("low_confidence, below the threshold and not at it", () => {
    const codes = (confidence: number) => decideGate({ ...sound, confidence }).caveats.map(({ code }) => code)
    expect(codes(0.4999)).toEqual(["low_confidence"])
    expect(codes(0.5)).toEqual([])
  })

  it("about governance is made only where the workspace governs", () => {
    const codes = (change: Partial<AnswerFacts>) =>
      decideGate(withFacts(change)).caveats.map(({ code }) => code)
    expect(codes({ workspaceVerifies: false, cited: [{ ...one, verification: "unverified" }] })).toEqual([])
    const extracted = [{ ...entity, authority: "machine_extracted" }]
    expect(codes({ workspaceCurates: false, entities: extracted })).toEqual([])
    expect(codes({ entities: [...extracted, entity] })).toEqual([])
    expect(codes({ cited: [{ ...one, verification: "unverified" }, one] })).toEqual([])
  })
})

describe("the calibration that is built in", () => {
  it("is a probability that rises with what speaks for an answer", () => {
    const value = fc.double({ min: 0, max: 1, noNaN: true })
    property(
      fc.dictionary(fc.constantFrom(...featureNames), fc.option(value, { nil: null })),
      fc.constantFrom("own", "near"),
      value,
      value,
      (features, name, a, b) => {
        const at = (one: number) => builtInCalibration.confidence({ ...features, [name]: one })
        expect(at(Math.max(a, b))).toBeGreaterThanOrEqual(at(Math.min(a, b)))
        expect(at(a) >= 0 && at(a) <= 1).toBe(true)
      }
    )
  })

  it("gives models their features by name, each with an indicator that it is missing", () => {
    const vector = featureVector({ verifiedShare: 0.5, near: null })
    expect(Object.keys(vector)).toEqual(featureNames.flatMap((name) => [name, `${name}.missing`]))
    expect(vector).toMatchObject({
      verifiedShare: 0.5,
      "verifiedShare.missing": 0,
      near: 0,
      "near.missing": 1,
      supportMean: 0,
      "supportMean.missing": 1
    })
  })
})

describe("the statistics", () => {
  const days = ["2026-01-01", "2026-01-02", "2026-01-03"]
  const group: fc.Arbitrary<DecisionGroup> = fc.record({
    day: fc.constantFrom("2026-01-01", "2026-01-03"),
    mode: fc.constantFrom("shadow", "enforce"),
    verdict: fc.constantFrom(...Verdict.options),
    gate: fc.constantFrom("pre", "post"),
    applied: fc.boolean(),
    reasonKinds: fc.uniqueArray(fc.constantFrom("unknown_term", "no_evidence", "low_prior")),
    caveatCodes: fc.uniqueArray(fc.constantFrom(...CaveatCode.options)),
    confidenceBin: fc.integer({ min: 0, max: 9 }),
    count: fc.integer({ min: 1, max: 9 }),
    confidenceSum: fc.constant(0),
    claims: fc.integer({ min: 0, max: 9 }),
    verified: fc.constant(0),
    conflicting: fc.constant(0)
  })
  it("of days, verdicts, modes, gates and bins each come to the total", () =>
    property(fc.array(group, { maxLength: 12 }), (groups) => {
      const window = { from: "2026-01-01T00:00:00.000Z", to: "2026-01-03T23:00:00.000Z", days }
      const found = statsOf(groups, window, builtInCalibration)
      const sum = (numbers: ReadonlyArray<number>) => numbers.reduce((total, one) => total + one, 0)
      expect(found.total).toBe(sum(groups.map(({ count }) => count)))
      for (const numbers of [
        Object.values(found.byVerdict),
        Object.values(found.byMode),
        Object.values(found.byGate),
        found.confidenceHistogram,
        found.byDay.map(({ total }) => total),
        found.byDay.flatMap(({ byVerdict }) => Object.values(byVerdict))
      ])
        expect(sum(numbers)).toBe(found.total)
      expect(found.byDay.map(({ day }) => day)).toEqual(days)
      expect(found.byMode.off).toBe(0)
      const counts = found.topReasons.map(({ count }) => count)
      expect(counts).toEqual([...counts].sort((a, b) => b - a))
    }))
})
