import { wordwise } from "../languages/index.js"

/**
 * Units of two words: working days, which are no days, degrees Celsius, per cent. "Three times" are occasions, which
 * have a period only with "a day".
 */
export const unitPhrase = wordwise(
  () =>
    /^[\s\u00a0-]{0,2}(?:(?<work>(?:working|business)[\s-]days?)|(?:(?:degrees?|deg\.?|Grad|grados?|degrés?)[\s\u00a0]|°[\s\u00a0])(?:(?<fahrenheit>Fahrenheit|F)|Celsius|centígrados|C)|(?<points>percentage[\s-]points?|puntos porcentuales)|(?<percent>(?:per|por|pour)[\s\u00a0](?:cent|ciento)))(?!\p{L})/iu
)
/** Returns the unit that a match of `unitPhrase` names, as the table of units has it. */
export const unitOfPhrase = ({ groups = {} }: RegExpExecArray): string => {
  const [name = ""] = Object.entries(groups).find(([, found]) => found !== undefined) ?? []
  return phraseUnits[name] ?? "celsius"
}
const phraseUnits: Readonly<Record<string, string>> = {
  work: "workdays",
  fahrenheit: "fahrenheit",
  points: "pp",
  percent: "percent"
}
