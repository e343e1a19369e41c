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
  traced,
  yieldToEventLoop
} from "../../platform/kernel/index.js"
import { headOf } from "../entities/index.js"
import { alreadyRelated } from "../graph/index.js"
import { type Difference, differencesOf, leftOutOf } from "./editions.js"
import { isRetired } from "./entry.js"
import type { Concept, ImportOptions, SkosImportReport, SkosImportResult, Vocabulary } from "./model.js"
import {
  type ConceptPlan,
  type Known,
  knownAs,
  noNamePlan,
  planConcepts,
  sameConcepts
} from "./plan-concept.js"
import { firstReport, withBrokenLink, withDifferences, withOutcome } from "./report.js"
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
  const { concepts, report } = yield* planImport(vocabulary, options)
  const jobId = dryRun ? null : yield* begin({ ...vocabulary, concepts }, options)
  return { ...report, jobId } satisfies SkosImportResult
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

/**
 * Returns the report of what an import would do now, and the concepts with what is planned for them: those that join
 * another come after the others, then known ones that the document leaves out.
 */
const planImport = (vocabulary: Vocabulary, options: ImportOptions) =>
  Effect.gen(function* () {
    const { concepts } = vocabulary
    const turn = yieldToEventLoop()
    let report = firstReport(vocabulary)
    const known = new Set<string>()
    for (const page of pagesOf(concepts)) {
      yield* turn
      for (const iri of (yield* knownAs(page.map(({ iri }) => iri))).keys()) known.add(iri)
    }
    const sameAs = new Map(yield* sameConcepts(concepts, options, (iri) => known.has(iri)))
    for (const iri of known) sameAs.delete(iri)
    const names = { ...noNamePlan(), sameAs, schemeNames: schemeNamesOf(vocabulary) }
    /** The concepts that will exist, with their entities if they exist already. */
    const ends = new Map<string, EntityId | null>()
    const verdicts = new Map<string, ConceptPlan>()
    const differences = new Map<string, Difference>()
    const planning = function* (some: ReadonlyArray<Concept>) {
      for (const page of pagesOf(some)) {
        yield* turn
        const found = yield* planConcepts(page, options, names)
        for (const [iri, one] of yield* differencesOf(page, found)) differences.set(iri, one)
        for (const [place, { iri }] of page.entries()) {
          const verdict = found[place]
          if (verdict === undefined) continue
          verdicts.set(iri, verdict)
          if (verdict._tag === "New") ends.set(iri, null)
          else if (verdict._tag === "Joined") ends.set(iri, ends.get(verdict.into) ?? null)
          else if ("entityId" in verdict) ends.set(iri, verdict.entityId)
        }
      }
    }
    // Concepts in use take their names first.
    const firsts = concepts.filter(({ iri }) => !sameAs.has(iri))
    yield* planning([...firsts.filter((one) => !isRetired(one)), ...firsts.filter(isRetired)])
    const members = concepts.filter(({ iri }) => sameAs.has(iri))
    for (const [iri, into] of sameAs) if (!ends.has(into)) sameAs.delete(iri)
    yield* planning([...members.filter((one) => !isRetired(one)), ...members.filter(isRetired)])
    const isJoined = ({ iri }: Concept): boolean => verdicts.get(iri)?._tag === "Joined"
    const gone = yield* leftOutOf(concepts)
    const planned = [
      ...[...concepts.filter((one) => !isJoined(one)), ...concepts.filter(isJoined)].map((one) =>
        withPlan(one, verdicts.get(one.iri))
      ),
      ...gone
    ]
    for (const concept of planned) {
      const verdict = verdicts.get(concept.iri)
      const outcome = concept.plan?.leftOut === true ? ({ _tag: "LeftOut" } as const) : verdict
      if (outcome !== undefined) report = withOutcome(report, concept, outcome)
      report = withDifferences(report, concept.iri, differences.get(concept.iri)?.changes ?? [])
    }
    for (const page of pagesOf(planned.filter(({ iri }) => ends.has(iri)))) {
      yield* turn
      const elsewhere = yield* knownAs([
        ...new Set(page.flatMap(linksOf).flatMap(({ target }) => (ends.has(target) ? [] : [target])))
      ])
      for (const concept of page)
        report = yield* foreseeLinks(
          report,
          concept,
          statableLinks(concept, differences.get(concept.iri), options),
          ends,
          elsewhere
        )
    }
    return { report, concepts: planned }
  })

const withPlan = (concept: Concept, verdict: ConceptPlan | undefined): Concept => {
  if (verdict?._tag === "Joined") return { ...concept, plan: { joins: verdict.into } }
  const qualified = verdict?._tag === "New" ? verdict.entry.details.qualified : undefined
  return qualified === undefined ? concept : { ...concept, plan: { name: qualified.name } }
}

/** Returns the labels of schemes: the first in English or without a language, else the first. */
const schemeNamesOf = ({ groupings }: Vocabulary): ReadonlyMap<string, string> =>
  new Map(
    groupings.flatMap(({ iri, of, texts }) => {
      const labels = texts.filter(({ kind }) => kind === "prefLabel")
      const [first] = [...labels.filter(({ language }) => language === "" || language === "en"), ...labels]
      return of === "scheme" && first !== undefined ? [[iri, first.text.trim()] as const] : []
    })
  )

const foreseeLinks = (
  before: SkosImportReport,
  concept: Concept,
  links: ReadonlyArray<Link>,
  ends: ReadonlyMap<string, EntityId | null>,
  elsewhere: ReadonlyMap<string, Known>
) =>
  Effect.gen(function* () {
    let report = before
    const own = ends.get(concept.iri) ?? null
    for (const { target, type } of links) {
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

/**
 * Returns the links of a concept that become relations. A known concept that has lost a parent gets no new one unless
 * the old one goes: with both it would stand where no edition puts it.
 */
export const statableLinks = (
  concept: Concept,
  difference: Difference | undefined,
  { update }: Pick<ImportOptions, "update">
): ReadonlyArray<Link> => {
  const keepsOld = update !== true && difference !== undefined && difference.stale.broader.length > 0
  return linksOf(concept).filter(({ type }) => !(keepsOld && type === "broader"))
}

export const linksOf = ({ broader, related, replacedBy }: Concept): ReadonlyArray<Link> => [
  ...broader.map((target): Link => ({ target, type: "broader" })),
  ...related.map((target): Link => ({ target, type: "related" })),
  ...(replacedBy === null ? [] : [{ target: replacedBy, type: null }])
]
