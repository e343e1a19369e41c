import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { record } from "../../platform/audit/index.js"
import { announce } from "../../platform/jobs/index.js"
import {
  atomically,
  Caller,
  crashPoint,
  type EntityId,
  Ids,
  type JobId,
  now,
  traced
} from "../../platform/kernel/index.js"
import { ChangeRequestStore, deprecate, proposeChange } from "../curation/index.js"
import { commitEntities, entitiesChanged, newRecord } from "../entities/index.js"
import { stateLinks } from "../graph/index.js"
import { type Entry, entryOf } from "./entry.js"
import { conceptsPerUnit, type Link, linksOf } from "./import.js"
import type { Concept, SkosImportReport } from "./model.js"
import { type ConceptPlan, knownAs, nameKey, planConcept } from "./plan-concept.js"
import { withBrokenLink, withOutcome } from "./report.js"
import { type ImportRun, type StagedConcept, VocabularyStore } from "./store.js"

type OnProgress = (done: number, total: number) => Effect.Effect<void>

/**
 * Continues an import in units of work that each store their progress: concepts first, then the links between them.
 * Does nothing if the import is finished or unknown.
 */
export const runImport = traced("vocabulary.work")(function* (id: JobId, onProgress: OnProgress) {
  const [store, caller] = [yield* VocabularyStore, yield* Caller]
  const step = Effect.gen(function* () {
    const run = yield* store.run(caller.workspace, id)
    if (run === null || run.nextLink >= run.total) return null
    const next: ImportRun =
      run.nextConcept < run.total
        ? yield* asRequester(run, takeConcepts(run))
        : yield* asRequester(run, takeLinks(run))
    yield* store.saveRun(caller.workspace, next)
    yield* crashPoint("vocabulary.unit.insideTransaction")
    // Published once at the end, because subscribers would otherwise run after every unit.
    if (next.nextLink >= next.total)
      yield* asRequester(next, Effect.zipRight(announce(entitiesChanged, {}), tellEnd(next)))
    return next
  })
  for (;;) {
    const run = yield* atomically(step)
    // Requests decided while the import was still proposing are processed now.
    if (run === null) return yield* continueImports()
    yield* crashPoint("vocabulary.unit.afterTransaction")
    yield* onProgress(run.nextConcept + run.nextLink, 2 * run.total)
    yield* Effect.yieldNow()
  }
})

/** Runs the work of an import as the caller who requested it. */
const asRequester = <A, E, R>({ askedBy, id }: ImportRun, work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Caller, (caller) =>
    Effect.provideService(work, Caller, { ...caller, actor: askedBy, activity: `skos_import:${id}` })
  )

const tellEnd = ({
  id,
  report: { collections, conflicts, created, matched, relations, skipped }
}: ImportRun) =>
  record([
    {
      action: "skos.imported",
      subjectId: id,
      details: { created, matched, conflicts: conflicts.length, skipped, relations, collections }
    }
  ])

const takeConcepts = (run: ImportRun) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [yield* VocabularyStore, yield* Caller]
    const staged = yield* store.staged(workspace, run.id, run.nextConcept, conceptsPerUnit)
    const concepts = staged.map(({ concept }) => concept)
    const verdicts = yield* planConcept(concepts, run.options, new Map())
    const made = run.options.mode === "apply" ? yield* makeEntities(verdicts) : new Map<Entry, EntityId>()
    const byName = new Map([...made].map(([entry, id]) => [nameKey(entry), id]))
    let report: SkosImportReport = run.report
    for (const [place, one] of staged.entries()) {
      const verdict = verdicts[place]
      if (verdict === undefined) continue
      const { iri } = one.concept
      if (verdict._tag === "Adopted")
        yield* store.add(workspace, [{ entityId: verdict.entityId, iri, details: verdict.entry.details }])
      if (verdict._tag === "New") yield* takeNew(run, one, verdict.entry, made.get(verdict.entry) ?? null)
      report = withOutcome(report, one.concept, withCreatedEntity(verdict, byName))
    }
    return { ...run, report, nextConcept: run.nextConcept + Math.max(1, staged.length) }
  })

/** A name conflict within the same unit refers to the entity created there. */
const withCreatedEntity = (verdict: ConceptPlan, made: ReadonlyMap<string, EntityId>): ConceptPlan =>
  verdict._tag === "Conflict" && verdict.existingId === null && verdict.key !== undefined
    ? { ...verdict, existingId: made.get(verdict.key) ?? null }
    : verdict

const takeNew = (run: ImportRun, { concept, place }: StagedConcept, entry: Entry, made: EntityId | null) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [yield* VocabularyStore, yield* Caller]
    if (made !== null) {
      yield* store.add(workspace, [{ entityId: made, iri: concept.iri, details: entry.details }])
      yield* store.note(workspace, run.id, [{ place, requestId: null, made: true }])
      return
    }
    const { aliases, description, name, type } = entry
    const request = yield* Effect.orDie(
      proposeChange({
        kind: "create",
        payload: { name, type, aliases, ...(description === null ? {} : { description }) },
        note: `From the vocabulary: ${concept.iri}`.slice(0, noteMax)
      })
    )
    yield* store.note(workspace, run.id, [{ place, requestId: request.id, made: false }])
  })

const noteMax = 4000

/** Creates the entities of new concepts together. */
const makeEntities = (verdicts: ReadonlyArray<ConceptPlan>) =>
  Effect.gen(function* () {
    const [ids, at] = [yield* Ids, yield* now]
    const made = new Map<Entry, EntityId>()
    const records = verdicts.flatMap((verdict) => {
      if (verdict._tag !== "New") return []
      const { aliases, description, name, type } = verdict.entry
      const id = ids.make("entity")
      made.set(verdict.entry, id)
      const personFields =
        description === null ? (["name", "type"] as const) : (["description", "name", "type"] as const)
      const given = {
        id,
        name,
        type,
        aliases,
        description,
        personFields,
        origin: "import",
        authority: "asserted"
      } as const
      return [newRecord(given, at)]
    })
    if (records.length === 0) return made
    yield* commitEntities(records.map((after) => ({ before: null, after, changeKind: "create", note: null })))
    return made
  })

const takeLinks = (run: ImportRun) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [yield* VocabularyStore, yield* Caller]
    const staged = yield* store.staged(workspace, run.id, run.nextLink, conceptsPerUnit)
    const report = yield* connect(run, staged, run.report)
    const last = staged.at(-1)
    return { ...run, report, nextLink: last === undefined ? run.total : last.place + 1 }
  })

/**
 * Continues imports whose change requests were decided: approved concepts get their IRI and texts, then relations are
 * created between existing ends.
 */
export const continueImports = traced("vocabulary.settle")(function* () {
  const [store, { workspace }] = [yield* VocabularyStore, yield* Caller]
  const runs = yield* store.waiting(workspace)
  if (runs.length === 0) return
  for (const run of runs) yield* forEachStaged(run, (staged) => applyDecided(run, staged))
  for (const run of runs) yield* forEachStaged(run, (staged) => connect(run, staged, run.report))
  yield* announce(entitiesChanged, {})
})

/** Applies a step to all staged concepts of an import, in units of work. */
const forEachStaged = <A, E, R>(
  run: ImportRun,
  work: (staged: ReadonlyArray<StagedConcept>) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [yield* VocabularyStore, yield* Caller]
    for (let from = 0; ; ) {
      const start = from
      const last = yield* atomically(
        Effect.gen(function* () {
          const staged = yield* store.staged(workspace, run.id, start, conceptsPerUnit)
          yield* asRequester(run, work(staged))
          return staged.at(-1)?.place
        })
      )
      yield* crashPoint("vocabulary.unit.afterTransaction")
      if (last === undefined) return
      from = last + 1
      yield* Effect.yieldNow()
    }
  })

/** Assigns IRI and texts to approved concepts; unstages rejected ones and those that now are another concept. */
const applyDecided = (run: ImportRun, staged: ReadonlyArray<StagedConcept>) =>
  Effect.gen(function* () {
    const [store, requests, { workspace }] = [
      yield* VocabularyStore,
      yield* ChangeRequestStore,
      yield* Caller
    ]
    const finishedPlaces: Array<number> = []
    for (const { concept, place, requestId } of staged) {
      if (requestId === null || (yield* store.byIri(workspace, [concept.iri])).length > 0) continue
      const request = Option.getOrNull(yield* requests.find(workspace, requestId))
      if (request?.status === "open") continue
      const entityId = request?.status === "approved" ? request.appliedEntityId : null
      const entry = entryOf(concept, run.options)
      const isOther = entityId !== null && (yield* store.byEntity(workspace, [entityId])).length > 0
      if (entityId === null || isOther || typeof entry === "string") finishedPlaces.push(place)
      else yield* store.add(workspace, [{ entityId, iri: concept.iri, details: entry.details }])
    }
    yield* store.unstage(workspace, run.id, finishedPlaces)
  })

/** Creates the relations between staged concepts whose ends both exist, and unstages concepts without open links. */
const connect = (run: ImportRun, staged: ReadonlyArray<StagedConcept>, before: SkosImportReport) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [yield* VocabularyStore, yield* Caller]
    const targets = staged.flatMap(({ concept }) => linksOf(concept).map(({ target }) => target))
    const iris = [...new Set([...targets, ...staged.map(({ concept }) => concept.iri)])]
    const known = yield* knownAs(iris)
    const proposed = new Set(yield* store.proposed(workspace, iris))
    const headOfIri = (iri: string | null): EntityId | null =>
      iri === null ? null : (known.get(iri)?.head ?? null)
    const waits = (iri: string): boolean => !known.has(iri) && proposed.has(iri)
    let report = before
    const finishedPlaces: Array<number> = []
    for (const one of staged) {
      const { iri, replacedBy } = one.concept
      if (waits(iri)) continue
      const own = headOfIri(iri)
      const links = linksOf(one.concept)
      if (own !== null) {
        report = yield* stated(report, iri, own, links, headOfIri, waits)
        if (links.some(({ target }) => waits(target))) continue
        if (one.made || one.requestId !== null) yield* retire(one.concept, own, headOfIri(replacedBy))
      }
      finishedPlaces.push(one.place)
    }
    yield* store.unstage(workspace, run.id, finishedPlaces)
    return report
  })

const stated = (
  before: SkosImportReport,
  iri: string,
  own: EntityId,
  links: ReadonlyArray<Link>,
  headOfIri: (iri: string) => EntityId | null,
  waits: (iri: string) => boolean
) =>
  Effect.gen(function* () {
    const ends = links.flatMap(({ target, type }) => {
      const end = headOfIri(target)
      return end === null || type === null ? [] : [{ src: own, type, dst: end }]
    })
    const relations = before.relations + (yield* stateLinks(ends))
    return links
      .filter(({ target }) => headOfIri(target) === null && !waits(target))
      .reduce((report, { target }) => withBrokenLink(report, iri, target), { ...before, relations })
  })

/** Deprecates a concept that its vocabulary deprecates, or supersedes it if its successor is published. */
const retire = (concept: Concept, id: EntityId, successor: EntityId | null) => {
  if (!concept.deprecated && concept.replacedBy === null) return Effect.void
  const note = "Its vocabulary has given it up."
  const alone = deprecate(id, undefined, note)
  const work = successor === null ? alone : Effect.catchAll(deprecate(id, successor, note), () => alone)
  // Ignored: another user has retired or removed the entity meanwhile.
  return Effect.catchAll(Effect.asVoid(work), () => Effect.void)
}
