/** A row that a peer indexes: a document, or a passage with its headings above the text. */
export interface PeerRow {
  readonly title: string
  readonly text: string
}

/** A row that was found, by its place in the list of rows. */
export interface FoundRow {
  readonly row: number
  readonly score: number
}

/** Indexes the rows and gives the best `limit` of them for each query. */
export type Rank = (
  rows: ReadonlyArray<PeerRow>,
  queries: ReadonlyArray<string>,
  limit: number
) => Promise<ReadonlyArray<ReadonlyArray<FoundRow>>>

export interface Peer {
  readonly name: string
  /** Rejected when the peer is not at hand; the message says what is missing. */
  readonly load: () => Promise<Rank>
}

/** Letters and numbers in lower case: what the hand-written floors take for words. */
export const wordsOf = (text: string): ReadonlyArray<string> =>
  text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/** A title counts double wherever a peer can be told so, as it does in ours. */
export const titleWeight = 2
