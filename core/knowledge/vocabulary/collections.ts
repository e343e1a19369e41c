import { type Draft, irisOf, textsOf } from "./draft.js"
import type { WarningCounter } from "./import-warnings.js"
import { isIri } from "./iris.js"
import type { Concept, Grouping, Membership } from "./model.js"
import { rdf, skos, words } from "./words.js"

/** The collections of each concept. */
export type CollectionMemberships = ReadonlyMap<string, Array<Membership>>

/** Maximum number of indirect collections stored with a concept or collection; bounds the growth of an import. */
const outerMax = 16

const collection = `${skos}Collection`
const ordered = `${skos}OrderedCollection`
const scheme = `${skos}ConceptScheme`
const member = `${skos}member`

/** Collects statements about collections and schemes. */
export const gathering = (notKept: WarningCounter) => {
  const [all, inOrder, schemes] = [new Set<string>(), new Set<string>(), new Set<string>()]
  const members = new Map<string, Set<string>>()
  const lists = listing(notKept)
  /** Collections that contain a stored concept, directly or indirectly. */
  const containing = new Set<string>()
  const hold = (of: string, one: string): void => {
    members.set(of, (members.get(of) ?? new Set<string>()).add(one))
  }
  return {
    /** Records a type; returns whether it is a collection type. */
    kind: (subject: string, type: string): boolean => {
      if (type === scheme) schemes.add(subject)
      else if (type === collection || type === ordered) all.add(subject)
      else return type === `${rdf}List`
      if (type === ordered) inOrder.add(subject)
      return true
    },
    /** Records a statement between two nodes; returns whether it is about collections. */
    link: (subject: string, predicate: string, target: string): boolean => {
      if (predicate !== member) return lists.link(subject, predicate, target)
      hold(subject, target)
      return true
    },
    count: (): number => all.size,
    /** Returns the memberships. A node that is both concept and collection counts as a concept (SKOS S37). */
    all: (
      draftOf: (iri: string) => Draft | undefined,
      isConcept: (iri: string) => boolean
    ): CollectionMemberships => {
      const isCollection = (iri: string): boolean => all.has(iri) && isIri(iri) && !isConcept(iri)
      for (const one of lists.heads()) for (const item of lists.items(one)) hold(one, item)
      const places = new Map(
        [...inOrder].map((one) => [one, new Map(lists.items(one).map((item, place) => [item, place]))])
      )
      for (const [of, own] of members)
        for (const one of own) {
          if (isConcept(of) || (inOrder.has(of) && isCollection(one)))
            notKept.add(member, "told_otherwise", of)
          else if (!isCollection(of) || one === of || !isIri(one) || !(isConcept(one) || isCollection(one)))
            notKept.add(member, "nothing_there", of)
        }
      const found = memberships(
        {
          within: withinOf(members, isCollection),
          isCollection,
          isKept: (iri) => isConcept(iri) && isIri(iri),
          isOrdered: (iri) => inOrder.has(iri),
          placeIn: (of, one) => places.get(of)?.get(one) ?? 0
        },
        notKept
      )
      for (const own of found.values()) for (const { iri } of own) containing.add(iri)
      for (const one of all)
        if (!containing.has(one) && draftOf(one)?.isConcept !== true)
          notKept.add(inOrder.has(one) ? ordered : collection, "nothing_there", one)
        else if (draftOf(one)?.isConcept === true) notKept.add(collection, "told_otherwise", one)
      return found
    },
    /** Returns the texts of schemes and collections by IRI. */
    groupings: (
      draftOf: (iri: string) => Draft | undefined,
      concepts: ReadonlyArray<Concept>
    ): ReadonlyArray<Grouping> => {
      const own = new Set(concepts.flatMap((concept) => concept.schemes))
      for (const one of schemes) if (!own.has(one)) notKept.add(scheme, "nothing_there", one)
      return [...new Set([...containing, ...own])].sort().flatMap((iri): ReadonlyArray<Grouping> => {
        const draft = draftOf(iri)
        if (draft === undefined || draft.isConcept) return []
        const of = containing.has(iri) ? "collection" : "scheme"
        const belongs = of === "collection" ? irisOf(draft.schemes, iri) : []
        const texts = textsOf(draft)
        return texts.length + belongs.length === 0 ? [] : [{ iri, of, schemes: belongs, texts }]
      })
    }
  }
}

/** Returns the containers of each member, in order. */
const withinOf = (
  members: ReadonlyMap<string, ReadonlySet<string>>,
  isCollection: (iri: string) => boolean
): ReadonlyMap<string, ReadonlyArray<string>> => {
  const within = new Map<string, Array<string>>()
  for (const of of [...members.keys()].filter(isCollection).sort())
    for (const one of members.get(of) ?? [])
      if (one !== of) {
        const known = within.get(one)
        if (known === undefined) within.set(one, [of])
        else known.push(of)
      }
  return within
}

interface Known {
  readonly within: ReadonlyMap<string, ReadonlyArray<string>>
  readonly isCollection: (iri: string) => boolean
  readonly isKept: (iri: string) => boolean
  readonly isOrdered: (iri: string) => boolean
  readonly placeIn: (collection: string, member: string) => number
}

const memberships = (
  { isCollection, isKept, isOrdered, placeIn, within }: Known,
  notKept: WarningCounter
): Map<string, Array<Membership>> => {
  const outer = new Map(
    [...within].flatMap(([one, all]) => (isCollection(one) ? [[one, all.slice(0, outerMax)] as const] : []))
  )
  const found = new Map<string, Array<Membership>>()
  const cut = new Set<string>()
  for (const [one, all] of within) {
    for (const of of isCollection(one) ? all.slice(outerMax) : []) cut.add(`${of} ${one}`)
    if (!isKept(one)) continue
    const own = new Set(all)
    const reached = new Set(all)
    // Items added during iteration are visited too, so this reaches all containing collections, including cycles.
    for (const at of reached)
      for (const next of outer.get(at) ?? [])
        if (reached.has(next) || reached.size < own.size + outerMax) reached.add(next)
        else cut.add(`${next} ${at}`)
    const memberships = [...reached].sort().map((iri) => ({
      iri,
      ordered: isOrdered(iri),
      place: own.has(iri) ? placeIn(iri, one) : null,
      within: (outer.get(iri) ?? []).filter((next) => reached.has(next)),
      texts: []
    }))
    found.set(one, memberships)
  }
  for (const pair of cut) notKept.add(member, "limit", pair.slice(0, pair.indexOf(" ")))
  return found
}

/** Collects the RDF lists of ordered collections. */
const listing = (notKept: WarningCounter) => {
  /** The first node of each collection's list, and for each list node its item and the next node. */
  const lists = new Map<string, string>()
  const [first, rest] = [new Map<string, string>(), new Map<string, string>()]
  return {
    /** Records a statement; returns whether it is about lists. */
    link: (subject: string, predicate: string, target: string): boolean => {
      if (predicate === `${skos}memberList`) {
        if (lists.has(subject) && lists.get(subject) !== target) notKept.add(predicate, "one_only", subject)
        lists.set(subject, target)
      } else if (predicate === words.first) first.set(subject, target)
      else if (predicate === words.rest) rest.set(subject, target)
      else return false
      return true
    },
    heads: (): Iterable<string> => lists.keys(),
    /** Returns the items of a collection in order, without duplicates. */
    items: (collection: string): ReadonlyArray<string> => {
      const items = new Set<string>()
      const seen = new Set([`${rdf}nil`])
      for (let at = lists.get(collection); at !== undefined && !seen.has(at); at = rest.get(at)) {
        seen.add(at)
        const item = first.get(at)
        if (item !== undefined) items.add(item)
      }
      return [...items]
    }
  }
}
