import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { z } from "zod"
import { AnswerStore } from "../../answers/answering/index.js"

import { Verification } from "../../files/documents/index.js"
import { previewRequest } from "../../knowledge/curation/index.js"
import { Authority, Lifecycle } from "../../knowledge/entities/index.js"
import { hasOwnExtractor } from "../../knowledge/extraction/index.js"
import { record } from "../../platform/audit/index.js"
import { IdentityStore, type MemberRole, scopesOf } from "../../platform/identity/index.js"
import {
  atomically,
  Caller,
  type CallerShape,
  type ChangeRequestId,
  type ChunkId,
  invalid,
  KeyId,
  NotFound,
  now,
  type PageRequest,
  traced
} from "../../platform/kernel/index.js"
import { builtInAnswers, modelsFor, monthOf, readableChoices } from "../../platform/models/index.js"
import { readableMcpServers, WorkspaceStore } from "../../platform/workspace/index.js"
import { RunStore } from "../../work/agent-runs/index.js"
import type { StewardshipPage, StewardshipView } from "./governance-model.js"
import {
  countsOver,
  hubConceptsMax,
  type Manifest,
  type MemberPage,
  type RequestOverview,
  type WorkspaceView
} from "./model.js"
import { OverviewStore, overdueActions } from "./store.js"

/** Returns the current content of the workspace; calls no model. */
export const manifest = traced("overview.manifest")(function* () {
  const { workspace } = yield* Caller
  const store = yield* OverviewStore
  const { id, name } = yield* (yield* WorkspaceStore).get(workspace)
  const generatedAt = yield* now
  const found = yield* store.counts(workspace, generatedAt)
  return {
    generatedAt,
    workspace: { id, name },
    counts: {
      documents: total(found.documentsByVerification),
      chunks: found.chunks,
      entities: total(found.entitiesByType),
      relations: total(found.relationsByType),
      entitiesByType: { ...found.entitiesByType },
      relationsByType: { ...found.relationsByType },
      byAuthority: overAll(Authority, found.byAuthority),
      byLifecycle: overAll(Lifecycle, found.byLifecycle),
      documentsByVerification: overAll(Verification, found.documentsByVerification)
    },
    hubConcepts: [...(yield* store.hubs(workspace, hubConceptsMax))],
    staleness: { overdueReviews: found.overdueReviews, neverReviewed: found.neverReviewed }
  } satisfies Manifest
})

const total = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0)

/** Returns the workspace, the permissions of the caller's key, the state and usage of models, and the settings. */
export const workspaceView = traced("overview.workspace")(function* () {
  const caller = yield* Caller
  const { workspace } = caller
  const store = yield* WorkspaceStore
  const { id, name, settings } = yield* store.get(workspace)
  const { builtIn, chat, embedder, extraction, judge, reranker } = yield* modelsFor(
    workspace,
    settings.models
  )
  const month = monthOf(yield* now)
  const used = yield* (yield* WorkspaceStore).usage.of(workspace, month)
  const runs = yield* RunStore
  return {
    id,
    name,
    key: yield* keyOf(caller),
    capabilities: {
      chat: Option.isSome(chat) || (builtIn && builtInAnswers(settings.models)),
      judge: Option.isSome(judge),
      embedding: Option.isSome(embedder) || builtIn,
      reranker: Option.isSome(reranker),
      extraction:
        builtIn || (extraction !== undefined && Option.isSome(extraction)) || (yield* hasOwnExtractor)
    },
    settings: {
      ...settings,
      // Rules name folders of which a caller may not know.
      access: readsRules(caller) ? settings.access : { folders: [] },
      models: { ...settings.models, ...readableChoices(settings.models) },
      mcpServers: readableMcpServers(settings.mcpServers)
    },
    usage: {
      month,
      agentSpendUsd: (yield* runs.spend(workspace, month)).spentUsd,
      capUsd: settings.caps.agentSpendUsd,
      activeRuns: yield* runs.countActive(workspace),
      activeRunCap: settings.caps.activeRuns,
      tokens: used.inputTokens + used.outputTokens,
      ...used
    },
    revision: yield* store.revision(workspace)
  } satisfies WorkspaceView
})

/** Whether the caller may know the rules of readers: the host and administrators. */
const readsRules = ({ principals, scopes }: CallerShape): boolean =>
  principals === undefined || scopes?.includes("workspace:admin") === true

/** Returns the key of a caller; null for callers without a key. */
const keyOf = ({ actor, keyId, scopes: held }: CallerShape) =>
  Effect.gen(function* () {
    const id = KeyId.safeParse(keyId ?? actor)
    if (!id.success) return null
    const found = yield* (yield* IdentityStore).key(id.data)
    return Option.match(found, {
      onNone: () => null,
      onSome: (key) => ({
        id: key.id,
        name: key.name,
        kind: key.kind,
        scopes: [...(held ?? scopesOf(key))],
        expiresAt: key.expiresAt
      })
    })
  })

/** Returns a request with its preview and the items that depend on its entity. */
export const changeRequest = traced("overview.changeRequest")(function* (id: ChangeRequestId) {
  const [store, { workspace }] = [yield* OverviewStore, yield* Caller]
  const review = yield* previewRequest(id)
  const { entityId } = review.request
  if (entityId === null)
    return { ...review, impact: { relations: 0, answers: 0, cacheEntries: 0 } } satisfies RequestOverview
  const counted = yield* store.impact(workspace, entityId)
  const cacheEntries = yield* (yield* AnswerStore).cache.countOf(workspace, entityId)
  return { ...review, impact: { ...counted, cacheEntries } } satisfies RequestOverview
})

/** Returns a passage by id with its neighbours. */
export const chunk = traced("overview.chunk")(function* (id: ChunkId, context: number) {
  const { workspace } = yield* Caller
  const found = yield* (yield* OverviewStore).chunk(workspace, id, context)
  return Option.isSome(found) ? found.value : yield* new NotFound({ what: "passage" })
})

/** Lists the members of the workspace with the number of concepts they look after. */
export const members = traced("overview.members")(function* (page: PageRequest, role?: MemberRole) {
  const { workspace } = yield* Caller
  const { items, total } = yield* (yield* IdentityStore).members(workspace, page, role)
  const cared = yield* (yield* OverviewStore).stewardship(
    workspace,
    items.map(({ user }) => user.id),
    yield* now
  )
  const byPerson = new Map(cared.map((one) => [one.person, one]))
  return {
    items: items.map(({ role: own, user: { displayName, id } }) => ({
      id,
      displayName,
      role: own,
      ownedConcepts: byPerson.get(id)?.owned ?? 0,
      stewardedConcepts: byPerson.get(id)?.stewarded ?? 0,
      overdueReviews: byPerson.get(id)?.overdue ?? 0
    })),
    total
  } satisfies MemberPage
})

/** Returns a count for every value of an enumeration, in its order. */
const overAll = <Values extends z.ZodEnum>(values: Values, counts: Readonly<Record<string, number>>) =>
  countsOver(values).parse(Object.fromEntries(values.options.map((value) => [value, counts[value] ?? 0])))

/** Events recorded per unit of work. */
const eventsPerUnit = 200

/**
 * Records an audit event for each document and entity whose review has become due, once per due date. Idempotent.
 * Returns the number of events.
 */
export const noteOverdue = traced("overview.noteOverdue")(function* () {
  const [store, at, { workspace }] = [yield* OverviewStore, yield* now, yield* Caller]
  let count = 0
  for (let batchSize = eventsPerUnit; batchSize === eventsPerUnit; count += batchSize)
    batchSize = yield* atomically(
      Effect.gen(function* () {
        const overdue = yield* store.untoldOverdue(workspace, at, eventsPerUnit)
        yield* record(
          overdue.map(({ dueAt, kind, subjectId }) => ({
            action: overdueActions[kind],
            subjectId,
            details: { dueAt }
          }))
        )
        return overdue.length
      })
    )
  return count
})

/**
 * Lists what needs a steward: entities overdue for review (longest first), never reviewed and without owner and
 * stewards (most central first), with open change requests (oldest first), or documents whose verification is due.
 * With an owner, only entities of that owner and documents that the owner verified.
 */
export const stewardship = traced("overview.stewardship")(function* (
  view: StewardshipView,
  ownerId: string | undefined,
  page: PageRequest
) {
  if (view === "ownerless" && ownerId !== undefined)
    return yield* invalid(["ownerId"], "unexpected", "What has no owner has not this one either.")
  const [store, { workspace }, at] = [yield* OverviewStore, yield* Caller, yield* now]
  const wanted = { at, ownerId }
  const counts = yield* store.tendCounts(workspace, wanted)
  const items =
    view === "documents_due"
      ? yield* store.documentsDue(workspace, wanted, page)
      : yield* store.entitiesToTend(workspace, view, wanted, page)
  return {
    view,
    counts,
    items: [...items],
    total: counts[countOf[view]],
    ...page
  } satisfies StewardshipPage
})

const countOf = {
  overdue: "overdue",
  never_reviewed: "neverReviewed",
  ownerless: "ownerless",
  contested: "contested",
  documents_due: "documentsDue"
} as const
