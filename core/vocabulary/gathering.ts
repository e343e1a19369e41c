import { isIri } from "./iris.js"
import type { ConceptText, Membership } from "./model.js"
import { skos, words } from "./words.js"

/** The collections of each concept that is in one. */
export type Gathered = ReadonlyMap<string, Array<Membership>>

/** What of a collection is kept: by what it is known. Its notes would stand once with each member. */
const kept = new Set(["prefLabel", "altLabel", "hiddenLabel", "notation"])

/** Most characters of them, and most collections of one concept that hold it only through others: no document may grow by more. */
const [textsMax, outerMax] = [2000, 16]

const keptOf = (texts: ReadonlyArray<ConceptText>): Array<ConceptText> => {
  let left = textsMax
  return texts.filter(({ kind, text }) => {
    if (!kept.has(kind) || text.length > left) return false
    left -= text.length
    return true
  })
}

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
      const within = withinOf(members, isCollection)
      const places = new Map(
        [...ordered].map((one) => [one, new Map(listed(one).map((item, place) => [item, place]))])
      )
      const texts = new Map([...all].map((iri) => [iri, keptOf(textsOf(iri))]))
      return memberships({
        holders: new Map([...within].filter(([one]) => !isCollection(one))),
        outer: new Map(
          [...within].flatMap(([one, outer]) => (isCollection(one) ? [[one, outer.slice(0, outerMax)]] : []))
        ),
        isOrdered: (iri) => ordered.has(iri),
        placeIn: (collection, member) => places.get(collection)?.get(member) ?? 0,
        textsOf: (iri) => texts.get(iri) ?? []
      })
    }
  }
}

/** By what each thing is held, in order. */
const withinOf = (
  members: ReadonlyMap<string, ReadonlySet<string>>,
  isCollection: (iri: string) => boolean
): ReadonlyMap<string, ReadonlyArray<string>> => {
  const within = new Map<string, Array<string>>()
  for (const collection of [...members.keys()].filter(isCollection).sort())
    for (const one of members.get(collection) ?? [])
      if (one !== collection) {
        const known = within.get(one)
        if (known === undefined) within.set(one, [collection])
        else known.push(collection)
      }
  return within
}

const memberships = ({
  holders,
  isOrdered,
  outer,
  placeIn,
  textsOf
}: {
  /** The collections that hold a concept, and those that hold a collection, each in order. */
  readonly holders: ReadonlyMap<string, ReadonlyArray<string>>
  readonly outer: ReadonlyMap<string, ReadonlyArray<string>>
  readonly isOrdered: (iri: string) => boolean
  readonly placeIn: (collection: string, member: string) => number
  readonly textsOf: (iri: string) => ReadonlyArray<ConceptText>
}): Gathered => {
  const found = new Map<string, Array<Membership>>()
  for (const [member, direct] of holders) {
    const own = new Set(direct)
    const reached = new Set(direct)
    // What is added while it runs is walked too: the collections that hold these, circles included.
    for (const one of reached)
      for (const next of outer.get(one) ?? []) if (reached.size < own.size + outerMax) reached.add(next)
    found.set(
      member,
      [...reached].sort().map((iri) => ({
        iri,
        ordered: isOrdered(iri),
        place: own.has(iri) ? placeIn(iri, member) : null,
        within: (outer.get(iri) ?? []).filter((one) => reached.has(one)),
        texts: [...textsOf(iri)]
      }))
    )
  }
  return found
}
