import { isIri } from "./iris.js"
import type { ConceptText, Membership } from "./model.js"
import { skos, words } from "./words.js"

/** The collections of each concept that is in one. */
export type Gathered = ReadonlyMap<string, Array<Membership>>

/** What of a collection is kept: by what it is known. Its notes would stand once with each member. */
const kept = new Set(["prefLabel", "altLabel", "hiddenLabel", "notation"])

/** Gathers what statements say of collections. */
export const gathering = () => {
  const [all, ordered] = [new Set<string>(), new Set<string>()]
  /** What a collection holds, and where the list of an ordered one begins. */
  const [members, lists] = [new Map<string, Set<string>>(), new Map<string, string>()]
  const [first, rest] = [new Map<string, string>(), new Map<string, string>()]
  const hold = (collection: string, member: string): void => {
    members.set(collection, (members.get(collection) ?? new Set<string>()).add(member))
  }
  const listed = (collection: string): ReadonlyArray<string> => {
    const items = new Set<string>()
    const seen = new Set<string>()
    for (let at = lists.get(collection); at !== undefined && !seen.has(at); at = rest.get(at)) {
      seen.add(at)
      const item = first.get(at)
      if (item !== undefined) items.add(item)
    }
    return [...items]
  }
  return {
    kind: (subject: string, type: string): void => {
      if (type === `${skos}OrderedCollection`) ordered.add(subject)
      if (type === `${skos}Collection` || type === `${skos}OrderedCollection`) all.add(subject)
    },
    /** Whether a statement between two nodes is about collections. */
    link: (subject: string, predicate: string, target: string): boolean => {
      if (predicate === `${skos}member`) hold(subject, target)
      else if (predicate === `${skos}memberList`) lists.set(subject, target)
      else if (predicate === words.first) first.set(subject, target)
      else if (predicate === words.rest) rest.set(subject, target)
      else return false
      return true
    },
    count: (): number => all.size,
    /** A concept that is called a collection too is a concept (S37). */
    all: (
      textsOf: (iri: string) => ReadonlyArray<ConceptText>,
      isConcept: (iri: string) => boolean
    ): Gathered => {
      const isCollection = (iri: string): boolean => all.has(iri) && isIri(iri) && !isConcept(iri)
      for (const collection of lists.keys()) for (const item of listed(collection)) hold(collection, item)
      const within = new Map<string, Array<string>>()
      for (const [collection, held] of members)
        if (isCollection(collection))
          for (const one of held)
            if (one !== collection) within.set(one, [...(within.get(one) ?? []), collection].sort())
      const places = new Map([...ordered].map((one) => [one, listed(one)]))
      return memberships({
        within,
        isCollection,
        isOrdered: (iri) => ordered.has(iri),
        placeIn: (collection, member) => Math.max(0, places.get(collection)?.indexOf(member) ?? 0),
        textsOf: (iri) => textsOf(iri).filter(({ kind }) => kept.has(kind))
      })
    }
  }
}

const memberships = ({
  isCollection,
  isOrdered,
  placeIn,
  textsOf,
  within
}: {
  readonly within: ReadonlyMap<string, Array<string>>
  readonly isCollection: (iri: string) => boolean
  readonly isOrdered: (iri: string) => boolean
  readonly placeIn: (collection: string, member: string) => number
  readonly textsOf: (iri: string) => ReadonlyArray<ConceptText>
}): Gathered => {
  const found = new Map<string, Array<Membership>>()
  for (const [member, direct] of within) {
    if (isCollection(member)) continue
    const reached = new Set(direct)
    // What is added while it runs is walked too: the collections that hold these, circles included.
    for (const one of reached) for (const outer of within.get(one) ?? []) reached.add(outer)
    found.set(
      member,
      [...reached].sort().map((iri) => ({
        iri,
        ordered: isOrdered(iri),
        place: direct.includes(iri) ? placeIn(iri, member) : null,
        within: within.get(iri) ?? [],
        texts: [...textsOf(iri)]
      }))
    )
  }
  return found
}
