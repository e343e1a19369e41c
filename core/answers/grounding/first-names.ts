import { isFunctionWord } from "../../language/languages/index.js"
import type { Span } from "../evidence/index.js"
import type { ClaimReader } from "./windows.js"

type Name = ClaimReader["names"][number]

/**
 * Returns the words of a name before its last one where a text has the last one alone: "Dr. Alan Grant" of a source that
 * says "Grant". Empty where the text has another first name, or the last word nowhere.
 */
export const firstNamesIn = (
  claim: ClaimReader,
  { kind, text: name }: Name,
  text: string
): ReadonlyArray<Span> => {
  const words = name.split(/\s+/u)
  const last = words.at(-1) ?? ""
  if (kind !== "name" || words.length < 2 || last.length < lettersMin) return []
  let isThere = false
  for (let at = text.indexOf(last); at >= 0; at = text.indexOf(last, at + 1)) {
    if (letter.test(text.charAt(at + last.length)) || letter.test(text.charAt(at - 1))) continue
    const before = wordBefore.exec(text.slice(Math.max(0, at - 24), at))?.[1] ?? ""
    if (/^\p{Lu}/u.test(before) && !titles.test(before) && !isFunctionWord(before, claim.language)) return []
    isThere = true
  }
  const start = isThere ? claim.text.indexOf(name) : -1
  return start < 0 ? [] : [{ start, end: start + name.length - last.length - 1 }]
}

const lettersMin = 3
const letter = /[\p{L}\p{N}]/u
const wordBefore = /(\p{L}[\p{L}'’-]*)\.?\s$/u
const titles = /^(?:Dr|Mrs?|Ms|Prof|Sir|Lord|Lady|Herrn?|Frau|Señora?|Don|Doña|President|Captain)$/u
