import { gathering } from "./collections.js"
import {
  addText,
  blankDraft,
  conceptOf,
  type Draft,
  isSchemeLink,
  type Literal,
  takeLink,
  takeLiteral,
  takeSchemeLink
} from "./draft.js"
import { countWarnings, type WarningCounter } from "./import-warnings.js"
import { isIri, lastSegment } from "./iris.js"
import { isMapping, mappingsOf } from "./mappings.js"
import { type Concept, type TextKind, textKinds, type Vocabulary } from "./model.js"
import { type LabelledText, reportUnmapped } from "./unmapped.js"
import { rdf, skos, skosXl, words } from "./words.js"

/** An RDF statement. */
export interface Statement {
  /** An IRI, or the label of a blank node, which starts with `_:`. */
  readonly subject: string
  readonly predicate: string
  readonly object: { readonly kind: "node"; readonly id: string } | ({ readonly kind: "literal" } & Literal)
}

/** Accepts the statements of a document one by one and builds its vocabulary. */
export interface ParsedVocabulary {
  readonly take: (statement: Statement) => void
  /** Counts a part of the document that is no statement, by its predicate. */
  readonly drop: (word: string, about: string) => void
  readonly end: () => Vocabulary
}

const kindOf: ReadonlyMap<string, TextKind> = new Map(textKinds.map((kind) => [`${skos}${kind}`, kind]))
/** Texts that are nodes of their own: SKOS-XL labels, and notes with an rdf:value. */
const nodeKindOf: ReadonlyMap<string, TextKind> = new Map([
  ...kindOf,
  ...textKinds.slice(0, 3).map((kind): [string, TextKind] => [`${skosXl}${kind}`, kind])
])

/**
 * Builds the concepts of a document in order of IRI, except that a replaced concept follows its replacement, unless
 * they form a cycle. Blank nodes are no concepts because they have no stable identifier. A hierarchical link belongs
 * to the narrower concept, an associative one to the first of both, each once. Every statement is either stored or
 * counted as dropped.
 */
export const reading = (): ParsedVocabulary => {
  const drafts = new Map<string, Draft>()
  const notKept = countWarnings()
  const groups = gathering(notKept)
  /** Values of rdfs:label: names of types, and of concepts that have no label of SKOS. */
  const labels = new Map<string, Array<Literal>>()
  const schemeLinks: Array<readonly [subject: string, predicate: string, target: string]> = []
  /** Texts by the node that holds them, and the references to such nodes with their predicate. */
  const textsByNode = new Map<string, Array<LabelledText>>()
  const bearers: Array<readonly [subject: string, predicate: string, node: string]> = []
  const mapped: Array<readonly [subject: string, predicate: string, target: string]> = []
  const at = (iri: string): Draft => {
    const found = drafts.get(iri) ?? blankDraft()
    drafts.set(iri, found)
    return found
  }
  const takeText = (subject: string, predicate: string, literal: Literal): void => {
    const kind = kindOf.get(predicate)
    const own = { about: subject, tally: notKept, word: predicate }
    if (predicate === words.label) labels.set(subject, [...(labels.get(subject) ?? []), literal])
    else if (predicate === words.value || predicate === words.literalForm)
      textsByNode.set(subject, [...(textsByNode.get(subject) ?? []), { ...literal, word: predicate }])
    else if (kind === undefined) takeLiteral(at(subject), predicate, literal, own)
    else addText(at(subject), kind, literal, own)
  }
  return {
    take: ({ object, predicate, subject }) => {
      if (object.kind === "literal") takeText(subject, predicate, object)
      else if (predicate === `${rdf}type`) {
        if (object.id === `${skos}Concept`) at(subject).isConcept = true
        else if (!groups.kind(subject, object.id)) notKept.add(object.id, "other_word", subject)
      } else if (nodeKindOf.has(predicate)) bearers.push([subject, predicate, object.id])
      else if (isMapping(predicate)) mapped.push([subject, predicate, object.id])
      else if (isSchemeLink(predicate)) schemeLinks.push([subject, predicate, object.id])
      else if (!groups.link(subject, predicate, object.id))
        takeLink(at, [subject, predicate, object.id], notKept)
    },
    drop: (word, about) => notKept.add(word, "unread", about),
    end: () => {
      for (const link of schemeLinks) takeSchemeLink(at, link, notKept)
      const isConcept = (iri: string): boolean => drafts.get(iri)?.isConcept === true
      for (const [about, word, node] of bearers) {
        const kind = nodeKindOf.get(word)
        const texts = textsByNode.get(node) ?? []
        if (texts.length === 0) notKept.add(word, "no_text", about)
        if (kind !== undefined)
          for (const literal of texts) addText(at(about), kind, literal, { about, tally: notKept, word })
      }
      nameConcepts(drafts, labels, notKept)
      nameTypes(drafts, labels)
      turnRelated(drafts)
      const rarities = {
        mappings: mappingsOf(mapped, isConcept, notKept),
        collections: groups.all((iri) => drafts.get(iri), isConcept)
      }
      const all = [...drafts].filter(([, { isConcept }]) => isConcept)
      const concepts = all
        .filter(([iri]) => isIri(iri))
        .map(([iri, draft]) => withRarities(conceptOf(iri, draft), rarities))
        .sort((a, b) => (a.iri < b.iri ? -1 : 1))
      const groupings = groups.groupings((iri) => drafts.get(iri), concepts)
      reportUnmapped({ drafts, groupings, labels, borne: textsByNode, bearers }, notKept)
      return {
        concepts: replacedFirst(concepts),
        groupings,
        collections: groups.count(),
        unnamed: all.flatMap(([iri]) => (isIri(iri) ? [] : [iri])).sort(),
        notKept: notKept.all(),
        notKeptTotal: notKept.total()
      }
    }
  }
}

const labelKinds: ReadonlySet<string> = new Set(["prefLabel", "altLabel", "hiddenLabel"])

/** Takes the rdfs:label of concepts without a label of SKOS: retired ones often keep no other. */
const nameConcepts = (
  drafts: ReadonlyMap<string, Draft>,
  labels: Map<string, Array<Literal>>,
  tally: WarningCounter
): void => {
  for (const [iri, draft] of drafts) {
    const own = labels.get(iri)
    if (!draft.isConcept || own === undefined) continue
    if ([...draft.texts.values()].some(({ kind }) => labelKinds.has(kind))) continue
    for (const literal of own) addText(draft, "prefLabel", literal, { about: iri, tally, word: words.label })
    labels.delete(iri)
  }
}

const nameTypes = (
  drafts: ReadonlyMap<string, Draft>,
  labels: ReadonlyMap<string, ReadonlyArray<Literal>>
): void => {
  for (const draft of drafts.values())
    if (draft.typeIri !== null)
      draft.type ??= labels.get(draft.typeIri)?.at(-1)?.text ?? lastSegment(draft.typeIri)
}

/** Moves `related` links to unknown resources to the concept side. */
const turnRelated = (drafts: ReadonlyMap<string, Draft>): void => {
  for (const [iri, draft] of drafts)
    if (!draft.isConcept)
      for (const other of draft.related) {
        if (drafts.get(other)?.isConcept !== true) continue
        drafts.get(other)?.related.add(iri)
        draft.related.delete(other)
      }
}

const withRarities = (
  concept: Concept,
  {
    collections,
    mappings
  }: { readonly [Name in "collections" | "mappings"]: ReadonlyMap<string, NonNullable<Concept[Name]>> }
): Concept => {
  const [own, within] = [mappings.get(concept.iri), collections.get(concept.iri)]
  return {
    ...concept,
    ...(own === undefined ? {} : { mappings: own }),
    ...(within === undefined ? {} : { collections: within })
  }
}

/** Sorts concepts so that a replaced one comes after its replacement: only a published concept can be a successor. */
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
