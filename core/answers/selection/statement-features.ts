/**
 * Features of a statement as an answer, in the order of its vector. Shares are 0 to 1, flags 0 or 1; "words" are the
 * content words of the question, weighted by their rarity in the workspace. Coverage of a word by a synonym or a part
 * counts in part. Of 84 features that were fitted these are the ones without which sets left out get worse; figures are
 * in docs/answers-quality.md.
 */
export const statementFeatures = [
  /** Share of the words in the statement, with what stands above it, and with the sentence before it. */
  "own",
  "head",
  "near",
  /** Share of the words in the passage. */
  "passage",
  /** Score of words relative to the best statement, and nearness of vectors. */
  "bm25",
  "cosine",
  /** Share of the words in the order of the question. */
  "ordered",
  /** Share of the words that are held as they are, not by a synonym. */
  "exact",
  /** The heaviest word that neither the statement nor what stands above it has. */
  "missing",
  /** Share of the words that no passage has. */
  "missingPool",
  /** Shares of the names of the question in the statement, with what stands around it, and in the passage. */
  "hasNames",
  "namesHeld",
  "namesNear",
  "namesPassage",
  /** Codes, versions, dates and numbers of the question. */
  "hasCodes",
  "codesHeld",
  /** The statement has, or lacks, a value of the kind that is asked for; no kind is asked for. */
  "kindHeld",
  "kindMissing",
  "otherKind",
  /** A number of what "how many" counts. */
  "counted",
  /** A name behind a preposition of place, two capitalized words in sequence. */
  "placeName",
  "personName",
  /** A name that the question lacks. */
  "newName",
  /** Negations of question and statement, and whether they differ. */
  "askedDenied",
  "saysDenied",
  "denied",
  /** One of the two speaks of the past only. */
  "past"
] as const
export type StatementFeature = (typeof statementFeatures)[number]
