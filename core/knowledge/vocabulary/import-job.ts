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
  nextTurn,
  now,
  traced
} from "../../platform/kernel/index.js"
import { proposeChange } from "../curation/index.js"
import { commitEntities, decide, EntityStore, entitiesChanged, headOf, newRecord } from "../entities/index.js"
import { stateLinks } from "../graph/index.js"
import {
  applyTexts,
  type Difference,
  differencesOf,
  followLinks,
  giveUp,
  keepStated,
  retire
} from "./editions.js"
import { type Entry, entryOf, isRetired, statedBy } from "./entry.js"
import { conceptsPerUnit, type Link, linksOf, statableLinks } from "./import.js"
import type { SkosImportReport } from "./model.js"
import { type ConceptPlan, knownAs, noNamePlan, planConcepts } from "./plan-concept.js"
import { withBrokenLink, withDifferences, withOutcome } from "./report.js"
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
    yield* nextTurn
  }
})

/** Runs the work of an import as the caller who requested it. */
const asRequester = <A, E, R>({ askedBy, id }: ImportRun, work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Caller, (caller) =>
    Effect.provideService(work, Caller, { ...caller, actor: askedBy, activity: `skos_import:${id}` })
  )

const tellEnd = ({
  id,
  report: { changed, collections, created, gone, joined, matched, moved, relations, retired, skipped, totals }
}: ImportRun) =>
  record([
    {
      action: "skos.imported",
      subjectId: id,
      details: {
        created,
        matched,
        joined,
        changed,
        moved,
        retired,
        gone,
        conflicts: totals.conflicts,
        skipped,
        relations,
        collections
      }
    }
  ])

const takeConcepts = (run: ImportRun) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [yield* VocabularyStore, yield* Caller]
    const staged = yield* store.staged(workspace, run.id, run.nextConcept, conceptsPerUnit)
    const concepts = staged.map(({ concept }) => concept)
    const verdicts = yield* planConcepts(concepts, run.options, noNamePlan())
    const differences = yield* differencesOf(concepts, verdicts)
    const made = run.options.mode === "apply" ? yield* makeEntities(verdicts) : new Map<Entry, EntityId>()
    let report: SkosImportReport = run.report
    for (const [place, one] of staged.entries()) {
      const verdict = verdicts[place]
      if (verdict === undefined) continue
      const { iri } = one.concept
      if (verdict._tag === "Adopted")
        yield* store.add(workspace, [{ entityId: verdict.entityId, iri, details: verdict.entry.details }])
      if (verdict._tag === "New") yield* takeNew(run, one, verdict.entry, made.get(verdict.entry) ?? null)
      if (verdict._tag === "Joined") yield* takeJoined(run, one, verdict)
      if (verdict._tag === "LeftOut" && run.options.update === true)
        yield* giveUp(iri, verdict.entityId, run.options)
      const difference = differences.get(iri)
      if (difference?.changes.includes("changed") === true && run.options.update === true)
        yield* applyTexts(one.concept, difference, run.options)
      report = withDifferences(withOutcome(report, one.concept, verdict), iri, difference?.changes ?? [])
    }
    return { ...run, report, nextConcept: run.nextConcept + Math.max(1, staged.length) }
  })

/** Makes a concept one with another, or waits for the request that proposes the other. */
const takeJoined = (
  run: ImportRun,
  { concept, place }: StagedConcept,
  { entry, into }: Extract<ConceptPlan, { readonly _tag: "Joined" }>
) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [yield* VocabularyStore, yield* Caller]
    const head = (yield* knownAs([into])).get(into)?.head ?? null
    if (head !== null) return yield* join(concept.iri, entry, head)
    const [request] = yield* store.proposed(workspace, [into])
    if (request !== undefined)
      yield* store.note(workspace, run.id, [{ place, requestId: request.requestId, made: false }])
  })

/** Creates the entity of a concept merged into that of another, so that both IRIs and all labels mean one entity. */
const join = (iri: string, { aliases, description, details, name, type }: Entry, into: EntityId) =>
  Effect.gen(function* () {
    const [store, entities, { workspace }] = [yield* VocabularyStore, yield* EntityStore, yield* Caller]
    const [ids, at, head] = [yield* Ids, yield* now, yield* headOf(into)]
    const id = ids.make("entity")
    const given = { id, name, type, aliases, description, origin: "import", authority: "asserted" } as const
    const after = newRecord({ ...given, mergedInto: head.id }, at)
    yield* commitEntities([
      { before: null, after, changeKind: "create", note: null },
      {
        before: head,
        after: yield* decide(head, { _tag: "Absorb", merged: id }),
        changeKind: "merge",
        note: null
      }
    ])
    yield* entities.setHead(workspace, [id], head.id)
    yield* store.add(workspace, [{ entityId: id, iri, details }])
  }).pipe(Effect.orDie)

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
      yield* nextTurn
    }
  })

/** Assigns IRI and texts to approved concepts; unstages rejected ones and those that now are another concept. */
const applyDecided = (run: ImportRun, staged: ReadonlyArray<StagedConcept>) =>
  Effect.gen(function* () {
    const [store, requests, { workspace }] = [
      yield* VocabularyStore,
      (yield* EntityStore).requests,
      yield* Caller
    ]
    const finishedPlaces: Array<number> = []
    for (const { concept, place, requestId } of staged) {
      if (requestId === null || (yield* store.byIri(workspace, [concept.iri])).length > 0) continue
      const request = Option.getOrNull(yield* requests.find(workspace, requestId))
      if (request?.status === "open") continue
      const entityId = request?.status === "approved" ? request.appliedEntityId : null
      const entry = entryOf(concept, run.options)
      if (concept.plan?.joins !== undefined && entityId !== null && typeof entry !== "string") {
        // The request is that of the other concept.
        yield* join(concept.iri, entry, entityId)
        continue
      }
      const isOther = entityId !== null && (yield* store.byEntity(workspace, [entityId])).length > 0
      if (entityId === null || isOther || typeof entry === "string") finishedPlaces.push(place)
      else yield* store.add(workspace, [{ entityId, iri: concept.iri, details: entry.details }])
    }
    yield* store.unstage(workspace, run.id, finishedPlaces)
  })

/**
 * Creates the relations between staged concepts whose ends both exist, makes known concepts follow a newer edition
 * where that is wanted, and unstages concepts without open links.
 */
const connect = (run: ImportRun, staged: ReadonlyArray<StagedConcept>, before: SkosImportReport) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [yield* VocabularyStore, yield* Caller]
    const { options } = run
    const targets = staged.flatMap(({ concept }) => linksOf(concept).map(({ target }) => target))
    const iris = [...new Set([...targets, ...staged.map(({ concept }) => concept.iri)])]
    const known = yield* knownAs(iris)
    const proposed = new Set((yield* store.proposed(workspace, iris)).map(({ iri }) => iri))
    const headOfIri = (iri: string | null): EntityId | null =>
      iri === null ? null : (known.get(iri)?.head ?? null)
    const waits = (iri: string): boolean => !known.has(iri) && proposed.has(iri)
    const differences = yield* knownDifferences(staged, headOfIri, (iri) => known.get(iri)?.id ?? null)
    let report = before
    const finishedPlaces: Array<number> = []
    for (const one of staged) {
      const { iri, plan, replacedBy } = one.concept
      if (waits(iri)) continue
      const own = headOfIri(iri)
      if (own !== null && plan?.leftOut !== true) {
        const difference = differences.get(iri)
        if (difference !== undefined && options.update === true) {
          const restored = yield* followLinks(one.concept, difference)
          report = { ...report, relations: report.relations + restored }
        }
        const links = statableLinks(one.concept, difference, options)
        report = yield* stated(report, iri, own, links, headOfIri, waits)
        if (links.some(({ target }) => waits(target))) continue
        const isNew = (one.made || one.requestId !== null) && plan?.joins === undefined
        const retires = difference?.changes.includes("retired") === true && options.update === true
        if (isNew && isRetired(one.concept)) yield* retire(own, headOfIri(replacedBy), { mode: "apply" })
        else if (retires) yield* retire(own, headOfIri(replacedBy), options)
        if (difference !== undefined && (options.update === true || isSettled(difference)))
          yield* keepStated(difference.stored, statedBy(one.concept))
      }
      finishedPlaces.push(one.place)
    }
    yield* store.unstage(workspace, run.id, finishedPlaces)
    return report
  })

/** Whether a known concept stands where its vocabulary puts it, so that the next edition is compared with this one. */
const isSettled = ({ changes, stale }: Difference): boolean =>
  stale.broader.length === 0 && stale.related.length === 0 && !changes.includes("retired")

/** Compares the staged concepts that this import did not create with the document. */
const knownDifferences = (
  staged: ReadonlyArray<StagedConcept>,
  headOfIri: (iri: string) => EntityId | null,
  ownIdOf: (iri: string) => EntityId | null
) => {
  const concepts = staged.flatMap(({ concept, made, requestId }) =>
    made || requestId !== null || concept.plan?.leftOut === true ? [] : [concept]
  )
  const verdicts = concepts.map(({ iri }): ConceptPlan => {
    const [entityId, ownId] = [headOfIri(iri), ownIdOf(iri)]
    return entityId === null || ownId === null
      ? { _tag: "Skipped", reason: "no_label" }
      : { _tag: "Matched", entityId, ownId }
  })
  return differencesOf(concepts, verdicts)
}

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
