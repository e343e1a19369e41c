import { z } from "zod"
import { missingSuffix } from "../calibration/index.js"

/** Names the list below, with its order; another list has another id. */
export const featuresId = "features-3"

/** Lists that decisions were made of so far, the present one among them: none lost a feature to the next. */
export const featuresIds = ["features-1", "features-2", featuresId] as const

/**
 * What a confidence is made of, in this order. Each is 0 to 1; null where there is nothing to measure.
 *
 * The first ones are known before an answer is written.
 */
export const featureNames = [
  /** Share of the question's terms, by rarity, that the chosen passages hold. */
  "evidenceCoverage",
  /** Share of the question's names, codes and values that they hold. */
  "evidenceAnchors",
  /** How far the eighth passage is behind the first: (first - eighth) / first. */
  "scoreGap",
  /** Standard deviation of the first eight scores over their mean, at most 1. */
  "scoreSpread",
  /** Share of the first ten by words that are among the first ten by vectors. */
  "channelOverlap",
  /** The reranker's best score; only of rerankers whose scores are 0 to 1. */
  "rerankerScore",
  /** What the best unit of the evidence counts as an answer; 1.3 and more being 1. */
  "unitScore",
  /** Share of the question's terms, by rarity, that it and what surrounds it hold. */
  "unitCoverage",
  /** 1 where it holds a thing of the kind that was asked for; null where no kind can be told. */
  "unitTypeMatch",
  /** Share of the question's terms, by rarity, that its passage holds. */
  "passageCoverage",
  /** The same of title and headings above it. */
  "titleCoverage",
  /** The rarest term that no source holds, against the rarest of all. */
  "missingWeight",
  /** 1 where a name of the question stands neither in the unit nor above it. */
  "missingName",
  /** 1 where a neighbour of a word of the question is another one in the unit ("modern", not "medieval Europe"). */
  "swappedWord",
  /** Share of the neighbours in the question that the unit has far apart. */
  "scattered",
  /** 1 where the question is put in the negative, or names a number or a date. */
  "questionNegated",
  "questionDated",
  /** Words of the question, 25 and more being 1. */
  "questionLength",
  /**
   * Since features-2. Cosine of the nearest passage, by the vectors learned from the workspace; null with others, and
   * where the question names the document that answers best.
   */
  "vectorScore",
  /** The same of the passage that holds the best unit. */
  "unitVectorScore",
  /** The best score by words against the most that words so rare can score. */
  "lexicalShare",
  /** How evenly the first ten scores by words are spread: their entropy over that of equal ones; null of fewer. */
  "scoreEntropy",
  /** One over the place of the best unit's passage by words, and by vectors; 0 where it is in no such list. */
  "unitLexicalRank",
  "unitVectorRank",
  /** Share of the question's terms, by rarity, that the passage with most of them holds. */
  "bestCoverage",
  /** 1 where the best unit says the opposite of a word of the question. */
  "opposed",
  /** Share of the question's terms, by rarity, that stand in the best unit in the question's order. */
  "orderedShare",
  /** Share of the neighbours in the question that are neighbours in the best unit. */
  "adjacentShare",
  /** 1 where the question asks for yes or no, which a quotation seldom settles. */
  "questionYesNo",
  /** Since features-3. 1 where the question denies by a prefix a word that the best unit says without ("non-members"). */
  "deniedWord",
  /** 1 where the question is a topic and asks nothing of it ("Virtualization"). */
  "bareTopic",
  /** Of "how many berths", 1 where the best unit has a number of berths; null of other questions. */
  "countedThing",
  /** Share of the claims that the verifier found carried by what they cite. */
  "verifiedShare",
  "supportLeast",
  "supportMean",
  /** Share of the claims with a citation that names a source. */
  "citedShare",
  /** Share of the question's terms, by rarity, that the claims and what surrounds them hold. */
  "questionCoverage",
  /** Share of the question's names, codes and values that they hold. */
  "anchorCoverage",
  /** 1 where a claim holds a thing of the kind that was asked for; null where no kind was. */
  "answerTypeMatch",
  /** 1 where a claim has a number or a date that its evidence does not. */
  "valueVeto",
  /** Share of the cited documents that are verified or certified. */
  "trustedShare",
  "conflictPresent",
  /** Distinct cited documents, five and more being 1. */
  "documentCount",
  /** Share of the claims that a judge said yes to. */
  "judgeYesShare"
] as const
/** The name of one number that a confidence is made of. */
export type FeatureName = (typeof featureNames)[number]

/** Tell whether the documents speak of what is asked at all. */
export const presenceFeatureNames: ReadonlyArray<FeatureName> = [
  "vectorScore",
  "unitVectorScore",
  "lexicalShare",
  "scoreEntropy",
  "channelOverlap",
  "passageCoverage",
  "unitLexicalRank",
  "unitVectorRank"
]

/** Tell, of documents that do, whether they say what is asked; known before an answer is written. */
export const priorFeatureNames: ReadonlyArray<FeatureName> = [
  "evidenceCoverage",
  "scoreGap",
  "scoreSpread",
  "rerankerScore",
  "unitScore",
  "unitCoverage",
  "unitTypeMatch",
  "passageCoverage",
  "titleCoverage",
  "missingWeight",
  "swappedWord",
  "scattered",
  "questionNegated",
  "questionDated",
  "questionLength",
  "bestCoverage",
  "opposed",
  "orderedShare",
  "adjacentShare",
  "questionYesNo",
  "deniedWord",
  "bareTopic",
  "countedThing"
]

/** Are known only of an answer. */
export const answerFeatureNames: ReadonlyArray<FeatureName> = featureNames.slice(
  featureNames.indexOf("verifiedShare")
)

/** Those of a confidence that is told at once. */
export const confidenceFeatureNames: ReadonlyArray<FeatureName> = [
  ...priorFeatureNames,
  ...answerFeatureNames
]

const Share = z.number().min(0).max(1)

/** Every feature by its name; a name that is absent is a feature that is missing, as null is. */
export const FeatureValues = z.partialRecord(z.enum(featureNames), Share.nullable())
export type FeatureValues = Readonly<Partial<Record<FeatureName, number | null>>>

/** The features as numbers by name, for a model: a missing one is 0, and its indicator `NAME.missing` 1. */
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
