import { isFunctionWord, matchesOf, wordwise } from "../languages/index.js"

/** "This public library", "of that mission": something that only earlier text can tell. English only. */
const pattern = wordwise(
  () =>
    /(?<!\p{L})(?:this|these|(?<=(?:of|about|for|in|at|by|with|from|does|did|is|was|will) )that)((?: \p{L}[\p{L}'’-]*){1,3})/giu
)

/** Times that are known without earlier text, and the place where the question is asked. */
const known =
  /^(?:second|minute|hour|day|week|weekend|month|quarter|year|season|morning|afternoon|evening|night|time|moment|spring|summer|autumn|winter|way|case|workspace|vault|company|team)s?$/iu

const nounOf = (following: string): ReadonlyArray<string> => {
  const words = following.trim().split(" ")
  const end = words.findIndex((word) => isFunctionWord(word.toLowerCase(), "en"))
  const noun = end < 0 ? words : words.slice(0, end)
  return noun.some((word) => known.test(word)) ? [] : noun
}

/** Whether a question points to something that it does not name: "Is this library open on Sundays?" */
export const hasOpenReference = (question: string): boolean =>
  matchesOf(pattern(), question).some(([, following = ""]) => nounOf(following).length > 0)

/** Returns the question with "the" in place of the "this" of what an earlier text names. */
export const closeReferences = (question: string, earlier: string): string => {
  const earlierText = earlier.toLowerCase()
  return question.replace(pattern(), (whole: string, following: string) =>
    nounOf(following).some((word) => earlierText.includes(word.toLowerCase())) ? `the${following}` : whole
  )
}
