import * as Effect from "effect/Effect"
import { nextTurn, type WorkspaceScope } from "../../platform/kernel/index.js"
import {
  BlockWriter,
  type ChunkFigures,
  type EncodedSegment,
  EntryReader,
  isDead,
  type OpenSegment,
  type PostingList,
  PostingReader,
  PostingWriter,
  type SegmentGone,
  SegmentReader
} from "../segments/index.js"

/** Number of blocks loaded from each source at a time. */
const blocksAtOnce = 16

/** Result of a merge: the encoded segment and its chunks, by ascending label. */
export interface Merged {
  readonly encoded: EncodedSegment
  readonly chunks: ReadonlyArray<ChunkFigures>
}

/**
 * Merges the live chunks of several segments into one: byte for byte what encoding those chunks afresh would give.
 * Reads the sources a few blocks at a time and yields to other work in between.
 */
export const mergeSources = (
  workspace: WorkspaceScope,
  sources: ReadonlyArray<OpenSegment>
): Effect.Effect<Merged, SegmentGone, SegmentReader> =>
  Effect.gen(function* () {
    const reader = yield* SegmentReader
    const { chunks, remaps } = renumber(sources)
    const cursors = sources.map((source, i) => new Cursor(source, remaps[i] ?? new Int32Array(0)))
    const writer = new BlockWriter()
    for (;;) {
      for (const cursor of cursors) {
        if (!cursor.wantsBlocks) continue
        const read = yield* reader.blocks(workspace, cursor.source.info, cursor.nextBlocks())
        cursor.feed(read)
      }
      if (mergeLoaded(cursors, writer)) return { encoded: writer.finish(chunks), chunks }
      yield* nextTurn
    }
  })

/** Returns new ordinals by label over all live chunks; -1 for removed ones. */
const renumber = (sources: ReadonlyArray<OpenSegment>) => {
  const live: Array<ChunkFigures & { readonly source: number; readonly ordinal: number }> = []
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

  /** Whether the loaded blocks are exhausted although the source has more. */
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

/** Merges until a source needs more blocks; true when all are at their end. */
const mergeLoaded = (cursors: ReadonlyArray<Cursor>, writer: BlockWriter): boolean => {
  const merged = new PostingWriter()
  const gathered = new Gathered()
  for (;;) {
    let least: string | null = null
    for (const cursor of cursors) {
      if (cursor.wantsBlocks) return false
      const { term } = cursor
      if (term !== null && (least === null || term < least)) least = term
    }
    if (least === null) return true
    const holding = cursors.filter(({ term }) => term === least)
    mergeLists(holding, gathered, merged)
    if (merged.chunkCount > 0) writer.add(least, merged)
    merged.clear()
    for (const cursor of holding) cursor.step()
  }
}

/** A growing buffer for the postings of one term. */
class Gathered {
  size = 0
  ordinals = new Int32Array(256)
  occurrences = new Int32Array(256)
  codes = new Uint8Array(256)
  sources: Array<Uint8Array> = []
  from = new Int32Array(256)
  to = new Int32Array(256)

  add(ordinal: number, { code, occurrences, places, placesEnd }: PostingReader, source: Uint8Array): void {
    const at = this.size++
    if (at === this.ordinals.length) this.#grow()
    this.ordinals[at] = ordinal
    this.occurrences[at] = occurrences
    this.codes[at] = code
    this.sources[at] = source
    this.from[at] = places
    this.to[at] = placesEnd
  }

  write(at: number, into: PostingWriter): void {
    into.open(this.ordinals[at] ?? 0, this.occurrences[at] ?? 0, this.codes[at] ?? 0)
    into.positions.bytes(this.sources[at] ?? nothing, this.from[at], this.to[at])
  }

  #grow(): void {
    const size = this.ordinals.length * 2
    const larger = (before: Int32Array): Int32Array<ArrayBuffer> => {
      const after = new Int32Array(size)
      after.set(before)
      return after
    }
    const codes = new Uint8Array(size)
    codes.set(this.codes)
    this.codes = codes
    this.ordinals = larger(this.ordinals)
    this.occurrences = larger(this.occurrences)
    this.from = larger(this.from)
    this.to = larger(this.to)
  }
}

const nothing = new Uint8Array(0)

const mergeLists = (cursors: ReadonlyArray<Cursor>, gathered: Gathered, into: PostingWriter): void => {
  gathered.size = 0
  let sorted = true
  let before = -1
  for (const { list, remap } of cursors) {
    if (list === null) continue
    for (const reader = new PostingReader(list); reader.next(); ) {
      const ordinal = remap[reader.ordinal] ?? -1
      if (ordinal < 0) continue
      if (ordinal < before) sorted = false
      before = ordinal
      gathered.add(ordinal, reader, list.source)
    }
  }
  if (sorted) for (let i = 0; i < gathered.size; i++) gathered.write(i, into)
  else {
    const { ordinals } = gathered
    const order = Uint32Array.from({ length: gathered.size }, (_, i) => i)
    for (const i of order.sort((a, b) => (ordinals[a] ?? 0) - (ordinals[b] ?? 0))) gathered.write(i, into)
  }
}
