// Written by `npx tsx tools/train-answers.ts`.
import type { ActiveCalibration, Logistic } from "./model.js"

/** Least probability that an answer of the built-in model is right, for it to be given. */
export const answerFloor = 0.41

/**
 * Scores statements as answers: a linear function of standardized features. Fitted, like the calibration below, on the
 * questions of the sets in `trainingFigures`.
 */
export const statementScorer: Omit<Logistic, "intercept"> = {
  names: [
    "head",
    "near",
    "bm25",
    "rank",
    "lexical",
    "cosine",
    "adjacent",
    "spread",
    "missingNear",
    "namesNear",
    "namesPassage",
    "codesHeld",
    "hasCodes",
    "number+",
    "number-",
    "date+",
    "date-",
    "person+",
    "person-",
    "place+",
    "reason-",
    "procedure-",
    "list+",
    "definition+",
    "definition-",
    "otherKind",
    "counted",
    "uncounted",
    "newName",
    "newNumber",
    "newWords",
    "swapped",
    "opposed",
    "denied",
    "over",
    "past",
    "words",
    "short",
    "first",
    "place",
    "row",
    "item",
    "listUnasked",
    "leadIn",
    "pronoun",
    "title",
    "nearGap",
    "titleGap",
    "deniedWord",
    "missingWords",
    "missingWordsNear",
    "missingPool",
    "askedDenied",
    "saysDenied",
    "verbMissing",
    "placeName",
    "personName",
    "otherState",
    "reasonAbove",
    "labelled",
    "nearest"
  ],
  means: [
    0.22157, 0.27427, 0.29341, 0.31796, 0.10097, 0.26823, 0.024794, 0.044494, 0.94644, 0.61571, 0.65446,
    0.9043, 0.11042, 0.041431, 0.068189, 0.03616, 0.07067, 0.10498, 0.020699, 0.054943, 0.011968, 0.018463,
    0.02745, 0, 0.04454, 0.46147, 0.0042591, 0.063237, 0.78865, 0.44915, 0.77887, 0.60772, 0.0058882,
    0.085459, 0.0053878, 0.39092, 0.64343, 0.0095937, 0.2135, 0.49547, 0.0024064, 0.0052813, 0.001693,
    0.0025448, 0.10606, 0.053014, 0.48655, 0.044244, 0.00081988, 0.70323, 0.64086, 0.067371, 0.014385,
    0.074396, 0.60685, 0.031102, 0.068646, 0.00042591, 0, 0.028547, 0.053398
  ],
  deviations: [
    0.19906, 0.21813, 0.25991, 0.31026, 0.09752, 0.28647, 0.10361, 0.17629, 0.18561, 0.45053, 0.44118,
    0.29367, 0.31341, 0.19928, 0.25207, 0.18669, 0.25627, 0.30652, 0.14238, 0.22787, 0.10874, 0.13462,
    0.16339, 1, 0.20629, 0.49851, 0.065123, 0.24339, 0.40826, 0.49741, 0.15428, 0.48826, 0.076509, 0.27956,
    0.073204, 0.48796, 0.12493, 0.097476, 0.40978, 0.36359, 0.048996, 0.072481, 0.041111, 0.050382, 0.30792,
    0.11754, 0.264, 0.12803, 0.028622, 0.268, 0.28539, 0.13432, 0.11907, 0.26241, 0.48845, 0.17359, 0.25285,
    0.020633, 1, 0.16653, 0.11809
  ],
  weights: [
    0.55913, 0.14626, 0.22509, 0.000049858, 0.055413, 1.2253, 0.055521, -0.058015, -0.056996, 0.0000059244,
    1.0894, 0.4209, 1.2299e-15, 0.21493, -0.18259, 0.22906, -0.18473, 0.1505, -0.24436, 0.045026, -0.097327,
    -0.048919, 0.019937, 0.084375, -0.084375, -1.6186e-15, 0.096937, -0.088284, 0.065925, -0.063182,
    -0.099899, -0.12635, -0.086154, -0.6358, -0.16492, -0.1825, 0.061382, 0.025083, -0.09363, -0.1717,
    -0.018737, -0.072972, -0.084329, -0.031293, 0.13404, 0.042308, -0.14218, -0.095446, -6.6861e-7, -0.43636,
    -0.66219, -0.084375, -0.084375, 0.55984, -0.087601, 0.28804, 0.1656, -0.028888, 0.084375, 0.15874, 0.17442
  ]
}

/** The calibration of a workspace that has none of its own. Its model is the probability that an answer is right. */
export const shippedCalibration: ActiveCalibration = {
  version: "0e1ba52fa0298b35",
  fittedAt: null,
  artefact: {
    format: 1,
    features: "features-4",
    model: {
      names: [
        "head",
        "near",
        "bm25",
        "rank",
        "lexical",
        "cosine",
        "adjacent",
        "spread",
        "missingNear",
        "namesNear",
        "namesPassage",
        "codesHeld",
        "hasCodes",
        "number+",
        "number-",
        "date+",
        "date-",
        "person+",
        "person-",
        "place+",
        "reason-",
        "procedure-",
        "list+",
        "definition+",
        "definition-",
        "otherKind",
        "counted",
        "uncounted",
        "newName",
        "newNumber",
        "newWords",
        "swapped",
        "opposed",
        "denied",
        "over",
        "past",
        "words",
        "short",
        "first",
        "place",
        "row",
        "item",
        "listUnasked",
        "leadIn",
        "pronoun",
        "title",
        "nearGap",
        "titleGap",
        "deniedWord",
        "missingWords",
        "missingWordsNear",
        "missingPool",
        "askedDenied",
        "saysDenied",
        "verbMissing",
        "placeName",
        "personName",
        "otherState",
        "reasonAbove",
        "labelled",
        "nearest",
        "share",
        "nearBest",
        "cosineBest",
        "lexicalBest",
        "namesPassageBest",
        "noVectors"
      ],
      means: [
        0.56613, 0.59707, 0.89115, 0.75168, 0.19059, 0.62749, 0.18248, 0.13009, 0.732, 0.86918, 0.89808,
        0.9581, 0.11172, 0.0912, 0.022415, 0.088235, 0.02194, 0.12417, 0.0050996, 0.057519, 0.009962,
        0.018738, 0.02787, 0, 0.043643, 0.44426, 0.032377, 0.034511, 0.78724, 0.4732, 0.74567, 0.68204,
        0.0054554, 0.070209, 0.0018975, 0.31013, 0.64716, 0.0085389, 0.29851, 0.4196, 0.005574, 0.0050996,
        0.00023719, 0.0017789, 0.13129, 0.07992, 0.0247, 0.0068451, 0.0041509, 0.41981, 0.36577, 0.067747,
        0.034511, 0.072699, 0.35199, 0.047794, 0.10211, 0.00059298, 0, 0.050166, 0.083786, 0.59161, 0.62177,
        0.64893, 0.19537, 0.91444, 0.053724
      ],
      deviations: [
        0.27335, 0.2753, 0.19885, 0.31393, 0.1096, 0.32853, 0.25513, 0.2579, 0.38227, 0.29231, 0.26193,
        0.1991, 0.31502, 0.28789, 0.14803, 0.28364, 0.14649, 0.32978, 0.071229, 0.23283, 0.099312, 0.1356,
        0.1646, 1, 0.2043, 0.49688, 0.177, 0.18254, 0.40926, 0.49928, 0.17741, 0.46568, 0.073659, 0.2555,
        0.043519, 0.46255, 0.12952, 0.092011, 0.4576, 0.36576, 0.074451, 0.071229, 0.015399, 0.04214, 0.33771,
        0.14694, 0.059961, 0.036428, 0.064293, 0.30254, 0.2949, 0.14157, 0.18254, 0.25964, 0.47759, 0.21333,
        0.30279, 0.024344, 1, 0.21829, 0.15257, 0.30767, 0.26437, 0.31406, 0.1069, 0.23706, 0.22547
      ],
      weights: [
        0.059308, 0.19428, 0.049955, 0.72299, 0.00031907, 0.0011052, 0.045425, -0.0000047788, -0.0000023153,
        0.092518, 0.16916, 0.14273, 0.1147, 0.10684, -0.11942, 0.15898, -0.13263, 1.5847e-7, -0.084889,
        0.0000012784, -0.029962, -0.035834, 0.083803, 0.040284, -6.19e-7, 0.072626, 0.020157, -0.23604,
        0.044719, -0.044435, -0.55342, -0.17596, -0.1035, -0.39816, -0.021645, -0.05229, 0.46165, 0.016246,
        -0.093817, 0.044484, 0.066283, -0.005631, -0.09937, -0.049943, -0.043255, 0.097769, -0.1174,
        -5.0599e-7, -0.1051, -0.0000025579, -0.0000011415, -9.3651e-7, -0.16329, 0.32121, -0.15734, 0.0088687,
        0.0065587, -0.0000074463, 0.040284, 0.071498, 5.4373e-7, 0.13772, 0.17481, 1.434, 0.025874, 0.029662,
        0.80025
      ],
      intercept: -1.3051
    },
    scale: {
      intercept: -0.45774,
      slope: 0.49793
    },
    knots: null,
    least: 0.01,
    most: 0.99,
    prior: {
      names: [
        "head",
        "near",
        "bm25",
        "rank",
        "lexical",
        "cosine",
        "adjacent",
        "spread",
        "missingNear",
        "namesNear",
        "namesPassage",
        "codesHeld",
        "hasCodes",
        "number+",
        "number-",
        "date+",
        "date-",
        "person+",
        "person-",
        "place+",
        "reason-",
        "procedure-",
        "list+",
        "definition+",
        "definition-",
        "otherKind",
        "counted",
        "uncounted",
        "newName",
        "newNumber",
        "newWords",
        "swapped",
        "opposed",
        "denied",
        "over",
        "past",
        "words",
        "short",
        "first",
        "place",
        "row",
        "item",
        "listUnasked",
        "leadIn",
        "pronoun",
        "title",
        "nearGap",
        "titleGap",
        "deniedWord",
        "missingWords",
        "missingWordsNear",
        "missingPool",
        "askedDenied",
        "saysDenied",
        "verbMissing",
        "placeName",
        "personName",
        "otherState",
        "reasonAbove",
        "labelled",
        "nearest",
        "share",
        "nearBest",
        "cosineBest",
        "lexicalBest",
        "namesPassageBest",
        "noVectors"
      ],
      means: [
        0.56613, 0.59707, 0.89115, 0.75168, 0.19059, 0.62749, 0.18248, 0.13009, 0.732, 0.86918, 0.89808,
        0.9581, 0.11172, 0.0912, 0.022415, 0.088235, 0.02194, 0.12417, 0.0050996, 0.057519, 0.009962,
        0.018738, 0.02787, 0, 0.043643, 0.44426, 0.032377, 0.034511, 0.78724, 0.4732, 0.74567, 0.68204,
        0.0054554, 0.070209, 0.0018975, 0.31013, 0.64716, 0.0085389, 0.29851, 0.4196, 0.005574, 0.0050996,
        0.00023719, 0.0017789, 0.13129, 0.07992, 0.0247, 0.0068451, 0.0041509, 0.41981, 0.36577, 0.067747,
        0.034511, 0.072699, 0.35199, 0.047794, 0.10211, 0.00059298, 0, 0.050166, 0.083786, 0.59161, 0.62177,
        0.64893, 0.19537, 0.91444, 0.053724
      ],
      deviations: [
        0.27335, 0.2753, 0.19885, 0.31393, 0.1096, 0.32853, 0.25513, 0.2579, 0.38227, 0.29231, 0.26193,
        0.1991, 0.31502, 0.28789, 0.14803, 0.28364, 0.14649, 0.32978, 0.071229, 0.23283, 0.099312, 0.1356,
        0.1646, 1, 0.2043, 0.49688, 0.177, 0.18254, 0.40926, 0.49928, 0.17741, 0.46568, 0.073659, 0.2555,
        0.043519, 0.46255, 0.12952, 0.092011, 0.4576, 0.36576, 0.074451, 0.071229, 0.015399, 0.04214, 0.33771,
        0.14694, 0.059961, 0.036428, 0.064293, 0.30254, 0.2949, 0.14157, 0.18254, 0.25964, 0.47759, 0.21333,
        0.30279, 0.024344, 1, 0.21829, 0.15257, 0.30767, 0.26437, 0.31406, 0.1069, 0.23706, 0.22547
      ],
      weights: [
        0.059308, 0.19428, 0.049955, 0.72299, 0.00031907, 0.0011052, 0.045425, -0.0000047788, -0.0000023153,
        0.092518, 0.16916, 0.14273, 0.1147, 0.10684, -0.11942, 0.15898, -0.13263, 1.5847e-7, -0.084889,
        0.0000012784, -0.029962, -0.035834, 0.083803, 0.040284, -6.19e-7, 0.072626, 0.020157, -0.23604,
        0.044719, -0.044435, -0.55342, -0.17596, -0.1035, -0.39816, -0.021645, -0.05229, 0.46165, 0.016246,
        -0.093817, 0.044484, 0.066283, -0.005631, -0.09937, -0.049943, -0.043255, 0.097769, -0.1174,
        -5.0599e-7, -0.1051, -0.0000025579, -0.0000011415, -9.3651e-7, -0.16329, 0.32121, -0.15734, 0.0088687,
        0.0065587, -0.0000074463, 0.040284, 0.071498, 5.4373e-7, 0.13772, 0.17481, 1.434, 0.025874, 0.029662,
        0.80025
      ],
      intercept: -1.3051,
      scale: {
        intercept: -0.45774,
        slope: 0.49793
      },
      threshold: 0,
      least: 0.01,
      most: 0.99
    },
    risk: {
      alpha: 0.1,
      delta: 0.1,
      grid: [0.5],
      start: 0,
      threshold: 0.5,
      certified: false,
      answered: 3251,
      wrong: 1045,
      bound: 1,
      conformalThreshold: null
    },
    seed: "1",
    fitted: 5332,
    calibrated: 3251,
    measures: {
      brier: 0.22396327823827578,
      logLoss: 0.6394186688460003,
      ece: 0.13090918345556,
      adaptiveEce: 0.13065456654661914,
      aurc: 0.22340078516355985,
      excessAurc: 0.16504513336582016,
      auroc: 0.6433326681907109,
      accuracy: 0.6785604429406337,
      bins: [
        {
          from: 0,
          to: 0.1,
          count: 0,
          confidence: null,
          accuracy: null
        },
        {
          from: 0.1,
          to: 0.2,
          count: 0,
          confidence: null,
          accuracy: null
        },
        {
          from: 0.2,
          to: 0.3,
          count: 0,
          confidence: null,
          accuracy: null
        },
        {
          from: 0.3,
          to: 0.4,
          count: 0,
          confidence: null,
          accuracy: null
        },
        {
          from: 0.4,
          to: 0.5,
          count: 1074,
          confidence: 0.45601866270325403,
          accuracy: 0.5484171322160148
        },
        {
          from: 0.5,
          to: 0.6,
          count: 1260,
          confidence: 0.5491690436812917,
          accuracy: 0.6976190476190476
        },
        {
          from: 0.6,
          to: 0.7,
          count: 779,
          confidence: 0.6403493286090841,
          accuracy: 0.7869062901155327
        },
        {
          from: 0.7,
          to: 0.8,
          count: 135,
          confidence: 0.7279922859500652,
          accuracy: 0.9111111111111111
        },
        {
          from: 0.8,
          to: 0.9,
          count: 3,
          confidence: 0.8046265951611246,
          accuracy: 0.6666666666666666
        },
        {
          from: 0.9,
          to: 1,
          count: 0,
          confidence: null,
          accuracy: null
        }
      ]
    },
    fingerprint: {
      chat: "builtin/extractive-3",
      embedder: null,
      reranker: null,
      judge: "builtin/lexical-3",
      prompt: "answer-2",
      verifier: "builtin/lexical-3",
      pipeline: "pipeline-2"
    },
    dataset: "468f266df43a361c9b84653c262cb6d8364d05e6c90364776fd35604d4b381f0"
  }
}

/** Figures of each set with its articles or vaults left out of the training, and with the whole set left out. */
export const trainingFigures = {
  groupsLeftOut: [
    {
      set: "squad2-dev-8",
      questions: 2940,
      bestRight: 0.81,
      right: 0.57,
      rightOfAnswered: 0.91,
      unanswerableAnswered: 0.46,
      auroc: 0.62,
      ece: 0.05
    },
    {
      set: "xquad-dev-en",
      questions: 525,
      bestRight: 0.87,
      right: 0.72,
      rightOfAnswered: 0.9,
      unanswerableAnswered: null,
      auroc: null,
      ece: 0.33
    },
    {
      set: "xquad-dev-de",
      questions: 524,
      bestRight: 0.84,
      right: 0.65,
      rightOfAnswered: 0.91,
      unanswerableAnswered: null,
      auroc: null,
      ece: 0.36
    },
    {
      set: "xquad-dev-es",
      questions: 525,
      bestRight: 0.85,
      right: 0.69,
      rightOfAnswered: 0.89,
      unanswerableAnswered: null,
      auroc: null,
      ece: 0.33
    },
    {
      set: "clapnq-dev",
      questions: 303,
      bestRight: 0.81,
      right: 0.66,
      rightOfAnswered: 0.85,
      unanswerableAnswered: 0.37,
      auroc: 0.77,
      ece: 0.03
    },
    {
      set: "mtragun-dev",
      questions: 131,
      bestRight: 0.92,
      right: 0.46,
      rightOfAnswered: 0.95,
      unanswerableAnswered: 0.19,
      auroc: 0.73,
      ece: 0.25
    },
    {
      set: "reports",
      questions: 29,
      bestRight: 0.73,
      right: 0.68,
      rightOfAnswered: 0.83,
      unanswerableAnswered: null,
      auroc: null,
      ece: 0.33
    },
    {
      set: "reports-3",
      questions: 24,
      bestRight: 0.84,
      right: 0.42,
      rightOfAnswered: 0.89,
      unanswerableAnswered: 0.67,
      auroc: 0.39,
      ece: 0.17
    },
    {
      set: "kinds",
      questions: 29,
      bestRight: 0.73,
      right: 0.64,
      rightOfAnswered: 0.88,
      unanswerableAnswered: null,
      auroc: null,
      ece: 0.37
    },
    {
      set: "variants",
      questions: 68,
      bestRight: 0.92,
      right: 0.82,
      rightOfAnswered: 0.93,
      unanswerableAnswered: 0,
      auroc: 1,
      ece: 0.33
    },
    {
      set: "vaults",
      questions: 86,
      bestRight: 0.96,
      right: 0.85,
      rightOfAnswered: 0.95,
      unanswerableAnswered: 0.75,
      auroc: 0.81,
      ece: 0.3
    },
    {
      set: "handbooks",
      questions: 40,
      bestRight: 0.91,
      right: 0.79,
      rightOfAnswered: 0.9,
      unanswerableAnswered: 0.5,
      auroc: 0.81,
      ece: 0.29
    },
    {
      set: "later",
      questions: 95,
      bestRight: 0.96,
      right: 0.84,
      rightOfAnswered: 0.97,
      unanswerableAnswered: 0.22,
      auroc: 0.86,
      ece: 0.36
    }
  ],
  setsLeftOut: [
    {
      set: "squad2-dev-8",
      questions: 2940,
      bestRight: 0.8,
      right: 0.74,
      rightOfAnswered: 0.86,
      unanswerableAnswered: 0.8,
      auroc: 0.59,
      ece: 0.27
    },
    {
      set: "xquad-dev-en",
      questions: 525,
      bestRight: 0.87,
      right: 0.47,
      rightOfAnswered: 0.92,
      unanswerableAnswered: null,
      auroc: null,
      ece: 0.42
    },
    {
      set: "xquad-dev-de",
      questions: 524,
      bestRight: 0.83,
      right: 0.29,
      rightOfAnswered: 0.96,
      unanswerableAnswered: null,
      auroc: null,
      ece: 0.45
    },
    {
      set: "xquad-dev-es",
      questions: 525,
      bestRight: 0.84,
      right: 0.3,
      rightOfAnswered: 0.93,
      unanswerableAnswered: null,
      auroc: null,
      ece: 0.43
    },
    {
      set: "clapnq-dev",
      questions: 303,
      bestRight: 0.81,
      right: 0.69,
      rightOfAnswered: 0.83,
      unanswerableAnswered: 0.55,
      auroc: 0.74,
      ece: 0.09
    },
    {
      set: "mtragun-dev",
      questions: 131,
      bestRight: 0.92,
      right: 0.24,
      rightOfAnswered: 0.95,
      unanswerableAnswered: 0.07,
      auroc: 0.73,
      ece: 0.3
    },
    {
      set: "reports",
      questions: 29,
      bestRight: 0.73,
      right: 0.04,
      rightOfAnswered: 0.5,
      unanswerableAnswered: null,
      auroc: null,
      ece: 0.55
    },
    {
      set: "reports-3",
      questions: 24,
      bestRight: 0.84,
      right: 0,
      rightOfAnswered: 0,
      unanswerableAnswered: 0,
      auroc: 0.25,
      ece: 0
    },
    {
      set: "kinds",
      questions: 29,
      bestRight: 0.73,
      right: 0.04,
      rightOfAnswered: 0.5,
      unanswerableAnswered: null,
      auroc: null,
      ece: 0.55
    },
    {
      set: "variants",
      questions: 68,
      bestRight: 0.88,
      right: 0,
      rightOfAnswered: 0,
      unanswerableAnswered: 0,
      auroc: 0.98,
      ece: 0
    },
    {
      set: "vaults",
      questions: 86,
      bestRight: 0.97,
      right: 0,
      rightOfAnswered: 0,
      unanswerableAnswered: 0,
      auroc: 0.71,
      ece: 0
    },
    {
      set: "later",
      questions: 95,
      bestRight: 0.95,
      right: 0,
      rightOfAnswered: 0,
      unanswerableAnswered: 0,
      auroc: 0.73,
      ece: 0
    },
    {
      set: "handbooks",
      questions: 40,
      bestRight: 0.94,
      right: 0,
      rightOfAnswered: 0,
      unanswerableAnswered: 0,
      auroc: 0.56,
      ece: 0
    }
  ]
}
