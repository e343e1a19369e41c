import * as Effect from "effect/Effect"
import type { WorkspaceScope } from "../kernel/index.js"
import { ByteReader } from "./bytes.js"
import { isDead } from "./dead-set.js"
import { BlockWriter, type EncodedSegment, type PostingList, PostingWriter } from "./segment.js"
import { EntryReader } from "./segment-read.js"
import type { OpenSegment } from "./segment-reader.js"
import { PostingStore, type SegmentGone } from "./store.js"

/** Blocks that are held of each source at a time. */
const blocksAtOnce = 16

/** What a merge gives: the encoded segment and the chunks in it, by ascending label. */
export interface Merged {
  readonly encoded: EncodedSegment
  readonly chunks: ReadonlyArray<LiveChunk>
}

interface LiveChunk {
  readonly label: number
  readonly length: number
  readonly tieKey: number
}

/**
 * One segment over the live chunks of several: byte for byte what encoding those chunks afresh would give. Reads
 * the sources a few blocks at a time, and gives way to other work in between.
 */
export const mergeSources = (
  workspace: WorkspaceScope,
  sources: ReadonlyArray<OpenSegment>
): Effect.Effect<Merged, SegmentGone, PostingStore> =>
  Effect.gen(function* () {
    const store = yield* PostingStore
    const { chunks, remaps } = renumber(sources)
    const cursors = sources.map((source, i) => new Cursor(source, remaps[i] ?? new Int32Array(0)))
    const writer = new BlockWriter()
    for (;;) {
      for (const cursor of cursors) {
        if (!cursor.wantsBlocks) continue
        const read = yield* store.blocks(workspace, cursor.source.info.id, cursor.nextBlocks())
        cursor.feed(read)
      }
      if (mergeLoaded(cursors, writer)) return { encoded: writer.finish(chunks), chunks }
      yield* Effect.yieldNow()
    }
  })

/** New ordinals by label over all live chunks; -1 for what was removed. */
const renumber = (sources: ReadonlyArray<OpenSegment>) => {
  const live: Array<LiveChunk & { readonly source: number; readonly ordinal: number }> = []
  const remaps = sources.map(({ dead, directory: { labels, lengths, tieKeys } }, source) => {
    labels.forEach((label, ordinal) => {
      if (!isDead(dead, ordinal))
        live.push({ label, length: lengths[ordinal] ?? 0, tieKey: tieKeys[ordinal] ?? 0, source, ordinal })
    })
    return new Int32Array(labels.length).fill(-1)
  })
  live.sort((a, b) => a.label - b.label)
  live.forEach(({ ordinal, source }, fresh) => {
    const remap = remaps[source]
    if (remap !== undefined) remap[ordinal] = fresh
  })
  return { chunks: live, remaps }
}

/** Reads the entries of one source in term order. */
class Cursor {
  #entries: EntryReader | null = null
  #loaded: Array<Uint8Array> = []
  #next = 0

  constructor(
    readonly source: OpenSegment,
    readonly remap: Int32Array
  ) {}

  get term(): string | null {
    return this.#entries === null ? null : this.#entries.term
  }

  get list(): PostingList | null {
    return this.#entries === null ? null : this.#entries.list
  }

  /** Stands at no entry although the source has more blocks. */
  get wantsBlocks(): boolean {
    return this.#entries === null && this.#next < this.source.directory.firstTerms.length
  }

  nextBlocks(): ReadonlyArray<number> {
    const count = Math.min(blocksAtOnce, this.source.directory.firstTerms.length - this.#next)
    return Array.from({ length: count }, (_, i) => this.#next + i)
  }

  feed(blocks: ReadonlyArray<Uint8Array>): void {
    this.#next += blocks.length
    this.#loaded = [...blocks]
    this.step()
  }

  step(): void {
    while (this.#entries === null || !this.#entries.next()) {
      const block = this.#loaded.shift()
      if (block === undefined) {
        this.#entries = null
        return
      }
      this.#entries = new EntryReader(block)
    }
  }
}

/** Merges until a source has to be read further; true when all are at their end. */
const mergeLoaded = (cursors: ReadonlyArray<Cursor>, writer: BlockWriter): boolean => {
  const merged = new PostingWriter()
  for (;;) {
    let least: string | null = null
    for (const cursor of cursors) {
      if (cursor.wantsBlocks) return false
      const { term } = cursor
      if (term !== null && (least === null || term < least)) least = term
    }
    if (least === null) return true
    const holding = cursors.filter(({ term }) => term === least)
    mergeLists(holding, merged)
    if (merged.chunkCount > 0) writer.add(least, merged)
    merged.clear()
    for (const cursor of holding) cursor.step()
  }
}

interface Posting {
  readonly ordinal: number
  readonly occurrences: number
  readonly source: Uint8Array
  readonly from: number
  readonly to: number
}

const mergeLists = (cursors: ReadonlyArray<Cursor>, into: PostingWriter): void => {
  const postings: Array<Posting> = []
  let sorted = true
  for (const { list, remap } of cursors) {
    if (list === null) continue
    const reader = new ByteReader(list.source, list.postings)
    let at = list.positions
    let old = 0
    while (reader.at < list.positions) {
      const step = reader.varint()
      old += step >>> 1
      const occurrences = (step & 1) === 1 ? 1 : reader.varint()
      const from = at
      for (let left = occurrences; left > 0; at++) if ((list.source[at] ?? 0) < 128) left -= 1
      const ordinal = remap[old] ?? -1
      if (ordinal < 0) continue
      if (sorted && ordinal < (postings[postings.length - 1]?.ordinal ?? -1)) sorted = false
      postings.push({ ordinal, occurrences, source: list.source, from, to: at })
    }
  }
  if (!sorted) postings.sort((a, b) => a.ordinal - b.ordinal)
  for (const { from, occurrences, ordinal, source, to } of postings) {
    into.open(ordinal, occurrences)
    into.positions.bytes(source, from, to)
  }
}
