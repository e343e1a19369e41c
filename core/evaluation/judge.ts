/** Share of words that an answer must have in common with a gold answer that it does not hold. */
const f1Min = 0.6

/**
 * As the SQuAD evaluation normalises: lower case, without punctuation and articles, one blank between words
 * (Rajpurkar, Zhang, Lopyrev and Liang, EMNLP 2016).
 */
export const normaliseAnswer = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s]/gu, "")
    .replace(/(?<![\p{L}\p{N}])(?:a|an|the)(?![\p{L}\p{N}])/gu, " ")
    .replace(/\s+/gu, " ")
    .trim()

/** F1 of the words that an answer shares with the nearest gold answer, 0 to 1; two empty ones agree. */
export const answerF1 = (prediction: string, golds: ReadonlyArray<string>): number =>
  Math.max(0, ...golds.map((gold) => tokenF1(wordsOf(prediction), wordsOf(gold))))

/** 1 when an answer is a gold answer, once both are normalised. */
export const exactMatch = (prediction: string, golds: ReadonlyArray<string>): number =>
  golds.some((gold) => normaliseAnswer(gold) === normaliseAnswer(prediction)) ? 1 : 0

/** The rule of thumb in the place of a judge: some claim holds a gold answer, or shares most of its words with it. */
export const isRightAnswer = (claims: ReadonlyArray<string>, golds: ReadonlyArray<string>): boolean => {
  const texts = claims.map(normaliseAnswer)
  return golds.some((gold) => {
    const wanted = normaliseAnswer(gold)
    return (
      wanted !== "" &&
      texts.some((text) => ` ${text} `.includes(` ${wanted} `) || answerF1(text, [gold]) >= f1Min)
    )
  })
}

const wordsOf = (text: string): ReadonlyArray<string> =>
  normaliseAnswer(text)
    .split(" ")
    .filter((word) => word !== "")

const tokenF1 = (prediction: ReadonlyArray<string>, gold: ReadonlyArray<string>): number => {
  if (prediction.length === 0 || gold.length === 0) return prediction.length === gold.length ? 1 : 0
  const left = new Map<string, number>()
  for (const word of gold) left.set(word, (left.get(word) ?? 0) + 1)
  let shared = 0
  for (const word of prediction) {
    const count = left.get(word) ?? 0
    if (count > 0) shared += 1
    left.set(word, count - 1)
  }
  return (2 * shared) / (prediction.length + gold.length)
}
