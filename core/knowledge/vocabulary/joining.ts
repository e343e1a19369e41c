import type { ConceptDetails, Mapping, Membership } from "./model.js"

const none: ConceptDetails = { schemes: [], topOf: [], nameLanguage: null, described: null, texts: [] }

/**
 * Merges the details of a concept with those of the concepts merged into it. Its own preferred labels stay preferred,
 * and it stays a top concept if it was one itself. Null if no details are stored.
 *
 * @param iris IRIs of all these concepts; none is mapped to itself.
 */
export const mergeDetails = (
  own: ConceptDetails | null,
  merged: ReadonlyArray<ConceptDetails>,
  iris: ReadonlySet<string>
): ConceptDetails | null => {
  if (merged.length === 0) return own
  const { collections: _collections, mappings: _mappings, ...self } = own ?? none
  const all = [own ?? none, ...merged]
  const mappings = mappingsOf(all.flatMap((one) => (one.mappings ?? []).filter(({ iri }) => !iris.has(iri))))
  const collections = membershipsOf(all.flatMap((one) => one.collections ?? []))
  return {
    ...self,
    schemes: [...new Set(all.flatMap(({ schemes }) => schemes))],
    texts: [
      ...self.texts,
      ...merged
        .flatMap(({ texts }) => texts)
        .map((one) => (one.kind === "prefLabel" ? { ...one, kind: "altLabel" as const } : one))
    ],
    ...(mappings.length === 0 ? {} : { mappings }),
    ...(collections.length === 0 ? {} : { collections })
  }
}

/** Removes duplicates; an exact match is not also broader, narrower or related (SKOS S46). */
const mappingsOf = (all: ReadonlyArray<Mapping>): Array<Mapping> => {
  const exact = new Set(all.flatMap(({ iri, kind }) => (kind === "exactMatch" ? [iri] : [])))
  const found = new Map<string, Mapping>()
  for (const one of all)
    if (one.kind === "exactMatch" || one.kind === "closeMatch" || !exact.has(one.iri))
      found.set(`${one.kind} ${one.iri}`, one)
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one)
}

/** Removes duplicate collections; the first position wins. */
const membershipsOf = (all: ReadonlyArray<Membership>): Array<Membership> => {
  const found = new Map<string, Membership>()
  for (const one of all) {
    const known = found.get(one.iri)
    if (known === undefined) found.set(one.iri, one)
    else
      found.set(one.iri, {
        ...known,
        place:
          known.place === null || one.place === null
            ? (known.place ?? one.place)
            : Math.min(known.place, one.place),
        within: [...new Set([...known.within, ...one.within])]
      })
  }
  return [...found.values()]
}
