/** Weights of the claim check, made by tools/train-claim-check.ts; docs/answers-quality.md has the figures. */
export const claimWeights = {
  seed: 1,
  sets: ["squad2-dev-8", "xquad-dev-en", "xquad-dev-de", "xquad-dev-es", "clapnq-dev", "eips"],
  statements: 7845,
  threshold: 0.57,
  intercept: 0.827,
  weights: {
    aligned: -0.177,
    alignedAnywhere: -3.316,
    alignedWords: 3.883,
    alignedUnit: 0.417,
    following: 0.319,
    missingRarest: -1.397,
    pairs: 0.073,
    joined: -1.522,
    length: 0.317,
    value: -1.688,
    name: -0.607,
    subject: -0.294,
    tense: -0.412,
    negation: -3.765,
    opposite: -8.158,
    direction: -7.378,
    quantifier: -8.987,
    replacedValue: -4.869,
    replacedName: -2.687,
    order: 0.201
  }
}
