/** Fields that a server of an earlier version leaves out. */
import type { CheckedClaim, DocumentWithContent, Source, Verification } from "../server/client/index.js"

/** A source of an answer with its place in the document and its standing. */
export type CitedSource = Source & {
  /** Offset of the passage in its document. */
  readonly start?: number
  readonly end?: number
  readonly docVersion?: number
  readonly verification?: Verification
  readonly reviewDue?: boolean
}

/** A claim with the stretches of its sources that carry it. */
export type QuotedClaim = CheckedClaim & {
  /** The words of the claim that no source carries, by their offsets in its text. */
  readonly unmatched?: ReadonlyArray<{ readonly start: number; readonly end: number }>
  /** The words that carry the sentence, by their offsets in the document. */
  readonly quotes?: ReadonlyArray<{ readonly sourceId: string; readonly start: number; readonly end: number }>
}

/** A document with its text as HTML and the places of its passages. */
export type RenderedDocument = DocumentWithContent & {
  readonly html?: string
  readonly passages?: ReadonlyArray<{
    readonly chunkId: string
    readonly start: number
    readonly end: number
  }>
  readonly verification?: Verification
  readonly nextVerifyAt?: string | null
}
