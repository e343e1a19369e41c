import { nameNorm } from "../../platform/kernel/index.js"
import { entityLimits } from "../entities/index.js"
import { lastSegment } from "./iris.js"
import type { Concept, ConceptDetails, ConceptText, ImportOptions, Stated, TextKind } from "./model.js"

/** The entity to create from a concept. */
export interface Entry {
  readonly name: string
  readonly type: string
  readonly aliases: ReadonlyArray<string>
  readonly description: string | null
  readonly details: ConceptDetails
}

/** Sources of a description, best first. */
const descriptive: ReadonlyArray<TextKind> = ["definition", "scopeNote", "note"]

/** Returns the entity for a concept, or the reason why there can be none. */
export const entryOf = (
  concept: Concept,
  options: Pick<ImportOptions, "language" | "type">
): Entry | "no_label" | "label_too_long" => {
  const { collections, mappings, plan, schemes, texts, topOf, type } = concept
  const inOrder = preferred(texts, options.language.toLowerCase())
  const labels = inOrder.filter(({ kind }) => isLabel(kind))
  const name =
    labels.find(({ kind, text }) => kind === "prefLabel" && nameNorm(text) !== "") ??
    labels.find(({ text }) => nameNorm(text) !== "")
  if (name === undefined) return "no_label"
  const label = name.text.trim()
  if (label.length > entityLimits.name) return "label_too_long"
  const described = descriptive
    .flatMap((kind) => inOrder.find((one) => one.kind === kind) ?? [])
    .find(({ text }) => text.length <= entityLimits.description)
  const entry: Entry = {
    name: label,
    type: (type ?? options.type).slice(0, entityLimits.type).trim() || options.type,
    aliases: aliasesOf(labels, label),
    description: described?.text ?? null,
    details: {
      schemes: [...schemes],
      topOf: [...topOf],
      nameLanguage: name.language,
      described: described ?? null,
      texts: [...texts],
      stated: statedBy(concept),
      ...(mappings === undefined ? {} : { mappings }),
      ...(collections === undefined ? {} : { collections })
    }
  }
  return plan?.name === undefined ? entry : qualifiedEntry(entry, plan.name)
}

/** Returns what a vocabulary states about the links and the standing of a concept. */
export const statedBy = (concept: Concept): Stated => ({
  broader: [...concept.broader],
  related: [...concept.related],
  retired: isRetired(concept)
})

/** Whether the vocabulary has withdrawn a concept or replaced it. */
export const isRetired = ({ deprecated, replacedBy }: Pick<Concept, "deprecated" | "replacedBy">): boolean =>
  deprecated || replacedBy !== null

/** Returns an entry under another name; its label becomes an alias, and the export keeps it as it was. */
export const qualifiedEntry = (entry: Entry, name: string): Entry => ({
  ...entry,
  name,
  aliases: [entry.name, ...entry.aliases].slice(0, entityLimits.aliases),
  details: { ...entry.details, qualified: { name, label: entry.name } }
})

/**
 * Returns names for a concept whose label is taken, best first: the label with its notation, with a scheme that the
 * holder of the name is not in, and with the last part of its IRI.
 *
 * @param schemeNames Labels of schemes by IRI.
 */
export const qualifiedNames = (
  { name }: Entry,
  { iri, schemes, texts }: Concept,
  holderSchemes: ReadonlyArray<string>,
  schemeNames: ReadonlyMap<string, string>
): ReadonlyArray<string> => {
  const notations = texts.flatMap(({ kind, text }) => (kind === "notation" ? [text.trim()] : []))
  const others = schemes.filter((scheme) => !holderSchemes.includes(scheme))
  const segment = lastSegment(iri)
  const qualifiers = [
    ...notations,
    ...others.map((scheme) => schemeNames.get(scheme) ?? lastSegment(scheme)),
    segment,
    iri
  ]
  return [...new Set(qualifiers)].flatMap((qualifier) =>
    qualifier === "" || qualifier.length > qualifierMax
      ? []
      : [`${name.slice(0, entityLimits.name - qualifier.length - 3).trim()} (${qualifier})`]
  )
}

const qualifierMax = 200

const isLabel = (kind: TextKind): boolean =>
  kind === "prefLabel" || kind === "altLabel" || kind === "hiddenLabel"

/** Returns the other labels of the concept as unique aliases, up to the limit of an entity. */
const aliasesOf = (labels: ReadonlyArray<ConceptText>, name: string): ReadonlyArray<string> => {
  const byNorm = new Map<string, string>()
  for (const label of labels) {
    const text = label.text.trim()
    const norm = nameNorm(text)
    if (norm !== "" && norm !== nameNorm(name) && text.length <= entityLimits.name && !byNorm.has(norm))
      byNorm.set(norm, text)
  }
  return [...byNorm.values()].slice(0, entityLimits.aliases)
}

/** Sorts texts: the wanted language first, then those without a language, English, and other languages in order. */
const preferred = (texts: ReadonlyArray<ConceptText>, language: string): ReadonlyArray<ConceptText> => {
  const rank = (of: string): number => {
    if (of === language) return 0
    if (of.startsWith(`${language}-`)) return 1
    if (of === "") return 2
    return of === "en" ? 3 : 4
  }
  return texts
    .map((text, place) => ({ text, place }))
    .sort((a, b) => rank(a.text.language) - rank(b.text.language) || a.place - b.place)
    .map(({ text }) => text)
}
