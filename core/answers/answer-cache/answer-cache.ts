import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { DocumentStore } from "../../files/documents/index.js"
import { type Detectors, detectEntities, EntityStore } from "../../knowledge/entities/index.js"
import {
  Caller,
  canonicalJson,
  currentView,
  Ids,
  millisOf,
  now,
  serviceLayer,
  timestampOf,
  type WorkspaceScope,
  withSpan
} from "../../platform/kernel/index.js"
import type { Models } from "../../platform/models/index.js"
import { WorkspaceStore } from "../../platform/workspace/index.js"
import {
  AnswerCache,
  AnswerStore,
  answerVersions,
  type CacheBounds,
  type CacheCounts,
  type CacheEntry,
  type CacheLookup,
  type CacheOutcome,
  type CacheQuestion,
  type KeptAnswer,
  noCacheLookup,
  type WrittenAnswer
} from "../answering/index.js"
import type { Evidence as AnswerEvidence } from "../evidence/index.js"
import { markersIn } from "../generation/index.js"
import { answersAgree, type Gist } from "./agreement.js"
import { isCacheable, withCurrentSources } from "./cacheable.js"
import { countNames } from "./guards.js"
import { answerSettings, type CacheKeys, cacheKeys, versionsKey } from "./keys.js"
import { findCachedAnswer } from "./lookup.js"

/** Limits of a workspace's cache; answers are small and expire after a week. */
export const cacheBounds: CacheBounds = { entries: 2000, bytes: 16 * 1024 * 1024 }

/** Days after which an answer expires. */
const cacheDays = 7
const dayMs = 86_400_000

/** Interfaces whose questions use the cache. Agent runs and jobs neither read nor write it. */
const cachedInterfaces = new Set(["ui", "api", "mcp"])

type Services = AnswerStore | DocumentStore | EntityStore | Detectors | WorkspaceStore | Models | Ids

/** Provides the answer cache over its stores. */
export const answerCache = serviceLayer(
  AnswerCache,
  Effect.gen(function* () {
    const context = yield* Effect.context<Services>()
    return {
      open: (workspace, question) =>
        open(workspace, question).pipe(
          Effect.provide(context),
          Effect.map((lookup) => ({
            ...lookup,
            settle: (outcome: CacheOutcome) => Effect.provide(lookup.settle(outcome), context)
          })),
          withSpan("cache.open"),
          Effect.catchAllCause((cause) =>
            Cause.isInterruptedOnly(cause)
              ? Effect.failCause(cause)
              : Effect.as(Effect.logWarning("The answer cache could not be asked.", cause), noCacheLookup)
          ),
          Effect.catchAll(() => Effect.succeed(noCacheLookup))
        )
    }
  })
)

interface OpenLookup extends Omit<CacheLookup, "settle"> {
  readonly settle: (outcome: CacheOutcome) => Effect.Effect<void, never, Services>
}

const open = (workspace: WorkspaceScope, question: CacheQuestion) =>
  Effect.gen(function* () {
    const { evidence, includeData, settings } = question
    // Rows of a database change without notice, and without passages there is no answer to cache.
    if (settings.cacheMode === "off" || includeData || evidence.sources.length === 0) return noCacheLookup
    const caller = yield* Effect.serviceOption(Caller)
    if (Option.isSome(caller) && !cachedInterfaces.has(caller.value.activity)) return noCacheLookup
    // Callers who may read different documents get different answers, so the view is part of the key.
    const view = (yield* currentView)?.key ?? null
    const keys = cacheKeys(question, (yield* Ids).sha256, view)
    const found = yield* findCachedAnswer(workspace, question, keys, yield* now)
    const cachedAnswer = found.entry === null ? null : withCurrentSources(found.entry.kept, evidence)
    const entry = cachedAnswer === null ? null : found.entry
    const keyed: KeyedQuestion = { workspace, question, keys }
    if (entry === null || cachedAnswer === null) {
      const counts = {
        [countNames.misses]: 1,
        ...(found.refusal === null ? {} : { [countNames.refused(found.refusal)]: 1 })
      }
      return {
        status: "miss",
        cachedAnswer: null,
        settle: (outcome) => settleNew(keyed, outcome, counts)
      } satisfies OpenLookup
    }
    if (settings.cacheMode === "on")
      return {
        status: "hit",
        cachedAnswer,
        settle: () => settleHit(workspace, entry)
      } satisfies OpenLookup
    return {
      status: "shadow_hit",
      cachedAnswer: null,
      settle: (outcome) => settleShadow(keyed, outcome, entry, cachedAnswer)
    } satisfies OpenLookup
  })

/** A question with its cache keys. */
interface KeyedQuestion {
  readonly workspace: WorkspaceScope
  readonly question: CacheQuestion
  readonly keys: CacheKeys
}

const settleHit = (workspace: WorkspaceScope, { id }: CacheEntry) =>
  Effect.gen(function* () {
    const store = (yield* AnswerStore).cache
    yield* store.add(workspace, { [countNames.hits]: 1 })
    yield* store.use(workspace, id, yield* now)
  })

/** Compares the cached answer with the one given, in shadow mode. */
const settleShadow = (
  keyed: KeyedQuestion,
  outcome: CacheOutcome,
  { kept }: CacheEntry,
  cachedAnswer: WrittenAnswer
) =>
  Effect.gen(function* () {
    const { keys, question, workspace } = keyed
    const { verdict } = kept
    const before = yield* gistOf(workspace, question.evidence, cachedAnswer, verdict)
    const after = yield* gistOf(workspace, question.evidence, outcome, verdictOf(outcome))
    const agrees = outcome.answerable && answersAgree(before, after)
    yield* settleNew(keyed, outcome, {
      [countNames.shadowHits]: 1,
      [countNames.compared(keys.versions)]: 1,
      ...(agrees ? {} : { [countNames.disagreed(keys.versions)]: 1 })
    })
  })

/** Counts the outcome, and stores the answer if it is cacheable and nothing that it depends on has changed since. */
const settleNew = (keyed: KeyedQuestion, outcome: CacheOutcome, counts: CacheCounts) =>
  Effect.gen(function* () {
    const { keys, question, workspace } = keyed
    const { settings } = question
    const store = (yield* AnswerStore).cache
    yield* store.add(workspace, counts)
    const days = Math.min(cacheDays, settings.retention.answerDays)
    const { entities, question: read, sources } = question.evidence
    if (days === 0 || !isCacheable(read.text, outcome) || !(yield* isUnchanged(keyed))) return
    const createdAt = yield* now
    const entityIds = [...new Set(entities.map(({ id }) => id))].sort()
    const answerToKeep: KeptAnswer = {
      answer: outcome.answer,
      claims: outcome.claims,
      checks: outcome.checks,
      sources: sources.map(({ id, passage }) => ({ id, chunkId: passage.id })),
      entityIds,
      verdict: verdictOf(outcome),
      of: keys.id
    }
    // Without stored questions, only an equal text finds the answer again.
    const text = settings.policy.keepQuestions ? read.text : ""
    const entry = { ...keys, question: text, kept: answerToKeep, createdAt }
    const expiresAt = timestampOf(millisOf(createdAt) + days * dayMs)
    const documents = [...new Set(sources.map(({ passage }) => passage.documentId))]
    yield* store.put(workspace, { ...entry, expiresAt }, { documents, entities: entityIds }, cacheBounds)
  })

/**
 * Returns whether everything that the answer depends on is unchanged. Earlier changes could not invalidate the entry,
 * which did not exist yet; later ones will.
 */
const isUnchanged = ({ keys, question: { evidence, settings }, workspace }: KeyedQuestion) =>
  Effect.gen(function* () {
    const present = yield* (yield* WorkspaceStore).get(workspace)
    if (answerSettings(present.settings) !== answerSettings(settings)) return false
    const versions = versionsKey(yield* answerVersions(workspace), (yield* Ids).sha256)
    if (versions !== keys.versions) return false
    const labels = evidence.sources.map(({ passage }) => passage.label)
    const passages = yield* (yield* DocumentStore).passages(workspace, labels)
    const byLabel = new Map(passages.map((passage) => [passage.label, canonicalJson(passage)]))
    if (!evidence.sources.every(({ passage }) => byLabel.get(passage.label) === canonicalJson(passage)))
      return false
    const ids = evidence.entities.map(({ id }) => id)
    const entities = new Map(
      (yield* (yield* EntityStore).findMany(workspace, ids)).map((entity) => [entity.id, entity])
    )
    return evidence.entities.every(({ id, name, type }) => {
      const entity = entities.get(id)
      return (
        entity?.deletedAt === null && entity.headId === id && entity.name === name && entity.type === type
      )
    })
  })

const verdictOf = ({ policy: { mode, verdict } }: CacheOutcome) => (mode === "off" ? null : verdict)

const gistOf = (
  workspace: WorkspaceScope,
  { sources }: AnswerEvidence,
  { answer, claims }: WrittenAnswer,
  verdict: Gist["verdict"]
) =>
  Effect.gen(function* () {
    const claimText = claims.map(({ text }) => text).join("\n")
    const found = yield* detectEntities(workspace, claimText)
    const cited = new Set([...claims.flatMap(({ citations }) => citations), ...markersIn(answer)])
    return {
      verdict,
      claims,
      entities: new Set(found.flatMap(({ entityIds }) => entityIds)),
      documents: new Set(sources.flatMap(({ id, passage }) => (cited.has(id) ? [passage.documentId] : [])))
    } satisfies Gist
  })
