import fc from "fast-check"
import {
  type AnswerFacts,
  featureNames,
  featuresIds,
  type GateFeatures
} from "../../core/answers/policy/index.js"

const share = fc.double({ min: 0, max: 1, noNaN: true })
const nullableShare = fc.option(share, { nil: null })
const ids = ["S1", "S2", "S3", "D1"]
const id = fc.constantFrom(...ids)
const word = fc.string({ minLength: 1, maxLength: 8 })

/** The registry that the features of these arbitraries speak of. */
export const registry: ReadonlySet<string> = new Set(ids)

const conflict = fc.record({
  kind: fc.constantFrom("number", "date", "negation", "category", "superseded"),
  subject: word,
  attribute: word,
  sides: fc.array(fc.record({ sourceId: id, value: word, quote: word }), { minLength: 2, maxLength: 3 }),
  preferred: fc.option(id, { nil: null }),
  reason: word
})

const facts: fc.Arbitrary<AnswerFacts> = fc
  .record({
    answerable: fc.boolean(),
    claims: fc.integer({ min: 0, max: 5 }),
    verified: fc.integer({ min: 0, max: 5 }),
    unverifiedSourceIds: fc.array(id, { maxLength: 3 }),
    cited: fc.array(
      fc.record({
        id,
        verification: fc.constantFrom("unverified", "verified", "certified", "deprecated"),
        reviewDue: fc.boolean()
      }),
      { maxLength: 3 }
    ),
    workspaceVerifies: fc.boolean(),
    entities: fc.array(
      fc.record({
        id: word,
        name: word,
        authority: fc.constantFrom("machine_extracted", "asserted", "curated", "certified"),
        lifecycle: fc.constantFrom("published", "deprecated", "superseded"),
        sourceIds: fc.array(id, { minLength: 1, maxLength: 2 })
      }),
      { maxLength: 3 }
    ),
    workspaceCurates: fc.boolean(),
    conflicts: fc.array(conflict, { maxLength: 2 }),
    truncatedDataIds: fc.array(fc.constant("D1"), { maxLength: 1 }),
    fromCache: fc.boolean(),
    notes: fc.array(fc.constantFrom("citation_mismatch", "reply_repaired"), { maxLength: 2 })
  })
  .map((one) => ({ ...one, verified: Math.min(one.verified, one.claims) }))

/** Features of any question, with an answer or without. */
export const gateFeatures: fc.Arbitrary<GateFeatures> = fc.record({
  format: fc.constantFrom(...featuresIds),
  values: fc.dictionary(fc.constantFrom(...featureNames), nullableShare),
  evidence: fc.record({
    sources: fc.integer({ min: 0, max: 3 }),
    dataRows: fc.integer({ min: 0, max: 2 }),
    hasSubject: fc.boolean(),
    ambiguous: fc.array(
      fc.record({
        surface: word,
        candidates: fc.array(fc.record({ id: word, name: word, type: word }), { minLength: 2, maxLength: 3 })
      }),
      { maxLength: 2 }
    ),
    unknownTerms: fc.array(word, { maxLength: 2 }),
    coverage: share,
    bestCosine: nullableShare
  }),
  answer: fc.option(facts, { nil: null }),
  prior: nullableShare,
  confidence: nullableShare,
  limits: fc.record({
    calibrationVersion: word,
    certified: fc.boolean(),
    reasons: fc.constantFrom([], ["threshold_uncertified"], ["calibration_stale"]),
    confidence: share,
    coverage: share,
    cosine: nullableShare,
    prior: nullableShare
  })
})

/** A question that everything speaks for: the gate lets it through, and has no reservation. */
export const sound: GateFeatures = {
  format: "features-3",
  values: {},
  evidence: {
    sources: 3,
    dataRows: 0,
    hasSubject: true,
    ambiguous: [],
    unknownTerms: [],
    coverage: 1,
    bestCosine: null
  },
  answer: {
    answerable: true,
    claims: 2,
    verified: 2,
    unverifiedSourceIds: [],
    cited: [{ id: "S1", verification: "verified", reviewDue: false }],
    workspaceVerifies: true,
    entities: [{ id: "e", name: "E", authority: "curated", lifecycle: "published", sourceIds: ["S1"] }],
    workspaceCurates: true,
    conflicts: [],
    truncatedDataIds: [],
    fromCache: false,
    notes: []
  },
  prior: null,
  confidence: 0.9,
  limits: {
    calibrationVersion: "c",
    certified: true,
    reasons: [],
    confidence: 0.5,
    coverage: 0.25,
    cosine: null,
    prior: null
  }
}
