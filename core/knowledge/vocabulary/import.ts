import * as Effect from "effect/Effect"
import { record } from "../../platform/audit/index.js"
import { enqueue, jobKinds } from "../../platform/jobs/index.js"
import {
  atomically,
  Caller,
  type EntityId,
  invalid,
  type JobId,
  NotFound,
  traced
} from "../../platform/kernel/index.js"
import { headOf } from "../entities/index.js"
import { alreadyRelated } from "../graph/index.js"
import type { Concept, ImportOptions, SkosImportReport, SkosImportResult, Vocabulary } from "./model.js"
import { type Known, knownAs, planConcept } from "./plan-concept.js"
import { firstReport, withBrokenLink, withOutcome } from "./report.js"
import { RdfReader, type RdfSource, VocabularyStore } from "./store.js"

/** Concepts per unit of work. */
export const conceptsPerUnit = 100

/**
 * Imports a vocabulary: parses and plans it, then leaves the work to a job unless it is a dry run. Fails when the
 * document is no RDF, refers to a remote context, or has no concept.
 */
export const importSkos = traced("vocabulary.import")(function* (
  source: RdfSource,
  { dryRun, ...options }: ImportOptions & { readonly dryRun: boolean }
) {
  const vocabulary = yield* (yield* RdfReader).read(source)
  if (vocabulary.concepts.length === 0)
    return yield* invalid(["document"], "no_concepts", emptiness(vocabulary))
  const foreseen = yield* planImport(vocabulary, options)
  const jobId = dryRun ? null : yield* begin(vocabulary, options)
  return { ...foreseen, jobId } satisfies SkosImportResult
})

const emptiness = ({ unnamed: [first, ...others] }: Vocabulary): string =>
  first === undefined
    ? "There is no skos:Concept in it."
    : `None of its concepts (${others.length + 1}, such as ${first}) has an absolute IRI by which it could be known again. Where they are relative, the document needs a base.`

/** Returns the progress of an import. NotFound for an unknown or deleted import. */
export const importReport = (id: JobId) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [yield* VocabularyStore, yield* Caller]
    return (yield* store.run(workspace, id))?.report ?? (yield* new NotFound({ what: "import" }))
  })

/** Returns the stored concept of an entity: its IRI and its texts by language. */
export const conceptOf = (id: EntityId) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [yield* VocabularyStore, yield* Caller]
    const head = yield* headOf(id)
    const [concept] = yield* store.byEntity(workspace, [head.id])
    if (concept === undefined) return null
    const { details, iri } = concept
    return { iri, schemes: details.schemes, texts: details.texts }
  })

const begin = (vocabulary: Vocabulary, options: ImportOptions) =>
  atomically(
    Effect.gen(function* () {
      const [store, { activity, actor, workspace }] = [yield* VocabularyStore, yield* Caller]
      const [job] = yield* enqueue([{ kind: jobKinds.vocabulary }])
      if (job === undefined) return yield* Effect.dieMessage("The queue returned no job.")
      const { concepts, groupings } = vocabulary
      const report = firstReport(vocabulary)
      const [nextConcept, nextLink] = [0, 0]
      const run = {
        id: job.id,
        options,
        total: concepts.length,
        askedBy: actor,
        nextConcept,
        nextLink,
        report
      }
      yield* store.begin(workspace, { ...run, activity }, { concepts, groupings })
      const details = { concepts: concepts.length, mode: options.mode }
      yield* record([{ action: "skos.import", subjectId: job.id, details }])
      return job.id
    })
  )

/** Returns the report of what an import would do now. */
const planImport = (vocabulary: Vocabulary, options: ImportOptions) =>
  Effect.gen(function* () {
    const { concepts } = vocabulary
    let report = firstReport(vocabulary)
    const taken = new Map<string, EntityId | null>()
    /** The concepts that will exist, with their entities if they exist already. */
    const ends = new Map<string, EntityId | null>()
    for (const page of pagesOf(concepts)) {
      const verdicts = yield* planConcept(page, options, taken)
      for (const [place, concept] of page.entries()) {
        const verdict = verdicts[place]
        if (verdict === undefined) continue
        if (verdict._tag === "New") ends.set(concept.iri, null)
        else if ("entityId" in verdict) ends.set(concept.iri, verdict.entityId)
        report = withOutcome(report, concept, verdict)
      }
      yield* Effect.yieldNow()
    }
    for (const page of pagesOf(concepts.filter(({ iri }) => ends.has(iri)))) {
      const elsewhere = yield* knownAs([
        ...new Set(page.flatMap(linksOf).flatMap(({ target }) => (ends.has(target) ? [] : [target])))
      ])
      for (const concept of page) report = yield* foreseeLinks(report, concept, ends, elsewhere)
    }
    return report
  })

const foreseeLinks = (
  before: SkosImportReport,
  concept: Concept,
  ends: ReadonlyMap<string, EntityId | null>,
  elsewhere: ReadonlyMap<string, Known>
) =>
  Effect.gen(function* () {
    let report = before
    const own = ends.get(concept.iri) ?? null
    for (const { target, type } of linksOf(concept)) {
      const end = ends.get(target) ?? elsewhere.get(target)?.head ?? null
      if (end === null && !ends.has(target)) report = withBrokenLink(report, concept.iri, target)
      else if (type !== null && (own === null || end === null || !(yield* alreadyRelated(own, type, end))))
        report = { ...report, relations: report.relations + 1 }
    }
    return report
  })

const pagesOf = (concepts: ReadonlyArray<Concept>): ReadonlyArray<ReadonlyArray<Concept>> =>
  Array.from({ length: Math.ceil(concepts.length / conceptsPerUnit) }, (_, page) =>
    concepts.slice(page * conceptsPerUnit, (page + 1) * conceptsPerUnit)
  )

/** A link of a concept with its relation type; null for its successor, which is no relation. */
export interface Link {
  readonly target: string
  readonly type: LinkType | null
}
type LinkType = "broader" | "related"

export const linksOf = ({ broader, related, replacedBy }: Concept): ReadonlyArray<Link> => [
  ...broader.map((target): Link => ({ target, type: "broader" })),
  ...related.map((target): Link => ({ target, type: "related" })),
  ...(replacedBy === null ? [] : [{ target: replacedBy, type: null }])
]
