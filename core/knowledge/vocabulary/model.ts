import { z } from "zod"
import { EntityId, JobId } from "../../platform/kernel/index.js"
import { EntityType } from "../entities/index.js"

/** SKOS terms for texts, by local name. */
export const textKinds = [
  "prefLabel",
  "altLabel",
  "hiddenLabel",
  "definition",
  "scopeNote",
  "note",
  "example",
  "historyNote",
  "editorialNote",
  "changeNote",
  "notation"
] as const
/** The SKOS term of a text, by local name. */
export const TextKind = z.enum(textKinds)
export type TextKind = z.infer<typeof TextKind>

/** A text of a concept; an empty language means that none was given. */
export const ConceptText = z.strictObject({
  kind: TextKind,
  language: z.string(),
  text: z.string(),
  datatype: z.string().optional().describe("The datatype of a notation that is no plain text.")
})
export type ConceptText = z.infer<typeof ConceptText>

/** SKOS terms for mappings to other vocabularies. */
export const mappingKinds = ["exactMatch", "closeMatch", "broadMatch", "narrowMatch", "relatedMatch"] as const
/** Kind of a mapping to a concept of another vocabulary, by local name of SKOS. */
export type MappingKind = (typeof mappingKinds)[number]

/** A mapping to a concept of another vocabulary. */
export const Mapping = z.strictObject({ kind: z.enum(mappingKinds), iri: z.string() })
export type Mapping = z.infer<typeof Mapping>

/** A collection that contains a concept, directly or through another collection. */
export const Membership = z.strictObject({
  iri: z.string(),
  ordered: z.boolean(),
  /** Null where it holds the concept only through a collection within it. */
  place: z.int().min(0).nullable().describe("Where an ordered collection lists the concept; else 0."),
  within: z.array(z.string()).describe("IRIs of the collections that hold the collection itself."),
  texts: z
    .array(ConceptText)
    .describe("Its labels and notations, as imports kept them here before groupings were kept.")
})
export type Membership = z.infer<typeof Membership>

/** Texts of a scheme or a collection, stored once. */
export const Grouping = z.strictObject({
  iri: z.string(),
  of: z.enum(["scheme", "collection"]),
  schemes: z.array(z.string()).describe("IRIs of the schemes that a collection belongs to."),
  texts: z.array(ConceptText)
})
export type Grouping = z.infer<typeof Grouping>

/** Rare fields of a concept; absent when empty. */
const rarities = {
  mappings: z.array(Mapping).optional(),
  collections: z.array(Membership).optional()
}

/** Links and standing of a concept as its vocabulary stated them last. Absent in concepts of older versions. */
export const Stated = z.strictObject({
  broader: z.array(z.string()),
  related: z.array(z.string()),
  retired: z.boolean(),
  leftOut: z.boolean().optional().describe("The last edition did not hold the concept.")
})
export type Stated = z.infer<typeof Stated>

/** Details of a concept that are stored beside its entity. */
export const ConceptDetails = z.strictObject({
  schemes: z.array(z.string()).describe("IRIs of the schemes that it belongs to."),
  topOf: z.array(z.string()).describe("Those of which it is a top concept."),
  /** Language of the entity's name; null if the name is not a label of the concept. */
  nameLanguage: z.string().nullable(),
  /** The text used as description; null if there is none. */
  described: ConceptText.nullable(),
  texts: z.array(ConceptText),
  qualified: z
    .strictObject({ name: z.string(), label: z.string() })
    .optional()
    .describe("The entity's name where another concept has the label; the label is exported."),
  stated: Stated.optional().describe("What the vocabulary stated last; newer editions are compared with it."),
  ...rarities
})
export type ConceptDetails = z.infer<typeof ConceptDetails>

/** A concept as a vocabulary states it. Links are IRIs, each stated once, from the side given here. */
export const Concept = z.strictObject({
  iri: z.string(),
  type: z.string().nullable(),
  schemes: z.array(z.string()),
  topOf: z.array(z.string()),
  texts: z.array(ConceptText),
  broader: z.array(z.string()),
  related: z.array(z.string()),
  deprecated: z.boolean(),
  replacedBy: z.string().nullable(),
  plan: z
    .strictObject({
      name: z.string().optional().describe("The name of its entity where its label is taken."),
      joins: z.string().optional().describe("IRI of the concept that is the same."),
      leftOut: z.literal(true).optional().describe("The vocabulary no longer holds it.")
    })
    .optional()
    .describe("What an import plans for it."),
  ...rarities
})
export type Concept = z.infer<typeof Concept>

/** Reasons why an export omits or changes a statement of the source document. */
const notKeptReasons = [
  "other_word",
  "told_otherwise",
  "one_only",
  "nothing_there",
  "no_text",
  "limit",
  "unread"
] as const

/** Number of dropped statements of one predicate. */
export const NotKept = z.object({
  word: z.string().describe("The IRI of their property; of a type or a datatype, that itself."),
  reason: z
    .enum(notKeptReasons)
    .describe(
      [
        "other_word: it is kept of no concept.",
        "told_otherwise: under another word, or once where SKOS allows one, as its integrity conditions want it.",
        "one_only: only one of several can be kept.",
        "nothing_there: an end is no concept, scheme or collection that is kept, or has no IRI.",
        "no_text: there is no text in it, or none that can be stored.",
        "limit: it is more than is kept.",
        "unread: JSON-LD in which it is no statement: a relative IRI without a base, a term that the context does not define, an IRI with a blank."
      ].join(" ")
    ),
  count: z.int().min(1),
  example: z.string().describe("What the first of them is about: an IRI, or the label of a blank node.")
})
export type NotKept = z.infer<typeof NotKept>

/** The content of an RDF document. */
export interface Vocabulary {
  readonly concepts: ReadonlyArray<Concept>
  /** Schemes and collections that have texts. */
  readonly groupings: ReadonlyArray<Grouping>
  /** Statements that are in neither, by predicate and reason; the most frequent ones. */
  readonly notKept: ReadonlyArray<NotKept>
  /** Number of all of them. */
  readonly notKeptTotal: number
  /** Number of `skos:Collection`s; each is stored with its concepts. */
  readonly collections: number
  /** Labels of blank nodes that are concepts; they have no stable identifier. */
  readonly unnamed: ReadonlyArray<string>
}

/** The concept of an entity. */
export interface StoredConcept {
  readonly entityId: EntityId
  readonly iri: string
  readonly details: ConceptDetails
}

/** Whether an import makes change requests for new concepts (`propose`) or creates them directly (`apply`). */
export const ImportMode = z.enum(["propose", "apply"])
export type ImportMode = z.infer<typeof ImportMode>

/** A BCP 47 language tag; only its form is checked. */
const Language = z.string().regex(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/)

/** Settings of an import. */
export const SkosImportSettings = z.object({
  mode: ImportMode.default("propose").describe(
    "propose: a change request for each new concept. apply: at once."
  ),
  dryRun: z.boolean().default(false).describe("Only say what would happen."),
  language: Language.default("en").describe("Whose preferred labels become the names, where there are some."),
  type: EntityType.default("concept").describe("The type of concepts that name none."),
  update: z
    .boolean()
    .optional()
    .describe(
      "Whether a newer edition changes the concepts that are there: labels, definitions, parents, retirements, and concepts that it leaves out. By default they are only counted."
    )
})

/** How concepts become entities. */
export const ImportOptions = z.strictObject({
  mode: ImportMode,
  /** Preferred language of names. */
  language: z.string(),
  /** Type of concepts that state none. */
  type: z.string(),
  /** Whether concepts that are there follow the document. */
  update: z.boolean().optional()
})
export type ImportOptions = z.infer<typeof ImportOptions>

const Count = z.int().min(0)

/** How a known concept differs from a newer edition. */
const editionChanges = ["changed", "moved", "retired", "gone"] as const
/** A difference of a newer edition of a vocabulary. */
export type EditionChange = (typeof editionChanges)[number]

/** Result of an import, or of its dry run. */
export const SkosImportReport = z.object({
  created: Count.describe("Concepts that become entities, or requests for them."),
  matched: Count.describe("Concepts that are entities already; without update they stay as they are."),
  joined: Count.describe(
    "Concepts that become one with another of their name, since an exactMatch or isReplacedBy joins them."
  ),
  renamed: z
    .array(z.object({ conceptId: z.string(), name: z.string().describe("The entity's name.") }))
    .describe("New concepts whose label another concept has as its name; at most 1,000."),
  changed: Count.describe("Known concepts whose texts, schemes, mappings or related concepts differ."),
  moved: Count.describe("Known concepts that have lost a parent."),
  retired: Count.describe("Known concepts that the document retires."),
  gone: Count.describe("Known concepts of these schemes that the document leaves out."),
  differences: z
    .array(z.object({ conceptId: z.string(), change: z.enum(editionChanges) }))
    .describe("The concepts counted as changed, moved, retired or gone; at most 1,000."),
  conflicts: z
    .array(
      z.object({
        conceptId: z.string().describe("The concept's IRI."),
        existingId: EntityId.nullable().describe(
          "Null for another concept of the same vocabulary, not made yet."
        ),
        reason: z
          .enum(["name_taken", "in_trash"])
          .describe("name_taken: no qualifier makes its name unique. in_trash: it was deleted here.")
      })
    )
    .describe("At most 1,000; a concept in conflict is left out."),
  skipped: Count.describe("Concepts that cannot be taken, or are proposed already."),
  relations: Count.describe(
    "Links between concepts that are no relations yet; each is one once both its ends are entities."
  ),
  collections: Count.describe("Collections of the vocabulary; each is kept with the concepts in it."),
  problems: z
    .array(
      z.object({
        conceptId: z.string(),
        reason: z.enum(["no_label", "label_too_long", "no_iri", "proposed_already", "broken_link"]),
        targetId: z.string().nullable().describe("Where a broken link leads.")
      })
    )
    .describe("Why concepts were skipped, and links to what is not there or was left out; at most 1,000."),
  notKept: z
    .array(NotKept)
    .describe(
      "What the document says besides and an export would not tell again; 100 words at most, those of SKOS first, then the most frequent."
    ),
  totals: z
    .object({
      conflicts: Count,
      renamed: Count,
      problems: Count,
      brokenLinks: Count.describe("Of the problems."),
      proposedAlready: Count.describe("Of the problems."),
      differences: Count,
      notKept: Count.describe("Statements.")
    })
    .describe("The length of each list before it was cut.")
})
export type SkosImportReport = z.infer<typeof SkosImportReport>

/** Maximum number of items in each list of a report. */
export const reportedMax = 1000

/** Maximum number of dropped predicates in a report. */
export const notKeptMax = 100

/** Result of an import, or of its dry run, with its job. */
export const SkosImportResult = SkosImportReport.extend({
  jobId: JobId.nullable().describe("The job that does it; null for a dry run.")
})
export type SkosImportResult = z.infer<typeof SkosImportResult>

/** The report of an import that has not started. */
export const noReport = (): SkosImportReport => ({
  created: 0,
  matched: 0,
  joined: 0,
  renamed: [],
  changed: 0,
  moved: 0,
  retired: 0,
  gone: 0,
  differences: [],
  conflicts: [],
  skipped: 0,
  relations: 0,
  collections: 0,
  problems: [],
  notKept: [],
  totals: {
    conflicts: 0,
    renamed: 0,
    problems: 0,
    brokenLinks: 0,
    proposedAlready: 0,
    differences: 0,
    notKept: 0
  }
})
