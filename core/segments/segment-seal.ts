import type * as Context from "effect/Context"
import type { Ids } from "../kernel/index.js"
import { type EncodedSegment, segmentFormat } from "./segment.js"
import type { NewSegment } from "./store.js"

type Hash = Context.Tag.Service<Ids>["sha256"]

/** Makes a segment ready to be stored, named by its format and content hash. */
export const sealSegment = (
  sha256: Hash,
  encoded: EncodedSegment,
  chunks: ReadonlyArray<{ readonly label: number; readonly length: number }>
): NewSegment => {
  const parts = [encoded.directory, ...encoded.blocks]
  return {
    ...encoded,
    id: segmentIdOf(
      sha256,
      parts.map((part) => sha256(part))
    ),
    chunkCount: chunks.length,
    liveLength: chunks.reduce((sum, { length }) => sum + length, 0),
    firstLabel: chunks.reduce((least, { label }) => Math.min(least, label), Number.MAX_SAFE_INTEGER),
    lastLabel: chunks.reduce((most, { label }) => Math.max(most, label), 0),
    sizeBytes: parts.reduce((sum, part) => sum + part.length, 0)
  }
}

/** Returns the id of a segment from the hashes of its directory and its blocks, in this order. */
export const segmentIdOf = (sha256: Hash, hashes: ReadonlyArray<string>): string =>
  `${formatPrefix}${sha256(hashes.join())}`

const formatPrefix = `${segmentFormat}-`

/** Whether the segment has the present format and analysis version. */
export const isCurrentFormat = (id: string): boolean => id.startsWith(formatPrefix)
