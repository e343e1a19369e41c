import * as Effect from "effect/Effect"
import { Authority as Authorities, type Authority, headOf } from "../../knowledge/entities/index.js"
import { Caller, type EntityId, type PageRequest, traced } from "../../platform/kernel/index.js"
import { candidatePairs, rarityIn } from "./duplicate-pairs.js"
import {
  type Comparable,
  comparable,
  nameReasons,
  neighbourReason,
  reasonWeights,
  scoreOf
} from "./duplicate-score.js"
import type { Duplicate, DuplicatePage, DuplicateReason } from "./governance-model.js"
import { pairId } from "./inbox.js"
import { baselineSimilarity, meaningReason } from "./similarity.js"
import { type NamedEntity, OverviewStore } from "./store.js"

/** Pairs compared before yielding to other fibers, and entities whose neighbours are read at once. */
const pairsPerTurn = 5000
const neighboursPerRead = 500
/**
 * Maximum number of pairs whose passages are compared, the number of passages per entity, and the sample size for the
 * baseline.
 */
const comparedByMeaningMax = 500
const [passagesOfEach, samplePassages] = [16, 256]

/**
 * Lists pairs of live canonical entities that may be the same, most likely first; with an id only pairs of that
 * entity. Deprecated and superseded entities are left out, because they were decided about, and so are pairs of which a
 * person said in the inbox that they are two things. Nothing is merged
 * automatically.
 */
export const duplicates = traced("overview.duplicates")(function* (
  given: { readonly id: EntityId | undefined; readonly minScore: number },
  { limit, offset }: PageRequest
) {
  const [store, { workspace }] = [yield* OverviewStore, yield* Caller]
  const only = given.id === undefined ? undefined : (yield* headOf(given.id)).id
  const named = yield* store.namedEntities(workspace)
  const rejected = new Set(yield* store.inbox.rejected(workspace, "duplicate"))
  const pairs = (yield* pairsByName(named.map(comparable), only, given.minScore)).filter(
    ({ a, b }) => !rejected.has(pairId(a.id, b.id))
  )
  const scored = (yield* withMeaning(yield* withNeighbours(pairs))).filter(
    ({ score }) => score >= given.minScore
  )
  const byId = new Map(named.map((one) => [one.id, one]))
  const items = scored
    .map(({ a, b, reasons, score }) => ({ ...inOrder(byId, a.id, b.id), reasons, score }))
    .flatMap(({ first, reasons, score, second }) =>
      first === undefined || second === undefined ? [] : [{ first, reasons, score, second }]
    )
    .sort((x, y) => y.score - x.score || compare(x.first.id, y.first.id) || compare(x.second.id, y.second.id))
  return {
    items: items.slice(offset, offset + limit).map(namedPairItem),
    total: items.length,
    limit,
    offset
  } satisfies DuplicatePage
})

interface Pair {
  readonly a: Comparable
  readonly b: Comparable
  readonly reasons: ReadonlyArray<DuplicateReason>
  readonly score: number
}

/** Returns the maximum score that a pair with this name score can reach. */
const reachable = (score: number): number =>
  1 - (1 - score) * (1 - reasonWeights.neighbours) * (1 - reasonWeights.meaning)

/** Returns the pairs with a reason in their names that can still reach the minimum score. */
const pairsByName = (all: ReadonlyArray<Comparable>, only: EntityId | undefined, minScore: number) =>
  Effect.gen(function* () {
    const rarity = rarityIn(all)
    const found: Array<Pair> = []
    let compared = 0
    for (const [i, j] of candidatePairs(all, rarity)) {
      compared += 1
      if (compared % pairsPerTurn === 0) yield* Effect.yieldNow()
      const [a, b] = [all[i], all[j]]
      if (a === undefined || b === undefined) continue
      if (only !== undefined && a.id !== only && b.id !== only) continue
      const reasons = nameReasons(a, b, rarity)
      if (reasons.length === 0) continue
      const score = scoreOf(reasons)
      if (reachable(score) >= minScore) found.push({ a, b, reasons, score })
    }
    return found
  })

/** Adds the reasons from neighbours. */
const withNeighbours = (pairs: ReadonlyArray<Pair>) =>
  Effect.gen(function* () {
    const [store, { workspace }] = [yield* OverviewStore, yield* Caller]
    const ids = [...new Set(pairs.flatMap(({ a, b }) => [a.id, b.id]))]
    const around = new Map<EntityId, Set<string>>(ids.map((id) => [id, new Set()]))
    for (let from = 0; from < ids.length; from += neighboursPerRead) {
      const edges = yield* store.edgesOf(workspace, ids.slice(from, from + neighboursPerRead))
      for (const { dst, src } of edges) {
        around.get(src)?.add(dst)
        around.get(dst)?.add(src)
      }
    }
    return pairs.map((pair) => {
      const [x, y] = [around.get(pair.a.id) ?? none, around.get(pair.b.id) ?? none]
      return withReason(pair, neighbourReason(without(x, pair.b.id), without(y, pair.a.id)))
    })
  })

/** Adds the reasons from passages to the most likely pairs. */
const withMeaning = (pairs: ReadonlyArray<Pair>) =>
  Effect.gen(function* () {
    if (pairs.length === 0) return pairs
    const [store, { workspace }] = [yield* OverviewStore, yield* Caller]
    const baseline = baselineSimilarity(yield* store.somePassages(workspace, samplePassages))
    if (baseline === null) return pairs
    const byScore = [...pairs].sort(
      (one, other) =>
        other.score - one.score || compare(one.a.id, other.a.id) || compare(one.b.id, other.b.id)
    )
    const likeliest = byScore.slice(0, comparedByMeaningMax)
    const ids = [...new Set(likeliest.flatMap(({ a, b }) => [a.id, b.id]))]
    const about = yield* store.passagesAbout(workspace, ids, passagesOfEach)
    yield* Effect.yieldNow()
    return [
      ...likeliest.map((pair) =>
        withReason(pair, meaningReason(about.get(pair.a.id) ?? [], about.get(pair.b.id) ?? [], baseline))
      ),
      ...byScore.slice(comparedByMeaningMax)
    ]
  })

const withReason = (pair: Pair, reason: DuplicateReason | null): Pair => {
  if (reason === null) return pair
  const reasons = [...pair.reasons, reason].sort((one, other) => other.strength - one.strength)
  return { ...pair, reasons, score: scoreOf(reasons) }
}

const none: ReadonlySet<string> = new Set()

/** Removes the other entity of a pair from a set of neighbours. */
const without = (ids: ReadonlySet<string>, id: string): ReadonlySet<string> =>
  ids.has(id) ? new Set([...ids].filter((one) => one !== id)) : ids

/** Orders a pair; the entity to keep comes first: higher authority, then higher rank, then older. */
const inOrder = (byId: ReadonlyMap<EntityId, NamedEntity>, a: EntityId, b: EntityId) => {
  const [x, y] = [byId.get(a), byId.get(b)]
  if (x === undefined || y === undefined) return { first: x, second: y }
  const order =
    rankOf(y.authority) - rankOf(x.authority) || (y.pagerank ?? 0) - (x.pagerank ?? 0) || compare(x.id, y.id)
  return order <= 0 ? { first: x, second: y } : { first: y, second: x }
}

const rankOf = (authority: Authority): number => Authorities.options.indexOf(authority)
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const namedPairItem = ({
  first,
  reasons,
  score,
  second
}: {
  readonly first: NamedEntity
  readonly second: NamedEntity
  readonly reasons: ReadonlyArray<DuplicateReason>
  readonly score: number
}): Duplicate => ({ head: card(first), duplicate: card(second), score, reasons: [...reasons] })

const card = ({ authority, id, lifecycleStatus, name, type }: NamedEntity) => ({
  id,
  name,
  type,
  authority,
  lifecycleStatus
})
