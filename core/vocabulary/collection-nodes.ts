import type { ConceptText, Membership } from "./model.js"
import { list, type SkosNode, tag, textsBy } from "./nodes.js"

interface Collected {
  readonly ordered: boolean
  readonly texts: Array<ConceptText>
  /** By place, then IRI. */
  readonly members: Map<string, number>
}

/** Puts collections together from what is kept with the concepts in them, page by page of an export. */
export const collecting = () => {
  const found = new Map<string, Collected>()
  const at = (iri: string, ordered: boolean): Collected => {
    const known = found.get(iri) ?? { ordered, texts: [], members: new Map<string, number>() }
    found.set(iri, known)
    return known
  }
  return {
    /** Notes the collections of a concept that is exported under an IRI. */
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
    /** The collections by IRI, each with what of it is exported; `isConcept` says which IRIs are taken. */
    nodes: (isConcept: (iri: string) => boolean): ReadonlyArray<SkosNode> =>
      [...found]
        .filter(([iri]) => !isConcept(iri))
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([iri, one]) => nodeOf(iri, one))
  }
}

/** One preferred label a language, each label once, as with concepts. */
const nodeOf = (iri: string, { members, ordered, texts }: Collected): SkosNode => {
  const preferred = new Map<string, string>()
  for (const { kind, language, text } of texts)
    if (kind === "prefLabel" && !preferred.has(language)) preferred.set(language, text)
  const others = texts.filter(
    ({ kind, language, text }) => kind !== "notation" && preferred.get(language) !== text
  )
  const alternative = others.filter(({ kind }) => kind !== "hiddenLabel")
  const known = new Set(alternative.map(({ language, text }) => `${language}\n${text}`))
  const inOrder = [...members].sort(([a, x], [b, y]) => x - y || (a < b ? -1 : 1)).map(([member]) => member)
  return {
    "@id": iri,
    "@type": ordered ? "OrderedCollection" : "Collection",
    ...(preferred.size === 0
      ? {}
      : {
          prefLabel: Object.fromEntries([...preferred].map(([language, text]) => [tag(language), text]))
        }),
    ...textsBy("altLabel", alternative),
    ...textsBy(
      "hiddenLabel",
      others.filter(
        ({ kind, language, text }) => kind === "hiddenLabel" && !known.has(`${language}\n${text}`)
      )
    ),
    ...textsBy(
      "notation",
      texts.filter(({ kind }) => kind === "notation")
    ),
    ...list("member", inOrder),
    ...(ordered ? { memberList: inOrder } : {})
  }
}
