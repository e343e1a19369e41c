import { wordwise } from "../languages/index.js"

/** Whether the words before and after a quantity make it a bound. */
export const boundOf = (before: string, after: string): "least" | "most" | null =>
  least().test(before) || leastAfter().test(after)
    ? "least"
    : most().test(before) || mostAfter().test(after)
      ? "most"
      : null

const least = wordwise(
  () =>
    /\b(?:at least|minimum(?: of)?|min\.?|no (?:fewer|less) than|not (?:less|fewer) than|more than|over|above|mindestens|wenigstens|mehr als|über|au moins|au minimum|plus de|al menos|como mínimo|más de)\s*(?:[€$£]|(?:eur|usd|gbp|chf|sek|nok|dkk|pln|czk|jpy|cad|aud)\s)?$|[≥>]=?\s*$/iu
)
const most = wordwise(
  () =>
    /\b(?:at most|maximum(?: of)?|max\.?|no more than|not more than|no later than|up to|less than|fewer than|under|below|within|höchstens|maximal|bis zu|weniger als|unter|innerhalb von|au plus|au maximum|jusqu['’]à|moins de|como máximo|hasta|menos de)\s*(?:[€$£]|(?:eur|usd|gbp|chf|sek|nok|dkk|pln|czk|jpy|cad|aud)\s)?$|[≤<]=?\s*$/iu
)
const leastAfter = wordwise(
  () => /^\s*(?:or (?:more|longer|older|above)|and (?:more|above)|oder mehr|ou plus|o más|minimum)\b/iu
)
const mostAfter = wordwise(() => /^\s*(?:or (?:less|fewer|below)|oder weniger|ou moins|o menos|maximum)\b/iu)
