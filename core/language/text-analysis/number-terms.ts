import { analyse } from "../tokenization/index.js"
import { numberWords } from "../values/index.js"

let made: ReadonlyMap<string, string> | undefined

/** Built on first use: most questions hold no number. */
const digitsByTerm = (): ReadonlyMap<string, string> => {
  made ??= new Map(
    numberWords().flatMap(([word, value]) => {
      const [only, ...further] = analyse(word)
      return only === undefined || further.length > 0 ? [] : [[only.term, String(value)] as const]
    })
  )
  return made
}

/** Returns the digits of an index term that is a number of up to two digits or spells one ("four"); else null. */
export const digitsOf = (term: string): string | null =>
  /^\d{1,2}$/u.test(term) ? term : (digitsByTerm().get(term) ?? null)
