import type { Passage } from "../../files/documents/index.js"
import type { Idf } from "../../language/text-analysis/index.js"
import {
  codesApart,
  type Disagreement,
  disagreementOf,
  numbersApart,
  type Statement
} from "../conflicts/index.js"

/**
 * Minimum share of common words of two sentences of which nobody asked: a question says what both are about, and here
 * nothing but their words does.
 */
const overlapMin = 0.55
const wordsMin = 2
/** Shorter statements are compared when both have the same words, and name their subject. */
const shortMax = 2
const charsMax = 400

/** Sections and pages whose statements are of their own place or time. */
const ofItself =
  /\b(?:history|change ?log|changes|releases?|release notes|archive[sd]?|migrat\w*|upgrad\w*|deprecat\w*|example|examples|samples?|recipes?|templates?|tutorials?|walkthrough|quick ?start|verlauf|änderungen|beispiele?|vorlagen?|historique|exemples?|historial|ejemplos?|plantillas?|adr|decision|proposal|rfc|meeting|minutes|protokoll)\b/iu

/** What a sentence says only of the example, the figure or the set-up that its page is about. */
const ofPage =
  /\b(?:for (?:example|instance)|e\.g\.|examples?|suppose|imagine|assume|let['’]s|sample|following|above|below|so far|step \d+|zum beispiel|z\. ?b\.|beispiel\w*|folgende[nrsm]?|par exemple|exemples?|suivante?s?|por ejemplo|ejemplos?|siguientes?)\b|\b(?:in|with|for|under|on|at|of|by) (?:this|these|that|those|such|dieser?|diesem|ce|cette|este|esta) \p{L}|\b(?:the|a) new(?:ly)? /iu

/** Whether a page is of its own time or place as a whole, by its title or a folder. */
export const isOfItself = ({ docPath, docTitle }: Pick<Passage, "docPath" | "docTitle">): boolean =>
  ofItself.test(docTitle) || ofItself.test(docPath.replace(/[-_/.]+/gu, " "))

/** Whether a statement may be compared over the whole corpus: a sentence that says what it is about. */
export const isGeneralStatement = ({
  cell,
  heading,
  isOfPronoun,
  row,
  section,
  terms,
  text
}: Statement): boolean =>
  cell === null &&
  row === null &&
  !isOfPronoun &&
  terms.length >= wordsMin &&
  text.length <= charsMax &&
  /^[\p{L}\p{N}"“'*`(]/u.test(text) &&
  /\s\p{L}+\s/u.test(text) &&
  !/^[\w.-]+:\s*\S*$/u.test(text) &&
  !/:\/\/|[{}<>]|=>|\$\(/u.test(text) &&
  !/[?:]\s*$/u.test(text) &&
  !ofPage.test(text) &&
  !ofItself.test(heading) &&
  !ofItself.test(section)

const isShort = ({ terms }: Statement): boolean => terms.length <= shortMax

/** "Invoices are paid within 30 days", "Invoices are paid within 45 days"; not "The price is 5 EUR". */
const areShortAlike = (one: Statement, other: Statement): boolean =>
  one.terms.length === other.terms.length &&
  one.terms.every(({ term }) => other.set.has(term)) &&
  [one, other].every(({ terms, text }) => namesSubject(text, terms[0]?.start))

/** Whether the subject of a short statement needs no page to say whose it is. */
const namesSubject = (text: string, first: number | undefined): boolean =>
  first !== undefined &&
  !/\b(?:the|a|an|its?|this|these|our|your|their|each|der|die|das|ein|eine|le|la|les|el|los|las|default)\s$/iu.test(
    text.slice(0, first)
  ) &&
  !/^[^.]{0,40}:\s/u.test(text)

/** Returns how two sentences of two documents disagree, where that can be told without a question. */
export const sentenceDisagreement = (
  one: Statement,
  other: Statement,
  idf: Idf
): Disagreement | undefined => {
  for (const compare of [disagreementOf, numbersApart, codesApart]) {
    const found = compare(one, other, idf)
    if (found !== undefined && isCertain(one, other, found)) return found
  }
  return undefined
}

/** Whether the numbers beside the two that differ are the same, so that nothing else tells two cases apart. */
const areOneNumberApart = (one: Statement, other: Statement, { a, b }: Disagreement): boolean =>
  [a, b].every((value) => !countsKinds.test(value)) &&
  ![one, other].some(listsKinds) &&
  isRange(a) === isRange(b) &&
  states(one, a) &&
  states(other, b) &&
  suppositionOf(one, a) === suppositionOf(other, b) &&
  numbersBeside(one, a) === numbersBeside(other, b)

/**
 * How a sentence supposes its value: "Setting the size to zero disables the cache", "sizes greater than 10,000 may be
 * slow" state what follows from a value, and not that it holds. Two that do so in one way can contradict each other.
 */
const suppositionOf = ({ text }: Statement, value: string): number => {
  const start = text.indexOf(value)
  return start < 0 ? -1 : suppositions.findIndex((pattern) => pattern.test(text.slice(0, start)))
}
const suppositions = [
  /^(?:by )?(?:setting|changing|increasing|raising|lowering|reducing|decreasing|limiting|choosing|specifying)\s/iu,
  /(?<!\b(?:is|are|be|must|not|has|have|was|were))\s(?:greater|larger|bigger|higher|longer|lower|smaller|shorter|less|more) than\s$/iu
]

const isRange = (value: string): boolean =>
  /\d\D{0,8}?(?:\bto\b|\bbis\b|[-–—]|\ba\b|\bà\b)\D{0,4}\d/iu.test(value)

/** Whether a sentence states a number, and names nothing by it. */
const states = ({ quote, text }: Statement, value: string): boolean =>
  !isInCode(quote, value) && !isLabel(text, value)

/** "Part 2", "month 6", "2 - Get a card", "Ruby 2.7": a number that is a name or a place in a list. */
const isLabel = (text: string, value: string): boolean => {
  const start = text.indexOf(value)
  if (!/^\d+(?:\.\d+)*$/u.test(value) || start < 0) return false
  const [ahead, behind] = [text.slice(0, start), text.slice(start + value.length)]
  return /^\W*$/u.test(ahead)
    ? /^\s*[-–—.:)]/u.test(behind)
    : /\p{L}\s$/u.test(ahead) && !beforeNumber.test(ahead) && !/^(?:\s*[%°€$]|[\s-]\p{L}{2,})/u.test(behind)
}
const beforeNumber =
  /(?:^|[^\p{L}])(?:is|are|was|be|equals?|of|to|than|least|most|about|under|over|within|by|exceeds?|only|just|up|has|have|with|port|limit|maximum|minimum|at|ist|sind|auf|von|es|son|a|de|est|sont)\s$/iu

const numbersBeside = ({ text, values }: Statement, value: string): string => {
  const all = values.flatMap((found) =>
    found.kind === "quantity" && found.dimension !== "ordinal" ? [text.slice(found.start, found.end)] : []
  )
  const at = all.findIndex((found) => found === value || found.includes(value) || value.includes(found))
  return all
    .filter((_, place) => place !== at)
    .sort()
    .join("\n")
}

/** "In two ways", "three steps": what is counted is listed below, on each page another list. */
const countsKinds = /\b(?:ways|steps|things|reasons|options|kinds|types|examples|points|parts|sections)\b/iu
const listsKinds = ({ text }: Statement): boolean =>
  /\b(?:\d+|two|three|four|five|six|seven|eight|nine|ten) (?:\p{L}+ )?(?:ways|steps|things|reasons|options|kinds|types|examples|points|parts|sections)\b/iu.test(
    text
  )

/** A number in a code span is what a sentence is about: "a ratio of `0.5` returns a mix"; not "the port is `8222`". */
const isInCode = (quote: string, value: string): boolean =>
  !/\bdefaults?\b/iu.test(quote) &&
  [...quote.matchAll(/(?<!\b(?:is|are|be|port|within|limited to) )`([^`\n]+)`/gu)].some(([, code = ""]) =>
    code.includes(value)
  )

/** Whether the code spans of one sentence, without those that differ, are among those of the other. */
const areOfOneCode = (one: Statement, other: Statement, { a, b }: Disagreement): boolean => {
  const codes = ({ quote }: Statement, value: string) =>
    [...quote.matchAll(/`([^`\n]+)`/gu)].flatMap(([, code = ""]) =>
      code.includes(value) ? [] : [code.toLowerCase()]
    )
  const [left, right] = [codes(one, a), codes(other, b)]
  return (
    left.length === 0 ||
    right.length === 0 ||
    left.every((code) => right.includes(code)) ||
    right.every((code) => left.includes(code))
  )
}

/** The share of words beside its value that a sentence has and the other lacks; both may not have many. */
const ownShare = ({ language, terms }: Statement, value: string, other: Statement): number => {
  const beside = terms.filter(({ surface }) => !value.includes(surface))
  const own = beside.filter(({ term }) => other.set.match(term, language) < wordMatchMin)
  return own.length / Math.max(1, beside.length)
}
const [ownMax, wordMatchMin] = [0.45, 0.7]

/**
 * One sentence on two pages of one form ("Onboarding of designers", "Onboarding of engineers") is about each of them, and
 * so is a value that names the page ("Set the provider to `aws`" on a page of that name).
 */
const areCopies = (one: Statement, other: Statement, { a, b, overlap }: Disagreement): boolean =>
  (namesPage(one, a) && namesPage(other, b)) ||
  (overlap >= copyMin &&
    one.terms.length >= copyWordsMin &&
    !one.title.every((term) => !(/\p{L}/u.test(term) && other.title.has(term))) &&
    !one.title.every((term) => other.title.has(term)) &&
    !other.title.every((term) => one.title.has(term)))
const namesPage = ({ context }: Statement, value: string): boolean =>
  context.text.toLowerCase().includes(value.toLowerCase())
const [copyMin, copyWordsMin] = [0.85, 5]

const isCertain = (one: Statement, other: Statement, found: Disagreement): boolean =>
  found.overlap >= overlapMin &&
  found.kind !== "negation" &&
  !(found.kind === "category" && (found.attribute === "place" || found.attribute === "default")) &&
  areOfOneCode(one, other, found) &&
  !areCopies(one, other, found) &&
  Math.min(ownShare(one, found.a, other), ownShare(other, found.b, one)) <= ownMax &&
  (found.kind !== "number" || areOneNumberApart(one, other, found)) &&
  (![one, other].some(isShort) || areShortAlike(one, other))
