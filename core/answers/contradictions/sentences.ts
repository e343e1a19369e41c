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

/** Whether a statement may be compared over the whole corpus: a sentence that says what it is about. */
export const isGeneralStatement = ({ cell, heading, row, section, terms, text }: Statement): boolean =>
  cell === null &&
  row === null &&
  terms.length >= wordsMin &&
  text.length <= charsMax &&
  /^[\p{L}\p{N}"“'*`(]/u.test(text) &&
  /\s\p{L}+\s/u.test(text) &&
  !/^[\w.-]+:\s*\S*$/u.test(text) &&
  !/:\/\/|[{}<>]|=>|\$\(/u.test(text) &&
  !/\?\s*$/u.test(text) &&
  !ofItself.test(heading) &&
  !ofItself.test(section)

const isShort = ({ terms }: Statement): boolean => terms.length <= shortMax

/** "Invoices are paid within 30 days", "Invoices are paid within 45 days"; not "The price is 5 EUR". */
const areShortAlike = (one: Statement, other: Statement): boolean =>
  one.terms.length === other.terms.length &&
  one.terms.every(({ term }) => other.set.has(term)) &&
  [one, other].every(({ isOfPronoun, terms, text }) => !isOfPronoun && namesSubject(text, terms[0]?.start))

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

const isCertain = (one: Statement, other: Statement, found: Disagreement): boolean =>
  found.overlap >= overlapMin &&
  found.kind !== "negation" &&
  !(found.kind === "category" && (found.attribute === "place" || found.attribute === "default")) &&
  (![one, other].some(isShort) || areShortAlike(one, other))
