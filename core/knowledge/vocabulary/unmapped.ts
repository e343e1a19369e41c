import { nameNorm } from "../../platform/kernel/index.js"
import { entityLimits } from "../entities/index.js"
import type { Draft, Literal } from "./draft.js"
import { hierarchyOf } from "./hierarchy.js"
import type { Reason, WarningCounter } from "./import-warnings.js"
import { isIri } from "./iris.js"
import type { Grouping } from "./model.js"
import { skos, words } from "./words.js"

/** A text of a node with its predicate. */
export type LabelledText = Literal & { readonly word: string }

/** Parsed data, once concepts and collections are known. */
export interface Read {
  readonly drafts: ReadonlyMap<string, Draft>
  readonly groupings: ReadonlyArray<Grouping>
  readonly labels: ReadonlyMap<string, ReadonlyArray<Literal>>
  readonly borne: ReadonlyMap<string, ReadonlyArray<LabelledText>>
  readonly bearers: ReadonlyArray<readonly [subject: string, predicate: string, node: string]>
}

/** Counts statements that were understood but that an export omits or changes. */
export const reportUnmapped = (
  { bearers, borne, drafts, groupings, labels }: Read,
  notKept: WarningCounter
): void => {
  const grouped = new Map(groupings.map((one) => [one.iri, one]))
  for (const [iri, draft] of drafts)
    if (!draft.isConcept) reportUnknownLinks(iri, draft, grouped.get(iri), notKept)
    else if (isIri(iri)) reportConcept(iri, draft, notKept)
  reportConnected(drafts, notKept)
  const types = new Set([...drafts.values()].map(({ typeIri }) => typeIri))
  for (const [iri, all] of labels)
    if (types.has(iri)) notKept.add(words.label, "one_only", iri, all.length - 1)
    else notKept.add(words.label, "other_word", iri, all.length)
  const reached = new Set(bearers.map(([, , node]) => node))
  for (const [node, texts] of borne)
    if (!reached.has(node)) for (const { word } of texts) notKept.add(word, "nothing_there", node)
    // Their texts are kept as those of the concept, without the IRI of the node.
    else if (isIri(node)) for (const { word } of texts) notKept.add(word, "told_otherwise", node)
}

/** Counts links from or to a resource that is no concept and has no stored texts. */
const reportUnknownLinks = (
  iri: string,
  draft: Draft,
  grouping: Grouping | undefined,
  notKept: WarningCounter
): void => {
  const report = (word: string, count: number, reason: Reason = "nothing_there") =>
    notKept.add(word, reason, iri, count)
  if (grouping === undefined) for (const { kind } of draft.texts.values()) report(`${skos}${kind}`, 1)
  else reportLabels(iri, draft, notKept)
  report(`${skos}inScheme`, draft.schemes.size - draft.topOf.size - (grouping?.schemes.length ?? 0))
  report(`${skos}topConceptOf`, draft.topOf.size)
  report(`${skos}broader`, draft.broader.size)
  report(`${skos}related`, draft.related.size)
  if (draft.type !== null) report(words.type, 1, "other_word")
  if (draft.replacedBy !== null) report(words.isReplacedBy, 1)
  if (draft.deprecated) report(words.deprecated, 1)
}

const reportConcept = (iri: string, draft: Draft, notKept: WarningCounter): void => {
  const unnamed = (all: ReadonlySet<string>): number => [...all].filter((one) => !isIri(one)).length
  notKept.add(`${skos}broader`, "nothing_there", iri, unnamed(draft.broader))
  notKept.add(`${skos}related`, "nothing_there", iri, unnamed(draft.related))
  notKept.add(`${skos}inScheme`, "nothing_there", iri, unnamed(draft.schemes))
  if (draft.typeIri !== null || draft.type !== null) notKept.add(words.type, "told_otherwise", iri)
  reportLabels(iri, draft, notKept)
  const names = new Set<string>()
  for (const { kind, text } of draft.texts.values())
    if (labelKinds.has(kind) && text.trim().length <= entityLimits.name) names.add(nameNorm(text))
  notKept.add(`${skos}altLabel`, "limit", iri, Math.max(0, names.size - 1 - entityLimits.aliases))
}

const labelKinds: ReadonlySet<string> = new Set(["prefLabel", "altLabel", "hiddenLabel"])

/** Counts labels that violate one preferred label per language (SKOS S14) or one predicate per label (S13). */
const reportLabels = (iri: string, { texts }: Draft, notKept: WarningCounter): void => {
  const preferred = new Set<string>()
  const seenLabels = new Set<string>()
  for (const kind of labelKinds)
    for (const one of texts.values()) {
      if (one.kind !== kind) continue
      const label = `${one.language}\n${one.text}`
      const isSecond = kind === "prefLabel" && preferred.has(one.language)
      if (isSecond || seenLabels.has(label)) notKept.add(`${skos}${kind}`, "told_otherwise", iri)
      if (kind === "prefLabel") preferred.add(one.language)
      seenLabels.add(label)
    }
}

/** Counts `related` links between concepts that the hierarchy connects (SKOS S27). */
const reportConnected = (drafts: ReadonlyMap<string, Draft>, notKept: WarningCounter): void => {
  const links = [...drafts].flatMap(([iri, { broader, isConcept }]) =>
    isConcept ? [...broader].map((other): readonly [string, string] => [iri, other]) : []
  )
  const { connected } = hierarchyOf(links)
  for (const [iri, { isConcept, related }] of drafts)
    if (isConcept) notKept.add(`${skos}related`, "told_otherwise", iri, connected(iri, [...related]).size)
}
