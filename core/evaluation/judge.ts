import { answerF1, normaliseAnswer } from "../measures/index.js"

/** Least token F1 of a claim that does not contain the gold answer. */
const f1Min = 0.6

/** Judges by rule, without a model: some claim contains a gold answer, or shares most of its words with it. */
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
