/** A sentence of a page with the sources that support it (`S1`). */
export interface CitedSentence {
  readonly text: string
  readonly citations: ReadonlyArray<string>
}

/** The statements of a page, each in one place. */
export interface PageStatements {
  /** Sentences of a chat model, or facts that are quoted. */
  readonly facts: ReadonlyArray<CitedSentence>
  /** Facts that state a quantity, with the first one as it is written. */
  readonly values: ReadonlyArray<CitedSentence & { readonly value: string }>
  /** Facts with a date, oldest first, with the date as it is written. */
  readonly timeline: ReadonlyArray<CitedSentence & { readonly date: string }>
}
