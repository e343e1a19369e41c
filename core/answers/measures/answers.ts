/**
 * Normalises an answer as the SQuAD evaluation does: lower case, no punctuation, no articles, single blanks.
 *
 * Source: Rajpurkar, Zhang, Lopyrev and Liang, "SQuAD", EMNLP 2016.
 */
export const normaliseAnswer = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s]/gu, "")
    .replace(/(?<![\p{L}\p{N}])(?:a|an|the)(?![\p{L}\p{N}])/gu, " ")
    .replace(/\s+/gu, " ")
    .trim()

/** Returns 1 when the prediction equals a gold answer after normalisation, else 0; "no answer" is the empty text. */
export const exactMatch = (prediction: string, golds: ReadonlyArray<string>): number =>
  golds.some((gold) => normaliseAnswer(gold) === normaliseAnswer(prediction)) ? 1 : 0

/** Returns the best token F1 of the prediction over the gold answers, 0 to 1; two empty texts agree. */
export const answerF1 = (prediction: string, golds: ReadonlyArray<string>): number =>
  Math.max(0, ...golds.map((gold) => tokenF1(wordsOf(prediction), wordsOf(gold))))

const wordsOf = (text: string): ReadonlyArray<string> =>
  normaliseAnswer(text)
    .split(" ")
    .filter((word) => word !== "")

const tokenF1 = (prediction: ReadonlyArray<string>, gold: ReadonlyArray<string>): number => {
  if (prediction.length === 0 || gold.length === 0) return prediction.length === gold.length ? 1 : 0
  const remaining = new Map<string, number>()
  for (const word of gold) remaining.set(word, (remaining.get(word) ?? 0) + 1)
  let shared = 0
  for (const word of prediction) {
    const count = remaining.get(word) ?? 0
    if (count > 0) shared += 1
    remaining.set(word, count - 1)
  }
  return (2 * shared) / (prediction.length + gold.length)
}

/** A sentence of an answer: what it cites, and which sets of sources support it. */
export interface CitedSentence {
  readonly citations: ReadonlyArray<string>
  /** Each set supports the sentence as a whole; any larger set does too. */
  readonly supportedBy: ReadonlyArray<ReadonlyArray<string>>
}

/**
 * Scores citations. Recall is the share of sentences whose cited set supports them; precision the share of citations
 * that support alone, or without which the rest no longer supports. Repeated citations count once; a share of nothing
 * is 0.
 *
 * Source: Gao, Yen, Yu and Chen, "Enabling large language models to generate text with citations" (ALCE), EMNLP 2023.
 * Unlike ALCE, a citation that supports nothing counts against precision also where the whole set does not support.
 */
export const citationScores = (
  sentences: ReadonlyArray<CitedSentence>
): { readonly recall: number; readonly precision: number; readonly f1: number } => {
  let [supported, cited, precise] = [0, 0, 0]
  for (const sentence of sentences) {
    const citations = new Set(sentence.citations)
    const isSupported = (held: ReadonlySet<string>): boolean =>
      sentence.supportedBy.some((needed) => needed.length > 0 && needed.every((id) => held.has(id)))
    const whole = isSupported(citations)
    if (whole) supported += 1
    cited += citations.size
    for (const id of citations) {
      const rest = new Set([...citations].filter((other) => other !== id))
      if (isSupported(new Set([id])) || (whole && !isSupported(rest))) precise += 1
    }
  }
  const recall = sentences.length === 0 ? 0 : supported / sentences.length
  const precision = cited === 0 ? 0 : precise / cited
  return { recall, precision, f1: harmonicMean(recall, precision) }
}

/** Answers count when the verdict is `answer` or `answer_with_caveats`; every other verdict abstains. */
export interface JudgedVerdict {
  readonly answerable: boolean
  readonly verdict: string
  readonly right: boolean
}

/** Scores of a system that may abstain, over answerable and unanswerable questions. */
export interface AbstentionScores {
  readonly n: number
  readonly answered: number
  /** Share of questions answered. */
  readonly coverage: number
  /** Share of given answers that are right; null when none was given. */
  readonly selectiveAccuracy: number | null
  /** Wrong answers over all questions; an answer to an unanswerable question is wrong. */
  readonly harm: number
  /** Precision, recall and F1 of abstaining, where unanswerable is the positive class. */
  readonly precision: number
  readonly recall: number
  readonly f1: number
  /** Share of answerable questions that got no answer. */
  readonly overAbstention: number
  /** (right - cost × wrong) / n at cost 1 and at cost 3. */
  readonly effectiveReliability: { readonly cost1: number; readonly cost3: number }
}

/**
 * Scores when a system answers and when it abstains.
 *
 * Source: Whitehead et al., "Reliable visual question answering: abstain rather than answer incorrectly", ECCV 2022.
 */
export const abstentionScores = (rows: ReadonlyArray<JudgedVerdict>): AbstentionScores => {
  const isAnswered = ({ verdict }: JudgedVerdict) => verdict === "answer" || verdict === "answer_with_caveats"
  const answered = rows.filter(isAnswered)
  const abstained = rows.length - answered.length
  const right = answered.filter((row) => row.right && row.answerable).length
  const wrong = answered.length - right
  const unanswerable = rows.filter(({ answerable }) => !answerable)
  const rightlyAbstained = unanswerable.filter((row) => !isAnswered(row)).length
  const answerable = rows.length - unanswerable.length
  const precision = share(rightlyAbstained, abstained)
  const recall = share(rightlyAbstained, unanswerable.length)
  const reliability = (cost: number) => share(right - cost * wrong, rows.length)
  return {
    n: rows.length,
    answered: answered.length,
    coverage: share(answered.length, rows.length),
    selectiveAccuracy: answered.length === 0 ? null : right / answered.length,
    harm: share(wrong, rows.length),
    precision,
    recall,
    f1: harmonicMean(precision, recall),
    overAbstention: share(abstained - rightlyAbstained, answerable),
    effectiveReliability: { cost1: reliability(1), cost3: reliability(3) }
  }
}

const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole)
const harmonicMean = (a: number, b: number): number => (a + b === 0 ? 0 : (2 * a * b) / (a + b))
