import type { ReadUnit } from "../../language/text-analysis/index.js"
import type { Evidence } from "../evidence/index.js"

/** Returns which units hold a sentence that the graph knows as an answer to the question, or as none. */
export const unitsKnownToGraph = ({
  question: { parts, text },
  stated: { others, said }
}: Evidence): {
  readonly isSaid: (unit: ReadUnit) => boolean
  readonly isOther: (unit: ReadUnit) => boolean
} => {
  const answering = said.filter(({ of }) => of === text || parts.length > 0).map(({ sentence }) => sentence)
  return { isSaid: holdsOne(answering), isOther: holdsOne(others) }
}

const holdsOne = (sentences: ReadonlyArray<string>) => {
  const sought = sentences.map(wordsOf)
  return ({ kind, text }: ReadUnit): boolean => {
    if (sought.length === 0 || !(kind === "sentence" || kind === "item")) return false
    const words = wordsOf(text)
    return sought.some(
      (one) => one === words || (words.length > charsMin && (one.includes(words) || words.includes(one)))
    )
  }
}

/** Shorter units may stand in any sentence. */
const charsMin = 12

/** Letters and digits: the sentence of an edge has the markup that a unit lacks. */
const wordsOf = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "")
