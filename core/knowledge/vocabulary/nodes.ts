import { z } from "zod"
import { nameNorm } from "../../platform/kernel/index.js"
import { allAliases, type EntityRecord, entityLimits } from "../entities/index.js"
import { namedPartIri } from "./iris.js"
import type { ConceptDetails, ConceptText, MappingKind, TextKind } from "./model.js"
import { words } from "./words.js"

const Iris = z.array(z.string())
/** Texts by language; those without one stand under `@none`. */
const Texts = z.record(z.string(), z.array(z.string()))

/** A node of the export: a concept, a scheme, a collection, a type of concepts or somebody who answers for them. */
export const SkosNode = z.object({
  "@id": z.string().describe("Its IRI: its own where it was imported, else a URN made of its id."),
  "@type": z.enum(["Concept", "ConceptScheme", "Collection", "OrderedCollection", "Class", "Agent"]),
  inScheme: Iris.optional(),
  topConceptOf: Iris.optional(),
  hasTopConcept: Iris.optional().describe("Of a scheme that an import brought."),
  prefLabel: z
    .record(z.string(), z.string())
    .optional()
    .describe("The name, by language; @none: without one."),
  altLabel: Texts.optional(),
  hiddenLabel: Texts.optional(),
  definition: Texts.optional(),
  scopeNote: Texts.optional(),
  note: Texts.optional(),
  example: Texts.optional(),
  historyNote: Texts.optional(),
  editorialNote: Texts.optional(),
  changeNote: Texts.optional(),
  notation: Texts.optional(),
  typedNotation: z
    .array(z.object({ "@type": z.string(), "@value": z.string() }))
    .optional()
    .describe("Notations that are no plain text, each with its datatype."),
  broader: Iris.optional(),
  narrower: Iris.optional(),
  related: Iris.optional(),
  exactMatch: Iris.optional().describe("Concepts of other vocabularies, as an import stated them."),
  closeMatch: Iris.optional(),
  broadMatch: Iris.optional(),
  narrowMatch: Iris.optional(),
  relatedMatch: Iris.optional(),
  member: Iris.optional().describe("What a collection holds: concepts and collections."),
  memberList: Iris.optional().describe("The same in its order, where it has one."),
  conceptType: Iris.optional(),
  label: z.string().optional(),
  identifier: z.string().optional(),
  title: z.string().optional(),
  status: z.string().optional().describe("The lifecycle, as ADMS says it."),
  deprecated: z.literal(true).optional(),
  modified: z.string().optional(),
  isReplacedBy: z.string().optional(),
  replaces: Iris.optional().describe("IRIs of concepts that were merged into it."),
  wasAttributedTo: Iris.optional().describe("The owner, and who certified it.")
})
export type SkosNode = z.infer<typeof SkosNode>

/** Data of an exported concept. */
export interface ConceptFacts {
  readonly workspace: string
  readonly scheme: string
  readonly iri: string
  readonly entity: EntityRecord
  readonly members: ReadonlyArray<EntityRecord>
  readonly details: ConceptDetails | null
  readonly broader: ReadonlyArray<string>
  readonly narrower: ReadonlyArray<string>
  readonly related: ReadonlyArray<string>
  readonly isReplacedBy: string | null
  readonly replaces: ReadonlyArray<string>
  /** Names that only the import gave, to tell concepts with one label apart. */
  readonly qualifiedNames: ReadonlyArray<string>
  /** Ids of people and API keys. */
  readonly attributedTo: ReadonlyArray<string>
  readonly notes: ReadonlyArray<string>
}

/** Returns the node of a published, deprecated or superseded concept. Lists are sorted by content. */
export const conceptNode = (facts: ConceptFacts): SkosNode => {
  const { details, entity, iri, scheme, workspace } = facts
  const own = details ?? { schemes: [], topOf: [], nameLanguage: null, described: null, texts: [] }
  const schemes = own.schemes.length === 0 ? [scheme] : own.schemes
  const topOf = own.schemes.length > 0 ? own.topOf : facts.broader.length === 0 ? [scheme] : []
  const retired = entity.lifecycle === "deprecated" || entity.lifecycle === "superseded"
  return {
    "@id": iri,
    "@type": "Concept",
    inScheme: inOrder(schemes),
    ...list("topConceptOf", topOf),
    ...labelsOf(entity, facts.members, own, new Set(facts.qualifiedNames.map(nameNorm))),
    ...notesOf(entity, own, facts.notes),
    ...list("broader", facts.broader),
    ...list("narrower", facts.narrower),
    ...list("related", facts.related),
    ...mappingsIn(details),
    conceptType: [namedPartIri(workspace, "type", entity.type)],
    status: retired ? words.statusDeprecated : words.statusCompleted,
    ...(retired ? { deprecated: true } : {}),
    modified: entity.updatedAt,
    ...(facts.isReplacedBy === null ? {} : { isReplacedBy: facts.isReplacedBy }),
    ...list("replaces", facts.replaces),
    ...list(
      "wasAttributedTo",
      facts.attributedTo.map((id) => namedPartIri(workspace, "agent", id))
    )
  }
}

const mappingsIn = (details: ConceptDetails | null): Partial<Record<MappingKind, Array<string>>> => {
  const found: Partial<Record<MappingKind, Array<string>>> = {}
  for (const { iri, kind } of details?.mappings ?? []) found[kind] = [...(found[kind] ?? []), iri]
  return found
}

const inOrder = (texts: ReadonlyArray<string>): Array<string> => [...new Set(texts)].sort()

export const list = <Name extends string>(
  name: Name,
  iris: ReadonlyArray<string>
): { [key in Name]?: Array<string> } => {
  const found: { [key in Name]?: Array<string> } = {}
  if (iris.length > 0) found[name] = inOrder(iris)
  return found
}

/**
 * Returns at most one preferred label per language (SKOS S14), each label under one predicate (S13). The name comes
 * first, then the vocabulary's preferred labels in other languages if the entity still has them as names.
 *
 * @param given Keys of names that only the import gave; they are no labels.
 */
const labelsOf = (
  entity: EntityRecord,
  members: ReadonlyArray<EntityRecord>,
  { nameLanguage, qualified, texts }: ConceptDetails,
  given: ReadonlySet<string>
): Pick<SkosNode, "prefLabel" | "altLabel" | "hiddenLabel"> => {
  const aliases = [
    ...allAliases(entity),
    ...members.flatMap((member) => [member.name, ...allAliases(member)])
  ]
  const entityNames = new Set([entity.name, ...aliases].map(nameNorm))
  // Labels too long for a name were never aliases, so nobody can have removed them.
  const kept = texts.filter(
    ({ text }) => entityNames.has(nameNorm(text)) || text.trim().length > entityLimits.name
  )
  const usedLabels = new Set<string>()
  const say = ({ language, text }: Pick<ConceptText, "language" | "text">): boolean => {
    const label = `${language}\n${text}`
    if (usedLabels.has(label)) return false
    usedLabels.add(label)
    return true
  }
  const preferred = new Map<string, string>()
  const prefer = (language: string, text: string): void => {
    if (!preferred.has(language) && say({ language, text })) preferred.set(language, text)
  }
  const name = qualified?.name === entity.name ? qualified.label : entity.name
  const named = kept.find(({ language, text }) => language === nameLanguage && text.trim() === name)
  prefer(nameLanguage ?? "", named?.text ?? name)
  for (const { kind, language, text } of kept) if (kind === "prefLabel") prefer(language, text)
  const known = new Set(kept.map(({ text }) => nameNorm(text)))
  const untold = aliases
    .filter((alias) => {
      const norm = nameNorm(alias)
      return !known.has(norm) && norm !== nameNorm(name) && !given.has(norm)
    })
    .map((text) => ({ language: "", text }))
  const alternative = [
    ...kept.filter(({ kind }) => kind === "altLabel" || kind === "prefLabel"),
    ...untold
  ].filter(say)
  const hidden = kept.filter(({ kind }) => kind === "hiddenLabel").filter(say)
  return {
    prefLabel: Object.fromEntries(
      [...preferred].sort(([a], [b]) => compare(a, b)).map(([language, text]) => [tag(language), text])
    ),
    ...textsBy("altLabel", alternative),
    ...textsBy("hiddenLabel", hidden)
  }
}

const noteKinds = [
  "definition",
  "scopeNote",
  "note",
  "example",
  "historyNote",
  "editorialNote",
  "changeNote"
] as const satisfies ReadonlyArray<TextKind>

/** Returns the description, under its original predicate or else as a definition, and the other notes unchanged. */
const notesOf = (
  { description }: EntityRecord,
  { described, texts }: ConceptDetails,
  revisionNotes: ReadonlyArray<string>
): Notes => {
  const kept = texts.filter(
    (one) =>
      described === null ||
      one.kind !== described.kind ||
      one.language !== described.language ||
      one.text !== described.text
  )
  const now: ReadonlyArray<ConceptText> =
    description === null || description.trim() === ""
      ? []
      : [{ kind: described?.kind ?? "definition", language: described?.language ?? "", text: description }]
  const changes = revisionNotes.map((text): ConceptText => ({ kind: "changeNote", language: "", text }))
  return notesBy([...now, ...kept, ...changes])
}

type Notes = Pick<SkosNode, (typeof noteKinds)[number] | "notation" | "typedNotation">

/** Groups notes and notations by predicate, without labels. */
export const notesBy = (texts: ReadonlyArray<ConceptText>): Notes => {
  const found: Notes = {}
  for (const kind of noteKinds)
    Object.assign(
      found,
      textsBy(
        kind,
        texts.filter((one) => one.kind === kind)
      )
    )
  const notations = texts.filter(({ kind }) => kind === "notation")
  const plain = notations.filter(({ datatype }) => datatype === undefined)
  const typed = notations.flatMap(({ datatype, text }) =>
    datatype === undefined ? [] : [{ "@type": datatype, "@value": text }]
  )
  return {
    ...found,
    ...textsBy("notation", plain),
    ...(typed.length === 0 ? {} : { typedNotation: typed })
  }
}

/** Groups texts by language, unique and sorted. */
export const textsBy = <Name extends string>(
  name: Name,
  texts: ReadonlyArray<Pick<ConceptText, "language" | "text">>
): { [key in Name]?: Record<string, Array<string>> } => {
  const byLanguage = new Map<string, Set<string>>()
  for (const { language, text } of texts) {
    const own = byLanguage.get(language) ?? new Set()
    byLanguage.set(language, own.add(text.toWellFormed()))
  }
  const found: { [key in Name]?: Record<string, Array<string>> } = {}
  if (byLanguage.size > 0)
    found[name] = Object.fromEntries(
      [...byLanguage]
        .sort(([a], [b]) => compare(a, b))
        .map(([language, own]) => [tag(language), [...own].sort()])
    )
  return found
}

export const tag = (language: string): string => (language === "" ? "@none" : language)
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
