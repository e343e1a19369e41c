import type { WarningCounter } from "./import-warnings.js"
import { isIri } from "./iris.js"
import { type Concept, type ConceptText, type TextKind, textKinds } from "./model.js"
import { skos, words } from "./words.js"

/** An RDF literal. */
export interface Literal {
  readonly text: string
  /** Language tag; empty if there is none. */
  readonly language: string
  /** IRI of the datatype; empty for plain text and text with a language. */
  readonly datatype: string
}

/** Statements about one resource collected so far. */
export interface Draft {
  isConcept: boolean
  /** The type as a text, and the IRI of a type that may have a label. */
  type: string | null
  typeIri: string | null
  readonly schemes: Set<string>
  readonly topOf: Set<string>
  readonly texts: Map<string, ConceptText>
  readonly broader: Set<string>
  readonly related: Set<string>
  deprecated: boolean
  replacedBy: string | null
}

export const blankDraft = (): Draft => ({
  isConcept: false,
  type: null,
  typeIri: null,
  schemes: new Set(),
  topOf: new Set(),
  texts: new Map(),
  broader: new Set(),
  related: new Set(),
  deprecated: false,
  replacedBy: null
})

const named = (local: string): string => `${skos}${local}`
const isoThes = "http://purl.org/iso25964/skos-thes#"
const kinds = ["Generic", "Partitive", "Instantial"]

/** Predicates for a broader concept, and their inverses. */
const upward = new Set([named("broader"), ...kinds.map((kind) => `${isoThes}broader${kind}`)])
const downward = new Set([named("narrower"), ...kinds.map((kind) => `${isoThes}narrower${kind}`)])

/** Adds a text; ignores labels without letters and texts that no database can store. */
export const addText = (
  draft: Draft,
  kind: TextKind,
  literal: Literal,
  { about, tally, word }: { readonly about: string; readonly tally: WarningCounter; readonly word: string }
): void => {
  const { datatype, language, text } = literal
  if (text.trim() === "" || !text.isWellFormed() || text.includes("\0")) {
    tally.add(word, "no_text", about)
    return
  }
  const isTyped = kind === "notation" && datatype !== ""
  if (datatype !== "" && !isTyped) tally.add(datatype, "told_otherwise", about)
  if (word !== named(kind)) tally.add(word, "told_otherwise", about)
  const one = { kind, language: language.toLowerCase(), text, ...(isTyped ? { datatype } : {}) }
  draft.texts.set(`${kind}\n${one.language}\n${isTyped ? datatype : ""}\n${text}`, one)
}

/** Adds a literal that is no SKOS text. */
export const takeLiteral = (
  draft: Draft,
  predicate: string,
  { text }: Literal,
  { about, tally }: { readonly about: string; readonly tally: WarningCounter }
): void => {
  if (predicate === words.deprecated) draft.deprecated ||= text === "true" || text === "1"
  else if (predicate === words.type && text.trim() !== "") {
    if (draft.type !== null && draft.type !== text.trim()) tally.add(words.type, "one_only", about)
    draft.type = text.trim()
  } else tally.add(predicate, "other_word", about)
}

/** Adds a statement between two resources. */
export const takeLink = (
  at: (iri: string) => Draft,
  [subject, predicate, target]: readonly [subject: string, predicate: string, target: string],
  tally: WarningCounter
): void => {
  if (upward.has(predicate) || downward.has(predicate)) {
    if (!predicate.startsWith(skos)) tally.add(predicate, "told_otherwise", subject)
    if (subject === target) tally.add(predicate, "told_otherwise", subject)
    else if (upward.has(predicate)) at(subject).broader.add(target)
    else at(target).broader.add(subject)
  } else if (predicate === named("related")) {
    const [first, second] = subject < target ? [subject, target] : [target, subject]
    if (subject === target) tally.add(predicate, "told_otherwise", subject)
    else at(first).related.add(second)
  } else if (predicate === words.type) {
    const draft = at(subject)
    if (draft.typeIri !== null && draft.typeIri !== target) tally.add(predicate, "one_only", subject)
    draft.typeIri = target
  } else if (predicate === words.isReplacedBy) {
    const draft = at(subject)
    if (draft.replacedBy !== null && draft.replacedBy !== target) tally.add(predicate, "one_only", subject)
    if (target !== subject) draft.replacedBy = target
  } else if (predicate === words.status) {
    const isRetired = target === words.statusDeprecated || target === words.statusWithdrawn
    if (!isRetired && target !== words.statusCompleted) tally.add(predicate, "other_word", subject)
    // It is exported as deprecated.
    if (target === words.statusWithdrawn) tally.add(predicate, "told_otherwise", subject)
    at(subject).deprecated ||= isRetired
  } else tally.add(predicate, "other_word", subject)
}

const schemePredicates: ReadonlySet<string> = new Set(
  ["inScheme", "topConceptOf", "hasTopConcept"].map(named)
)

/** Returns whether a predicate links a concept and a scheme. */
export const isSchemeLink = (predicate: string): boolean => schemePredicates.has(predicate)

/** Adds a link between a concept and a scheme. No concept is a scheme as well (SKOS S9). */
export const takeSchemeLink = (
  at: (iri: string) => Draft,
  [subject, predicate, target]: readonly [subject: string, predicate: string, target: string],
  tally: WarningCounter
): void => {
  const [concept, scheme] = predicate === named("hasTopConcept") ? [target, subject] : [subject, target]
  if (at(scheme).isConcept) tally.add(predicate, "told_otherwise", subject)
  else if (predicate === named("inScheme")) at(concept).schemes.add(scheme)
  else top(at(concept), scheme)
}

const top = (draft: Draft, scheme: string): void => {
  draft.topOf.add(scheme)
  draft.schemes.add(scheme)
}

/** Returns the texts sorted by kind, language and text. */
export const textsOf = ({ texts }: Draft): Array<ConceptText> =>
  [...texts.values()].sort(
    (a, b) =>
      textKinds.indexOf(a.kind) - textKinds.indexOf(b.kind) ||
      less(a.language, b.language) ||
      less(a.text, b.text) ||
      less(a.datatype ?? "", b.datatype ?? "")
  )

/** Returns the concept of a draft without its rare fields. */
export const conceptOf = (iri: string, draft: Draft): Concept => ({
  iri,
  type: draft.type === "" ? null : draft.type,
  schemes: irisOf(draft.schemes, iri),
  topOf: irisOf(draft.topOf, iri),
  texts: textsOf(draft),
  broader: irisOf(draft.broader, iri),
  related: irisOf(draft.related, iri),
  deprecated: draft.deprecated,
  replacedBy: draft.replacedBy
})

/** Returns the IRIs without blank nodes and without the resource itself. */
export const irisOf = (iris: ReadonlySet<string>, own: string): Array<string> =>
  [...iris].filter((one) => one !== own && isIri(one)).sort(less)

const less = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
