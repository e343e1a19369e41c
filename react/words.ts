import type { ClaimStatus, Verdict } from "../server/client/index.js"

/** Standing of a cited source: its verification, whether its review is overdue, or a data call. */
export type CitationStanding = "certified" | "verified" | "unverified" | "overdue" | "deprecated" | "data"

/** Texts of `Answer` and `Citations`, for translation. */
export interface AnswerWords {
  readonly title: string
  readonly verdicts: Readonly<Record<Verdict, string>>
  /** What an enforcing gate would have done in place of the answer that is shown. */
  readonly wouldHave: (verdict: Verdict) => string
  /** Said where the chat model could not be used. */
  readonly builtIn: string
  readonly confidence: (confidence: number) => string
  readonly grounded: (verified: number, total: number) => string
  readonly statuses: Readonly<Record<ClaimStatus, string>>
  /** Description of a word of a claim that no source carries. */
  readonly unmatched: string
  readonly standings: Readonly<Record<CitationStanding, string>>
  readonly chip: (id: string, standing: string) => string
  readonly page: (page: number) => string
  readonly rows: (count: number) => string
  readonly caveats: string
  readonly conflict: (subject: string, attribute: string) => string
  readonly preferred: (sourceId: string, reason: string) => string
  readonly noPreference: string
  readonly pointers: string
  readonly sources: string
}

/** English texts of `Answer` and `Citations`. */
export const englishAnswer: AnswerWords = {
  title: "Answer",
  verdicts: {
    answer: "Answered",
    answer_with_caveats: "Answered with caveats",
    clarify: "The question has several readings",
    abstain_with_pointers: "The documents do not answer this"
  },
  wouldHave: (verdict) =>
    verdict === "clarify"
      ? "An enforcing gate would have asked back"
      : "An enforcing gate would have abstained",
  builtIn: "The chat model could not be used; the built-in model quotes the documents.",
  confidence: (confidence) => `${Math.round(confidence * 100)} % confidence`,
  grounded: (verified, total) =>
    verified === total
      ? total === 1
        ? "The sentence is supported"
        : `All ${total} sentences are supported`
      : `${verified} of ${total} sentences are supported`,
  statuses: {
    supported: "supported",
    partly: "partly supported",
    contradicted: "a source contradicts this",
    unsupported: "no source supports this"
  },
  unmatched: "No source says this word",
  standings: {
    certified: "Certified",
    verified: "Verified",
    unverified: "Unverified",
    overdue: "Review overdue",
    deprecated: "Deprecated",
    data: "Live data"
  },
  chip: (id, standing) => `Source ${id}, ${standing.toLowerCase()}`,
  page: (page) => `page ${page}`,
  rows: (count) => (count === 1 ? "1 row" : `${count} rows`),
  caveats: "Caveats",
  conflict: (subject, attribute) =>
    attribute === "" ? `Sources disagree about ${subject}` : `Sources disagree: ${subject}, ${attribute}`,
  preferred: (sourceId, reason) => `${sourceId} is preferred: ${reason}`,
  noPreference: "Nothing favours either side.",
  pointers: "Where to look:",
  sources: "Sources"
}
