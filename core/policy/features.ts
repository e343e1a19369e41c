import { z } from "zod"
import { missingSuffix } from "../calibration/index.js"

/** Id of the list below and its order; another list has another id. */
export const featuresId = "features-3"

/** All feature lists that decisions have used; each extends the one before. */
export const featuresIds = ["features-1", "features-2", featuresId] as const

/**
 * Features of a confidence, in this order. Each is in [0, 1]; null if it cannot be measured.
 *
 * The first ones are known before an answer is written.
 */
export const featureNames = [
  /** Share of the question's terms, weighted by rarity, in the chosen passages. */
  "evidenceCoverage",
  /** Share of the question's names, codes and values in the chosen passages. */
  "evidenceAnchors",
  /** Relative gap between first and eighth score: (first - eighth) / first. */
  "scoreGap",
  /** Standard deviation of the first eight scores divided by their mean, at most 1. */
  "scoreSpread",
  /** Share of the first ten lexical results that are among the first ten vector results. */
  "channelOverlap",
  /** The reranker's best score, if its scale is 0 to 1. */
  "rerankerScore",
  /** Answer score of the best unit of evidence; 1.3 and more count as 1. */
  "unitScore",
  /** Share of the question's terms, weighted by rarity, in the best unit and its context. */
  "unitCoverage",
  /** 1 if the best unit contains the expected type of answer; null if no type is known. */
  "unitTypeMatch",
  /** Share of the question's terms, weighted by rarity, in its passage. */
  "passageCoverage",
  /** The same for the title and headings above it. */
  "titleCoverage",
  /** Rarity of the rarest term that no source contains, relative to the rarest of all. */
  "missingWeight",
  /** 1 if a name of the question is neither in the unit nor above it. */
  "missingName",
  /** 1 if a neighbor of a question's word differs in the unit ("modern", not "medieval Europe"). */
  "swappedWord",
  /** Share of adjacent words in the question that are far apart in the unit. */
  "scattered",
  /** 1 if the question is negated, or contains a number or a date. */
  "questionNegated",
  "questionDated",
  /** Number of words in the question; 25 and more count as 1. */
  "questionLength",
  /**
   * Since features-2. Cosine of the nearest passage by vectors learned from the workspace; null for other vectors,
   * and if the question names the document that answers best.
   */
  "vectorScore",
  /** The same for the passage with the best unit. */
  "unitVectorScore",
  /** Best lexical score relative to the maximum for words of this rarity. */
  "lexicalShare",
  /** Normalized entropy of the first ten lexical scores; null with fewer. */
  "scoreEntropy",
  /** Reciprocal rank of the best unit's passage in lexical and in vector results; 0 if it is not listed. */
  "unitLexicalRank",
  "unitVectorRank",
  /** Share of the question's terms, weighted by rarity, in the passage with most of them. */
  "bestCoverage",
  /** 1 if the best unit contains the opposite of a question's word. */
  "opposed",
  /** Share of the question's terms, weighted by rarity, that the best unit has in the question's order. */
  "orderedShare",
  /** Share of adjacent words in the question that are adjacent in the best unit. */
  "adjacentShare",
  /** 1 for a yes-or-no question, which a quotation seldom settles. */
  "questionYesNo",
  /** Since features-3. 1 if the question negates by prefix a word that the best unit has without it ("non-members"). */
  "deniedWord",
  /** 1 if the question is a bare topic ("Virtualization"). */
  "bareTopic",
  /** For "how many berths", 1 if the best unit has a number of berths; null for other questions. */
  "countedThing",
  /** Share of the claims that the verifier found grounded in their evidence. */
  "verifiedShare",
  "supportLeast",
  "supportMean",
  /** Share of the claims with a citation of a source. */
  "citedShare",
  /** Share of the question's terms, weighted by rarity, in the claims and their context. */
  "questionCoverage",
  /** Share of the question's names, codes and values in the claims and their context. */
  "anchorCoverage",
  /** 1 if a claim contains the expected type of answer; null if no type is known. */
  "answerTypeMatch",
  /** 1 if a claim has a number or a date that its evidence lacks. */
  "valueVeto",
  /** Share of the cited documents that are verified or certified. */
  "trustedShare",
  "conflictPresent",
  /** Number of distinct cited documents; five and more count as 1. */
  "documentCount",
  /** Share of the claims that a judge accepted. */
  "judgeYesShare"
] as const
/** Name of a feature. */
export type FeatureName = (typeof featureNames)[number]

/** Features that indicate whether the documents cover the question at all. */
export const presenceFeatureNames: ReadonlyArray<FeatureName> = [
  "vectorScore",
  "unitVectorScore",
  "lexicalShare"
]

/**
 * Features that indicate, given coverage, whether the documents answer the question; known before generation. Few on
 * purpose: with twenty more, confidence ranks answers to questions of another kind worse (docs/answers-quality.md).
 */
export const priorFeatureNames: ReadonlyArray<FeatureName> = [
  "unitScore",
  "unitCoverage",
  "unitTypeMatch",
  "swappedWord",
  "opposed",
  "orderedShare",
  "adjacentShare",
  "vectorScore"
]

/** Features known only of an answer. */
export const answerFeatureNames: ReadonlyArray<FeatureName> = [
  "questionCoverage",
  "anchorCoverage",
  "answerTypeMatch",
  "conflictPresent"
]

/** Features of the confidence model. */
export const confidenceFeatureNames: ReadonlyArray<FeatureName> = [
  ...priorFeatureNames,
  ...answerFeatureNames
]

const Share = z.number().min(0).max(1)

/** Features by name; an absent one is missing, like null. */
export const FeatureValues = z.partialRecord(z.enum(featureNames), Share.nullable())
export type FeatureValues = Readonly<Partial<Record<FeatureName, number | null>>>

/** Returns the features as numbers by name for a model: a missing one is 0, and its indicator `NAME.missing` is 1. */
export const featureVector = (
  features: FeatureValues,
  names: ReadonlyArray<FeatureName> = featureNames
): Readonly<Record<string, number>> => {
  const vector: Record<string, number> = {}
  for (const name of names) {
    const value = features[name] ?? null
    vector[name] = value ?? 0
    vector[indicators.get(name) ?? ""] = value === null ? 1 : 0
  }
  return vector
}

const indicators = new Map(featureNames.map((name) => [name, `${name}${missingSuffix}`]))
