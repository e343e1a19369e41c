/** Weights of the claim check, made by tools/train-claim-check.ts; docs/answers-quality.md has the figures. */
export const claimWeights = {
  seed: 1,
  sets: ["squad2-dev-8", "xquad-dev-en", "xquad-dev-de", "xquad-dev-es", "clapnq-dev", "eips"],
  statements: 7845,
  threshold: 0.57,
  intercept: 0.3359,
  weights: {
    aligned: 0.0967,
    alignedAnywhere: -3.1104,
    alignedWords: 0.4531,
    alignedUnit: 3.4172,
    following: 0.5919,
    missingRarest: -1.0751,
    pairs: 0.1937,
    joined: -1.0711,
    length: 0.1926,
    value: -1.4965,
    name: -0.6273,
    subject: -0.3018,
    tense: -0.3762,
    negation: -3.6456,
    opposite: -8.0907,
    direction: -7.2745,
    quantifier: -8.8648,
    replacedValue: -4.7133,
    replacedName: -2.9102,
    order: 0.3401
  }
}
