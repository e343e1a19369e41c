import { type Gathered, gathering } from "./gathering.js"
import { isIri } from "./iris.js"
import { isMapping, mappingsOf } from "./mappings.js"
import {
  type Concept,
  type ConceptText,
  type Mapping,
  type TextKind,
  textKinds,
  type Vocabulary
} from "./model.js"
import { rdf, skos, skosXl, words } from "./words.js"

/** A statement of RDF, as far as a vocabulary needs it. */
export interface Statement {
  /** An IRI, or the label of a blank node, which starts with `_:`. */
  readonly subject: string
  readonly predicate: string
  readonly object:
    | { readonly kind: "node"; readonly id: string }
    | { readonly kind: "literal"; readonly text: string; readonly language: string }
}

interface Draft {
  isConcept: boolean
  type: string | null
  readonly schemes: Set<string>
  readonly topOf: Set<string>
  readonly texts: Array<ConceptText>
  readonly broader: Set<string>
  readonly related: Set<string>
  deprecated: boolean
  replacedBy: string | null
}

const kindOf: ReadonlyMap<string, TextKind> = new Map(textKinds.map((kind) => [`${skos}${kind}`, kind]))
/** Of texts that are nodes of their own: labels of SKOS-XL, and notes that bear an rdf:value. */
const nodeKindOf: ReadonlyMap<string, TextKind> = new Map([
  ...kindOf,
  ...textKinds.slice(0, 3).map((kind): [string, TextKind] => [`${skosXl}${kind}`, kind])
])

const named = (local: string): string => `${skos}${local}`
const isoThes = "http://purl.org/iso25964/skos-thes#"
const kinds = ["Generic", "Partitive", "Instantial"]

/** Words for what is broader, and for the same said from the other side. */
const upward = new Set([named("broader"), ...kinds.map((kind) => `${isoThes}broader${kind}`)])
const downward = new Set([named("narrower"), ...kinds.map((kind) => `${isoThes}narrower${kind}`)])

/**
 * The concepts among statements, in the order of their IRIs, save that what another one replaces comes before that
 * one, as far as there is no circle. Blank nodes are no concepts: nobody could find them again. Hierarchical links
 * stand with the narrower concept, associative ones with the first of the two, each once.
 */
export const vocabularyOf = (statements: Iterable<Statement>): Vocabulary => {
  const drafts = new Map<string, Draft>()
  const labels = new Map<string, string>()
  const groups = gathering()
  const types = new Map<string, string>()
  /** Texts by the node that bears them, and who refers to such a node as what. */
  const borne = new Map<string, Array<Literal>>()
  const bearers: Array<readonly [subject: string, kind: TextKind, node: string]> = []
  const mapped: Array<readonly [subject: string, predicate: string, target: string]> = []
  const at = (iri: string): Draft => {
    const found = drafts.get(iri) ?? blank()
    drafts.set(iri, found)
    return found
  }
  for (const { object, predicate, subject } of statements) {
    if (object.kind === "literal") {
      if (predicate === words.label) labels.set(subject, object.text)
      else if (predicate === words.value || predicate === words.literalForm)
        borne.set(subject, [...(borne.get(subject) ?? []), object])
      else takeText(at(subject), predicate, object)
    } else if (predicate === `${rdf}type`) {
      if (object.id === `${skos}Concept`) at(subject).isConcept = true
      groups.kind(subject, object.id)
    } else if (predicate === words.type) types.set(subject, object.id)
    else if (nodeKindOf.has(predicate)) {
      const kind = nodeKindOf.get(predicate)
      if (kind !== undefined) bearers.push([subject, kind, object.id])
    } else if (isMapping(predicate)) mapped.push([subject, predicate, object.id])
    else if (!groups.link(subject, predicate, object.id)) takeLink(at, subject, predicate, object.id)
  }
  for (const [subject, kind, node] of bearers)
    for (const literal of borne.get(node) ?? []) addText(at(subject), kind, literal)
  for (const [subject, type] of types) {
    const draft = drafts.get(subject)
    if (draft !== undefined) draft.type ??= labels.get(type) ?? lastSegment(type)
  }
  // Who is related to what is no concept here tells of it alone.
  for (const [iri, { isConcept, related }] of drafts)
    if (!isConcept)
      for (const other of related) if (drafts.get(other)?.isConcept) drafts.get(other)?.related.add(iri)
  const all = [...drafts].filter(([, { isConcept }]) => isConcept)
  const found = all.filter(([iri]) => isIri(iri))
  const isConcept = (iri: string): boolean => drafts.get(iri)?.isConcept === true
  const rarities = {
    mappings: mappingsOf(mapped, isConcept),
    collections: groups.all((iri) => drafts.get(iri)?.texts ?? [], isConcept)
  }
  return {
    concepts: replacedFirst(found.map((one) => concept(one, rarities)).sort(byIri)),
    collections: groups.count(),
    unnamed: all.flatMap(([iri]) => (isIri(iri) ? [] : [iri])).sort()
  }
}

type Literal = Extract<Statement["object"], { readonly kind: "literal" }>

interface Rarities {
  readonly mappings: ReadonlyMap<string, Array<Mapping>>
  readonly collections: Gathered
}

const blank = (): Draft => ({
  isConcept: false,
  type: null,
  schemes: new Set(),
  topOf: new Set(),
  texts: [],
  broader: new Set(),
  related: new Set(),
  deprecated: false,
  replacedBy: null
})

const addText = (draft: Draft, kind: TextKind, { language, text }: Literal): void => {
  if (text.trim() === "" || !text.isWellFormed()) return
  const one = { kind, language: language.toLowerCase(), text: text.trim() }
  const isKnown = draft.texts.some(
    (other) => other.kind === kind && other.language === one.language && other.text === one.text
  )
  if (!isKnown) draft.texts.push(one)
}

const takeText = (draft: Draft, predicate: string, literal: Literal): void => {
  const { text } = literal
  const kind = kindOf.get(predicate)
  if (kind !== undefined) addText(draft, kind, literal)
  else if (predicate === words.deprecated) draft.deprecated ||= text === "true" || text === "1"
  else if (predicate === words.type) draft.type = text.trim()
}

const takeLink = (at: (iri: string) => Draft, subject: string, predicate: string, target: string): void => {
  if (upward.has(predicate)) at(subject).broader.add(target)
  else if (downward.has(predicate)) at(target).broader.add(subject)
  else if (predicate === named("related")) {
    const [first, second] = subject < target ? [subject, target] : [target, subject]
    at(first).related.add(second)
  } else if (predicate === named("inScheme")) at(subject).schemes.add(target)
  else if (predicate === named("topConceptOf")) top(at(subject), target)
  else if (predicate === named("hasTopConcept")) top(at(target), subject)
  else if (predicate === words.isReplacedBy) at(subject).replacedBy = target
  else if (predicate === words.status)
    at(subject).deprecated ||= target === words.statusDeprecated || target === words.statusWithdrawn
}

const top = (draft: Draft, scheme: string): void => {
  draft.topOf.add(scheme)
  draft.schemes.add(scheme)
}

const concept = ([iri, draft]: readonly [string, Draft], { collections, mappings }: Rarities): Concept => ({
  ...(mappings.has(iri) ? { mappings: mappings.get(iri) } : {}),
  ...(collections.has(iri) ? { collections: collections.get(iri) } : {}),
  iri,
  type: draft.type === "" ? null : draft.type,
  schemes: sorted(draft.schemes, iri),
  topOf: sorted(draft.topOf, iri),
  texts: [...draft.texts].sort(
    (a, b) =>
      textKinds.indexOf(a.kind) - textKinds.indexOf(b.kind) ||
      less(a.language, b.language) ||
      less(a.text, b.text)
  ),
  broader: sorted(draft.broader, iri),
  related: sorted(draft.related, iri),
  deprecated: draft.deprecated,
  replacedBy: draft.replacedBy === iri ? null : draft.replacedBy
})

/** Without what leads to a blank node or back to itself. */
const sorted = (iris: ReadonlySet<string>, own: string): Array<string> =>
  [...iris].filter((one) => one !== own && isIri(one)).sort(less)

const less = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
const byIri = (a: Concept, b: Concept): number => less(a.iri, b.iri)

/** Only what is published can succeed: so the first of a chain of successions is retired first. */
const replacedFirst = (concepts: ReadonlyArray<Concept>): ReadonlyArray<Concept> => {
  const byName = new Map(concepts.map((one) => [one.iri, one]))
  const replaced = new Map<string, Array<string>>()
  for (const { iri, replacedBy } of concepts)
    if (replacedBy !== null) replaced.set(replacedBy, [...(replaced.get(replacedBy) ?? []), iri])
  const placed = new Set<string>()
  const order: Array<Concept> = []
  for (const { iri } of concepts) {
    const open = [iri]
    const seen = new Set(open)
    for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
      const next = (replaced.get(last) ?? []).find((one) => !placed.has(one) && !seen.has(one))
      if (next !== undefined) {
        open.push(next)
        seen.add(next)
        continue
      }
      open.pop()
      const found = byName.get(last)
      if (found !== undefined && !placed.has(last)) order.push(found)
      placed.add(last)
    }
  }
  return order
}

const lastSegment = (iri: string): string => {
  const segment = /[^/#:]*$/.exec(iri)?.[0] ?? ""
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
