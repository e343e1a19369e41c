import type { ConceptText, Grouping, Membership } from "./model.js"
import { list, notesBy, type SkosNode, tag, textsBy } from "./nodes.js"

interface Collected {
  readonly ordered: boolean
  readonly texts: Array<ConceptText>
  /** Sorted by position, then IRI. */
  readonly members: Map<string, number>
}

/** Assembles collections from the memberships of their concepts, page by page of an export. */
export const collecting = () => {
  const found = new Map<string, Collected>()
  const at = (iri: string, ordered: boolean): Collected => {
    const known = found.get(iri) ?? { ordered, texts: [], members: new Map<string, number>() }
    found.set(iri, known)
    return known
  }
  return {
    /** Records the collections of a concept exported under this IRI. */
    add: (concept: string, memberships: ReadonlyArray<Membership>): void => {
      for (const { iri, ordered, place, texts } of memberships) {
        const own = at(iri, ordered)
        if (own.texts.length === 0) own.texts.push(...texts)
        if (place !== null) own.members.set(concept, place)
      }
      const here = new Set(memberships.map(({ iri }) => iri))
      for (const { iri, within } of memberships)
        for (const outer of within)
          if (here.has(outer)) found.get(outer)?.members.set(iri, Number.MAX_SAFE_INTEGER)
    },
    /**
     * Returns the collections by IRI, each with its exported members; `isConcept` returns whether an IRI is already
     * used.
     */
    nodes: (
      isConcept: (iri: string) => boolean,
      groupings: ReadonlyMap<string, Grouping>
    ): ReadonlyArray<SkosNode> =>
      [...found]
        .filter(([iri]) => !isConcept(iri))
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([iri, one]) => collectionNode(iri, one, groupings.get(iri)))
  }
}

/** Returns the node of a collection with its exported members. */
const collectionNode = (
  iri: string,
  { members, ordered, texts }: Collected,
  grouping: Grouping | undefined
): SkosNode => {
  const inOrder = [...members].sort(([a, x], [b, y]) => x - y || (a < b ? -1 : 1)).map(([member]) => member)
  return {
    "@id": iri,
    "@type": ordered ? "OrderedCollection" : "Collection",
    ...list("inScheme", grouping?.schemes ?? []),
    ...ownTexts(grouping?.texts ?? texts),
    ...list("member", inOrder),
    ...(ordered ? { memberList: inOrder } : {})
  }
}

/** Returns the node of a scheme with its own texts. */
export const schemeNode = (
  iri: string,
  tops: ReadonlyArray<string>,
  grouping: Grouping | undefined
): SkosNode => ({
  "@id": iri,
  "@type": "ConceptScheme",
  ...list("hasTopConcept", tops),
  ...ownTexts(grouping?.texts ?? [])
})

/** Returns at most one preferred label per language, each label once, then notes and notations. */
const ownTexts = (texts: ReadonlyArray<ConceptText>) => {
  const preferred = new Map<string, string>()
  for (const { kind, language, text } of texts)
    if (kind === "prefLabel" && !preferred.has(language)) preferred.set(language, text)
  const others = texts.filter(
    ({ kind, language, text }) => labels.has(kind) && preferred.get(language) !== text
  )
  const alternative = others.filter(({ kind }) => kind !== "hiddenLabel")
  const known = new Set(alternative.map(({ language, text }) => `${language}\n${text}`))
  const hidden = others.filter(
    ({ kind, language, text }) => kind === "hiddenLabel" && !known.has(`${language}\n${text}`)
  )
  return {
    ...(preferred.size === 0
      ? {}
      : {
          prefLabel: Object.fromEntries([...preferred].map(([language, text]) => [tag(language), text]))
        }),
    ...textsBy("altLabel", alternative),
    ...textsBy("hiddenLabel", hidden),
    ...notesBy(texts)
  }
}

const labels: ReadonlySet<string> = new Set(["prefLabel", "altLabel", "hiddenLabel"])
