import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { WorkspaceScope } from "../kernel/index.js"
import type { SegmentView } from "./bm25.js"
import { ByteCache } from "./byte-cache.js"
import { type DeadSet, decodeDead, noneDead } from "./dead-set.js"
import type { PostingList, SegmentDirectory } from "./segment.js"
import { blockOf, decodeDirectory, findPostings } from "./segment-read.js"
import { PostingStore, SegmentGone, type SegmentInfo } from "./store.js"

/** A segment as of one moment, ready to be searched. */
export interface OpenSegment {
  readonly info: SegmentInfo
  readonly directory: SegmentDirectory
  readonly dead: DeadSet
}

/**
 * Reads segments through a bounded cache. All that is cached stands under the hash of its content, so what
 * another process or an undone unit of work wrote can never be mistaken for something else; what is current is
 * asked of the store each time.
 */
export class SegmentReader extends Context.Tag("kanon/SegmentReader")<
  SegmentReader,
  {
    /** All segments of the workspace. */
    readonly open: (workspace: WorkspaceScope) => Effect.Effect<ReadonlyArray<OpenSegment>, SegmentGone>
    /** One segment that was listed. */
    readonly openOne: (
      workspace: WorkspaceScope,
      info: SegmentInfo
    ) => Effect.Effect<OpenSegment, SegmentGone>
    /** Blocks of one segment by index, in the order asked for. */
    readonly blocks: (
      workspace: WorkspaceScope,
      segment: string,
      indexes: ReadonlyArray<number>
    ) => Effect.Effect<ReadonlyArray<Uint8Array>, SegmentGone>
  }
>() {}

type Cached = SegmentDirectory | DeadSet | Uint8Array

/** A reader whose cache holds at most so many bytes; 64 MiB by default, which is about 150,000 chunks. */
export const segmentReader = (cacheBytes = 64 * 1024 * 1024) =>
  Layer.effect(
    SegmentReader,
    Effect.map(PostingStore, (store) => {
      const cache = new ByteCache<Cached>(cacheBytes)
      const directory = (workspace: WorkspaceScope, info: SegmentInfo) => {
        const key = `${workspace}/${info.id}`
        const held = cache.get(key)
        if (held !== undefined && "labels" in held) return Effect.succeed(held)
        return Effect.map(store.directory(workspace, info.id), (bytes) => {
          const decoded = decodeDirectory(bytes)
          // Three numbers a chunk, and about 40 bytes for each short string.
          cache.set(key, decoded, 200 + info.chunkCount * 12 + decoded.firstTerms.length * 40)
          return decoded
        })
      }
      const dead = (workspace: WorkspaceScope, info: SegmentInfo) => {
        if (info.deadId === "") return Effect.succeed(noneDead)
        const held = cache.get(`${workspace}/${info.id}/${info.deadId}`)
        if (held !== undefined && "bits" in held) return Effect.succeed(held)
        return Effect.flatMap(store.dead(workspace, info.id), (current) => {
          const set = decodeDead(current.dead, info.chunkCount)
          cache.set(`${workspace}/${info.id}/${current.deadId}`, set, 200 + set.bits.length)
          // A removal since the listing: counts and set must be of one moment, so the caller lists again.
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
      return {
        open: (workspace) =>
          Effect.flatMap(store.segments(workspace), (segments) =>
            Effect.forEach(segments, (info) => openOne(workspace, info))
          ),
        openOne,
        blocks: (workspace, segment, indexes) => {
          const keyOf = (index: number) => `${workspace}/${segment}/${index}`
          const held = indexes.map((index) => cache.get(keyOf(index)))
          const missing = indexes.filter((_, i) => held[i] === undefined)
          const join = (read: ReadonlyArray<Uint8Array>) => {
            const fresh = read[Symbol.iterator]()
            return held.map((block) =>
              block instanceof Uint8Array ? block : (fresh.next().value ?? nothing)
            )
          }
          if (missing.length === 0) return Effect.succeed(join([]))
          return Effect.map(store.blocks(workspace, segment, missing), (read) => {
            missing.forEach((index, i) => {
              const block = read[i]
              if (block !== undefined) cache.set(keyOf(index), block, 200 + block.length)
            })
            return join(read)
          })
        }
      }
    })
  )

const nothing = new Uint8Array(4)

/** The posting lists of these terms in all given segments. */
export const viewsOf = (
  workspace: WorkspaceScope,
  segments: ReadonlyArray<OpenSegment>,
  terms: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<SegmentView>, SegmentGone, SegmentReader> =>
  Effect.flatMap(SegmentReader, (reader) =>
    Effect.forEach(segments, ({ dead, directory, info }) => {
      const blockOfTerm = terms.map((term) => blockOf(directory, term))
      const needed = [...new Set(blockOfTerm.filter((index) => index >= 0))]
      return Effect.map(reader.blocks(workspace, info.id, needed), (blocks): SegmentView => {
        const lists = terms.map((term, i): PostingList | null => {
          const block = blocks[needed.indexOf(blockOfTerm[i] ?? -1)]
          return block === undefined ? null : findPostings(block, term)
        })
        return { directory, dead, lists }
      })
    })
  )
