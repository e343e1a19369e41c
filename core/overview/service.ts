import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { z } from "zod"
import { Verification } from "../documents/index.js"
import { Authority, Lifecycle } from "../entities/index.js"
import { IdentityStore, type MemberRole } from "../identity/index.js"
import { Caller, type ChunkId, NotFound, now, type PageRequest } from "../kernel/index.js"
import { WorkspaceStore } from "../workspace/index.js"
import { countsOver, hubConceptsMax, type Manifest, type MemberPage } from "./model.js"
import { OverviewStore } from "./store.js"

/** What the workspace holds, computed now; asks no model. */
export const manifest = Effect.fn("overview.manifest")(function* () {
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

/** A passage by its id, with its neighbours. */
export const chunk = Effect.fn("overview.chunk")(function* (id: ChunkId, context: number) {
  const { workspace } = yield* Caller
  const found = yield* (yield* OverviewStore).chunk(workspace, id, context)
  return Option.isSome(found) ? found.value : yield* new NotFound({ what: "passage" })
})

/** The members of the workspace, with what they look after. */
export const members = Effect.fn("overview.members")(function* (page: PageRequest, role?: MemberRole) {
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

/** A count for every value of an enumeration, in its order. */
const overAll = <Values extends z.ZodEnum>(values: Values, counts: Readonly<Record<string, number>>) =>
  countsOver(values).parse(Object.fromEntries(values.options.map((value) => [value, counts[value] ?? 0])))
