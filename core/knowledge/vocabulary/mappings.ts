import type { WarningCounter } from "./import-warnings.js"
import { isIri } from "./iris.js"
import { type Mapping, type MappingKind, mappingKinds } from "./model.js"
import { skos } from "./words.js"

/** Returns whether a predicate is a mapping to a concept of another vocabulary. */
export const isMapping = (predicate: string): boolean => kindOf.has(predicate)

const kindOf: ReadonlyMap<string, MappingKind> = new Map(mappingKinds.map((kind) => [`${skos}${kind}`, kind]))

/** The inverse of each mapping kind. */
const inverseKinds: Readonly<Record<MappingKind, MappingKind>> = {
  exactMatch: "exactMatch",
  closeMatch: "closeMatch",
  broadMatch: "narrowMatch",
  narrowMatch: "broadMatch",
  relatedMatch: "relatedMatch"
}

/**
 * Returns the mappings of each concept, in order. Statements of external concepts are inverted. An exact match is not
 * also broader, narrower or related (SKOS S46).
 */
export const mappingsOf = (
  statements: ReadonlyArray<readonly [subject: string, predicate: string, target: string]>,
  isConcept: (iri: string) => boolean,
  notKept: WarningCounter
): ReadonlyMap<string, Array<Mapping>> => {
  const allMappings = statements.flatMap(([subject, predicate, target]) => {
    const kind = kindOf.get(predicate)
    if (kind === undefined) return []
    const isNamed = isIri(subject) && isIri(target)
    if (subject !== target && isNamed && isConcept(subject)) return [{ own: subject, kind, iri: target }]
    if (subject !== target && isNamed && isConcept(target))
      return [{ own: target, kind: inverseKinds[kind], iri: subject }]
    notKept.add(predicate, subject === target ? "told_otherwise" : "nothing_there", subject)
    return []
  })
  const exact = new Set(
    allMappings.flatMap(({ iri, kind, own }) =>
      kind === "exactMatch" ? [`${own} ${iri}`, `${iri} ${own}`] : []
    )
  )
  const found = new Map<string, Map<string, Mapping>>()
  for (const { iri, kind, own } of allMappings) {
    if (exact.has(`${own} ${iri}`) && kind !== "exactMatch" && kind !== "closeMatch") {
      notKept.add(`${skos}${kind}`, "told_otherwise", own)
      continue
    }
    const known = found.get(own) ?? new Map<string, Mapping>()
    found.set(own, known.set(`${kind} ${iri}`, { kind, iri }))
  }
  return new Map(
    [...found].map(([own, all]) => [
      own,
      [...all].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, mapping]) => mapping)
    ])
  )
}
