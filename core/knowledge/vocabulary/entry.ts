import { nameNorm } from "../../platform/kernel/index.js"
import { entityLimits } from "../entities/index.js"
import type { Concept, ConceptDetails, ConceptText, ImportOptions, TextKind } from "./model.js"

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
  { collections, mappings, schemes, texts, topOf, type }: Concept,
  options: Pick<ImportOptions, "language" | "type">
): Entry | "no_label" | "label_too_long" => {
  const inOrder = preferred(texts, options.language.toLowerCase())
  const labels = inOrder.filter(({ kind }) => isLabel(kind))
  const name =
    labels.find(({ kind, text }) => kind === "prefLabel" && nameNorm(text) !== "") ??
    labels.find(({ text }) => nameNorm(text) !== "")
  if (name === undefined) return "no_label"
  const text = name.text.trim()
  if (text.length > entityLimits.name) return "label_too_long"
  const described = descriptive
    .flatMap((kind) => inOrder.find((one) => one.kind === kind) ?? [])
    .find(({ text }) => text.length <= entityLimits.description)
  return {
    name: text,
    type: (type ?? options.type).slice(0, entityLimits.type).trim() || options.type,
    aliases: aliasesOf(labels, text),
    description: described?.text ?? null,
    details: {
      schemes: [...schemes],
      topOf: [...topOf],
      nameLanguage: name.language,
      described: described ?? null,
      texts: [...texts],
      ...(mappings === undefined ? {} : { mappings }),
      ...(collections === undefined ? {} : { collections })
    }
  }
}

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
