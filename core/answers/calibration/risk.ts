/** A judged question from a threshold's point of view. */
export interface RiskItem {
  readonly confidence: number
  readonly right: boolean
  /** False when the verdict is not `answer` at any threshold: an abstention, or another caveat. */
  readonly answers: boolean
}

/** Candidate thresholds, descending: 0.98, 0.96, …, 0.02, 0. */
export const riskGrid: ReadonlyArray<number> = Array.from({ length: 50 }, (_, at) => (49 - at) / 50)

export interface GridRow {
  readonly threshold: number
  readonly answered: number
  readonly wrong: number
  /** Probability of so few wrong answers if the risk were alpha; 1 when nothing is answered. */
  readonly pValue: number
}

/** Counts answered and wrongly answered questions for each threshold of the grid. */
export const gridRows = (
  items: ReadonlyArray<RiskItem>,
  grid: ReadonlyArray<number>,
  alpha: number
): ReadonlyArray<GridRow> =>
  grid.map((threshold) => {
    const answeredItems = items.filter(({ answers, confidence }) => answers && confidence >= threshold)
    const wrong = answeredItems.filter(({ right }) => !right).length
    const answered = answeredItems.length
    return { threshold, answered, wrong, pValue: answered === 0 ? 1 : binomialTail(wrong, answered, alpha) }
  })

/** Returns the start of the tests: the highest threshold with the least p-value on the fit half. */
export const startOf = (rows: ReadonlyArray<GridRow>): number => {
  const least = Math.min(...rows.map(({ pValue }) => pValue))
  return Math.max(
    0,
    rows.findIndex(({ pValue }) => pValue === least)
  )
}

/**
 * Selects a threshold by fixed-sequence testing: from the start downwards while p <= delta. Returns the last one that
 * passed, or null. The family-wise error is at most delta without monotonicity (Angelopoulos, Bates, Candès, Jordan
 * and Lei, "Learn then Test", 2021), provided that score, grid and start were fixed without these items.
 */
export const certify = (rows: ReadonlyArray<GridRow>, start: number, delta: number): GridRow | null => {
  let passed: GridRow | null = null
  for (const row of rows.slice(start)) {
    if (row.pValue > delta) break
    passed = row
  }
  return passed
}

/**
 * Returns the least threshold of the grid with (wrong + 1) / (n + 1) <= alpha, or null. It bounds the expected share
 * of answered-and-wrong questions over calibration draws (Angelopoulos, Bates, Fisch, Lei and Schuster, "Conformal
 * Risk Control", 2022).
 */
export const conformalThreshold = (
  rows: ReadonlyArray<GridRow>,
  items: number,
  alpha: number
): number | null => {
  const passing = rows.filter(({ wrong }) => (wrong + 1) / (items + 1) <= alpha)
  return passing.length === 0 ? null : Math.min(...passing.map(({ threshold }) => threshold))
}

/** Returns P(X <= wrong) for X binomial with `trials` and `probability`; summed in logarithms to avoid underflow. */
export const binomialTail = (wrong: number, trials: number, probability: number): number => {
  if (wrong >= trials) return 1
  if (probability <= 0) return 1
  if (probability >= 1) return 0
  const [hit, miss] = [Math.log(probability), Math.log1p(-probability)]
  let [log, sum] = [trials * miss, 0]
  for (let i = 0; i <= wrong; i++) {
    sum += Math.exp(log)
    log += Math.log(trials - i) - Math.log(i + 1) + hit - miss
  }
  return Math.min(1, sum)
}

/**
 * Returns the exact one-sided upper bound of a risk with confidence 1 - delta (Clopper and Pearson, Biometrika 26,
 * 1934). 1 when nothing was answered.
 */
export const upperBound = (wrong: number, answered: number, delta: number): number => {
  if (answered === 0 || wrong >= answered) return 1
  let [low, high] = [wrong / answered, 1]
  for (let step = 0; step < 100; step++) {
    const middle = (low + high) / 2
    if (binomialTail(wrong, answered, middle) > delta) low = middle
    else high = middle
  }
  return (low + high) / 2
}

/** Returns the minimum number of answers without an error for a certificate. */
export const smallestPerfectSample = (alpha: number, delta: number): number =>
  Math.ceil(Math.log(delta) / Math.log1p(-alpha))

/**
 * Returns the minimum share of questions that must stay unanswered if `risk` of all answers are wrong and the ranking
 * is perfect.
 */
export const leastAbstention = (risk: number, alpha: number): number =>
  risk <= alpha ? 0 : (risk - alpha) / (1 - alpha)
