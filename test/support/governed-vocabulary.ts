import { makeThesaurus, type ThesaurusConcept } from "./thesaurus.js"
import { makeReports, type WatchReport } from "./watch-reports.js"

/** A made vocabulary of more than a thousand concepts: with links that lead nowhere, and pairs that mean one thing. */
export const { broken, concepts, document, planted } = makeThesaurus(5)
export const byIri = new Map(concepts.map((concept) => [concept.iri, concept]))
export const sure = <A>(found: A | undefined): A => {
  if (found === undefined) throw new RangeError("What the walk needs is not there.")
  return found
}
export const named = (iri: string): ThesaurusConcept => sure(byIri.get(iri))
export const labelOf = ({ preferred }: ThesaurusConcept): string => preferred["en"] ?? ""

const pair = sure(planted[0])
/** A pair that means one thing: the head, and the one that goes into it. */
export const [kept, doubled] = [named(pair.kept), named(pair.doubled)]
const inPairs = new Set(planted.flatMap((one) => [one.doubled, one.kept]))
const spare = concepts.filter(({ definition, iri }) => definition === null && !inPairs.has(iri))
/** One that people disagree about: it has a definition and something broader. */
export const contested = sure(
  concepts.find(({ broader, definition }) => broader.length > 0 && definition !== null)
)
const spareAt = (place: number): ThesaurusConcept => sure(spare[place])
export const [superseded, successor, retired, reviewed] = [spareAt(0), spareAt(1), spareAt(2), spareAt(3)]
export const certified = [kept, ...spare.slice(4, 28)]
/** Reports in which concepts stand under their labels. */
export const reports = makeReports({ concepts, planted, broken, document }, 48, 11, [
  kept,
  doubled,
  contested,
  superseded,
  reviewed,
  sure(certified[1])
])
/** The report that all which happens touches. */
export const touched = sure(reports[0])

/** Concepts that a label may mean. */
const meant = new Map<string, ReadonlyArray<string>>()
for (const { iri, others, preferred } of concepts)
  for (const label of new Set(
    [...Object.values(preferred), ...others.map(([, text]) => text)].map((text) => text.toLowerCase())
  ))
    meant.set(label, [...(meant.get(label) ?? []), iri])

/** How often each concept stands in a report, as whoever wrote it counts. */
export const countsIn = ({ labels }: WatchReport): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const label of labels) for (const iri of meant.get(label) ?? []) counts[iri] = (counts[iri] ?? 0) + 1
  return counts
}
/** How often a concept stands in all reports. */
export const mentionsOf = ({ iri }: ThesaurusConcept): number =>
  reports.reduce((sum, report) => sum + (countsIn(report)[iri] ?? 0), 0)
/** Links between concepts that are both there, and how many of them a concept has. */
export const links = concepts.flatMap(({ broader, iri, related }) =>
  [...broader, ...related].filter((other) => byIri.has(other)).map((other) => [iri, other] as const)
)
export const linksAt = ({ iri }: ThesaurusConcept): number =>
  links.filter((ends) => ends.includes(iri)).length
