import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { ByteCache, bytesFor, StampedValue } from "../../platform/caching/index.js"
import { cacheKeyOf, currentView, serviceLayer, type WorkspaceScope } from "../../platform/kernel/index.js"
import { blockWeight, deadWeight, directoryWeight, listsWeight } from "./cache-sizes.js"
import { type DeadSet, decodeDead, isDead, noneDead, withDead } from "./dead-set.js"
import { type OpenList, openList } from "./positions.js"
import type { SegmentDirectory } from "./segment.js"
import { blockOf, decodeDirectory, findPostings } from "./segment-read.js"
import { type NewSegment, PostingStore, SegmentGone, type SegmentInfo } from "./store.js"

/** A consistent snapshot of a segment, ready to be searched. */
export interface OpenSegment {
  readonly info: SegmentInfo
  readonly directory: SegmentDirectory
  readonly dead: DeadSet
}

/** A consistent snapshot of all segments of a workspace. */
export interface OpenIndex {
  readonly segments: ReadonlyArray<OpenSegment>
  readonly statistics: CorpusStatistics
  /** Key of this state of the index in caches. */
  readonly state: string
  /** Labels of the chunks that the caller may read; absent where that is all of them. */
  readonly visible?: ReadonlySet<number>
}

/** A term in all segments of an open index. */
export interface TermLists {
  /** By segment; null for segments without the term. */
  readonly lists: ReadonlyArray<OpenList | null>
  /** Number of live chunks with the term. */
  readonly frequency: number
}

/**
 * Reads segments through a bounded cache. Cache keys are content hashes, or states of the index named by such hashes,
 * so data written by other processes or by a unit of work that was rolled back cannot be confused. The store is asked
 * for the present segments, unless the stamp shows that nothing changed.
 */
export class SegmentReader extends Context.Tag("kanon/SegmentReader")<
  SegmentReader,
  {
    /**
     * Opens the whole index; with an unchanged stamp, without reading the store. For a caller with a view, chunks of
     * hidden documents are removed ones, so that nothing of the index knows them: frequencies, lengths and words.
     */
    readonly open: (workspace: WorkspaceScope, stamp: string | null) => Effect.Effect<OpenIndex, SegmentGone>
    /** Opens one listed segment. */
    readonly openOne: (
      workspace: WorkspaceScope,
      info: SegmentInfo
    ) => Effect.Effect<OpenSegment, SegmentGone>
    /** Returns blocks of a segment in the requested order, without caching them. */
    readonly blocks: (
      workspace: WorkspaceScope,
      info: SegmentInfo,
      indexes: ReadonlyArray<number>
    ) => Effect.Effect<ReadonlyArray<Uint8Array>, SegmentGone>
    /** Caches a segment that is being written, if it is small: the next change soon merges it. */
    readonly remember: (workspace: WorkspaceScope, segment: NewSegment) => void
    /** Caches a set of removed chunks. */
    readonly rememberDead: (
      workspace: WorkspaceScope,
      segment: Pick<SegmentInfo, "id" | "deadId">,
      dead: DeadSet
    ) => void
    /** Returns the posting lists of terms, in order. */
    readonly lists: (
      workspace: WorkspaceScope,
      index: OpenIndex,
      terms: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<TermLists>, SegmentGone>
  }
>() {}

/** Larger segments are not cached when they are written. */
const rememberedChunksMax = 64

type Cached = SegmentDirectory | DeadSet | Uint8Array | TermLists

/** Makes a reader with a cache of the given size; by default that of `CacheBytes`, about 150,000 chunks. */
export const segmentReader = (cacheBytes?: number) =>
  serviceLayer(
    SegmentReader,
    Effect.zipWith(PostingStore, bytesFor("lexical"), (store, share) => {
      const cache = new ByteCache<Cached>(cacheBytes ?? share)
      const opened = new StampedValue<OpenIndex>()
      const newest = new Map<string, { readonly listing: string; readonly index: OpenIndex }>()
      let states = 0
      /** Lists of an outdated state are used only by a search in progress, which can read them again. */
      const forget = (workspace: string) => {
        const previous = newest.get(workspace)
        if (previous !== undefined) cache.dropGroup(previous.index.state)
        newest.delete(workspace)
      }
      const directory = (workspace: WorkspaceScope, info: SegmentInfo) => {
        const key = `${workspace}/${info.id}`
        const cached = cache.get(key)
        if (cached !== undefined && "labels" in cached) return Effect.succeed(cached)
        return Effect.map(store.directory(workspace, info.id), (bytes) => {
          const decoded = decodeDirectory(bytes)
          cache.set(key, decoded, directoryWeight(decoded))
          return decoded
        })
      }
      const setDead: SegmentReader["Type"]["rememberDead"] = (workspace, { deadId, id }, set) =>
        cache.set(`${workspace}/${id}/${deadId}`, set, deadWeight(set))
      const dead = (workspace: WorkspaceScope, info: SegmentInfo) => {
        if (info.deadId === "") return Effect.succeed(noneDead)
        const cached = cache.get(`${workspace}/${info.id}/${info.deadId}`)
        if (cached !== undefined && "bits" in cached) return Effect.succeed(cached)
        return Effect.flatMap(store.dead(workspace, info.id), (current) => {
          const set = decodeDead(current.dead, info.chunkCount)
          setDead(workspace, { id: info.id, deadId: current.deadId }, set)
          // A removal happened since the listing. Counts and set must be consistent, so the caller lists again.
          return current.deadId === info.deadId
            ? Effect.succeed(set)
            : Effect.fail(new SegmentGone({ segment: info.id }))
        })
      }
      const openOne = (workspace: WorkspaceScope, info: SegmentInfo) =>
        Effect.zipWith(directory(workspace, info), dead(workspace, info), (found, set) => ({
          info,
          directory: found,
          dead: set
        }))
      /** Returns the lists in one segment, using cached blocks. */
      const listsIn = (
        workspace: WorkspaceScope,
        { directory, info }: OpenSegment,
        terms: ReadonlyArray<string>
      ) => {
        const blockOfTerm = terms.map((term) => blockOf(directory, term))
        const needed = [...new Set(blockOfTerm.filter((index) => index >= 0))]
        const keyOf = (index: number) => `${workspace}/${info.id}/${index}`
        const blocks = new Map<number, Uint8Array>()
        for (const index of needed) {
          const cached = cache.get(keyOf(index))
          if (cached instanceof Uint8Array) blocks.set(index, cached)
        }
        const missing = needed.filter((index) => !blocks.has(index))
        const find = () =>
          terms.map((term, i) => {
            const block = blocks.get(blockOfTerm[i] ?? -1)
            const list = block === undefined ? null : findPostings(block, term)
            return list === null ? null : openList(list)
          })
        if (missing.length === 0) return Effect.sync(find)
        return Effect.map(store.blocks(workspace, info.id, missing), (read) => {
          missing.forEach((index, i) => {
            const block = read[i]
            if (block === undefined) return
            cache.set(keyOf(index), block, blockWeight(block))
            blocks.set(index, block)
          })
          return find()
        })
      }
      return {
        open: (workspace, stamp) => {
          return Effect.gen(function* () {
            const view = yield* currentView
            const scope = yield* cacheKeyOf(workspace)
            const cached = opened.get(scope, stamp)
            if (cached !== undefined) return cached
            // Read before the segments: a document that is hidden meanwhile has another view, one that is new is missing.
            const visible = view === null ? null : new Set(yield* store.visibleLabels(workspace))
            const infos = yield* store.segments(workspace)
            const listing = infos.map(({ deadId, id }) => `${id}/${deadId}`).join()
            const before = newest.get(scope)
            if (visible === null && before !== undefined && before.listing === listing) {
              opened.set(scope, stamp, before.index)
              return before.index
            }
            const stored = yield* Effect.forEach(infos, (info) => openOne(workspace, info))
            const segments =
              visible === null ? stored : stored.map((segment) => withoutHidden(segment, visible))
            states += 1
            const index = {
              segments,
              statistics: statisticsOf(segments),
              state: `${states}`,
              ...(visible === null ? {} : { visible })
            }
            forget(scope)
            newest.set(scope, { listing, index })
            for (const oldest of newest.keys()) {
              if (newest.size <= statesMax) break
              forget(oldest)
            }
            opened.set(scope, stamp, index)
            return index
          })
        },
        openOne,
        blocks: (workspace, { id }, indexes) => {
          const cached = indexes.flatMap((index) => {
            const block = cache.get(`${workspace}/${id}/${index}`)
            return block instanceof Uint8Array ? [block] : []
          })
          return cached.length === indexes.length
            ? Effect.succeed(cached)
            : store.blocks(workspace, id, indexes)
        },
        remember: (workspace, { blocks, chunkCount, directory, id }) => {
          if (chunkCount > rememberedChunksMax) return
          const decoded = decodeDirectory(directory)
          cache.set(`${workspace}/${id}`, decoded, directoryWeight(decoded))
          blocks.forEach((block, index) => {
            cache.set(`${workspace}/${id}/${index}`, block, blockWeight(block))
          })
        },
        rememberDead: setDead,
        lists: (workspace, { segments, state }, terms) => {
          const known = terms.map((term) => {
            const cached = cache.get(`${state}/${term}`)
            return cached !== undefined && "lists" in cached ? cached : undefined
          })
          const unknown = terms.filter((_, i) => known[i] === undefined)
          const join = (read: ReadonlyMap<string, TermLists>) =>
            terms.map((term, i) => known[i] ?? read.get(term) ?? inNone)
          if (unknown.length === 0) return Effect.succeed(join(new Map()))
          return Effect.map(
            Effect.forEach(segments, (segment) => listsIn(workspace, segment, unknown)),
            (bySegment) => {
              const read = new Map<string, TermLists>()
              unknown.forEach((term, i) => {
                const lists = bySegment.map((lists) => lists[i] ?? null)
                const frequency = segments.reduce(
                  (sum, { dead }, at) => sum + liveIn(lists[at] ?? null, dead),
                  0
                )
                const found = { lists, frequency }
                read.set(term, found)
                cache.set(`${state}/${term}`, found, listsWeight(lists), state)
              })
              return join(read)
            }
          )
        }
      }
    })
  )

/** Returns a segment whose hidden chunks count as removed. */
const withoutHidden = ({ dead, directory, info }: OpenSegment, visible: ReadonlySet<number>): OpenSegment => {
  const hidden: Array<number> = []
  let hiddenLength = 0
  for (let ordinal = 0; ordinal < info.chunkCount; ordinal++) {
    if (visible.has(directory.labels[ordinal] ?? -1) || isDead(dead, ordinal)) continue
    hidden.push(ordinal)
    hiddenLength += directory.lengths[ordinal] ?? 0
  }
  const all = withDead(dead, hidden, info.chunkCount)
  return {
    directory,
    dead: all,
    info: { ...info, deadCount: all.count, liveLength: info.liveLength - hiddenLength }
  }
}

/** Number of workspaces, and of views, whose index stays open between searches. */
const statesMax = 64

const inNone: TermLists = { lists: [], frequency: 0 }

const statisticsOf = (segments: ReadonlyArray<OpenSegment>): CorpusStatistics => {
  let chunkCount = 0
  let length = 0
  for (const { info } of segments) {
    chunkCount += info.chunkCount - info.deadCount
    length += info.liveLength
  }
  return { chunkCount, averageLength: chunkCount === 0 ? 0 : length / chunkCount }
}

/** Returns the segments of an index with the lists of some terms. */
export const viewsOf = (
  { segments }: OpenIndex,
  terms: ReadonlyArray<TermLists>
): ReadonlyArray<SegmentView> =>
  segments.map(({ dead, directory }, at) => ({
    dead,
    directory,
    lists: terms.map(({ lists }) => lists[at] ?? null)
  }))

/** Statistics of all live chunks of a workspace. */
export interface CorpusStatistics {
  readonly chunkCount: number
  /** Mean length of a chunk in analysed words. */
  readonly averageLength: number
}

/** A segment with the posting lists of the query's terms, in their order; null for terms that it does not hold. */
export interface SegmentView {
  readonly directory: SegmentDirectory
  readonly dead: DeadSet
  readonly lists: ReadonlyArray<OpenList | null>
}

/** Returns the number of live chunks in a posting list. */
export const liveIn = (list: OpenList | null, dead: DeadSet): number => {
  if (list === null) return 0
  const { ordinals } = list
  let count = ordinals.length
  if (dead.count > 0) for (let i = 0; i < ordinals.length; i++) if (isDead(dead, ordinals[i] ?? 0)) count -= 1
  return count
}
