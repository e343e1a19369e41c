import type { Passage } from "../../files/documents/index.js"
import { splitContext } from "../../files/markdown/index.js"
import type { Question } from "../../language/questions/index.js"
import {
  type Analyser,
  type Idf,
  ReadClaim,
  type ReadPassage,
  type ReadUnit,
  TextCache,
  withoutRetractions
} from "../../language/text-analysis/index.js"
import type { Thesaurus } from "../../language/word-relations/index.js"
import { memoize } from "../../platform/caching/index.js"
import { type ChunkId, type DataQueryId, type DocumentId, normalForm } from "../../platform/kernel/index.js"
import { withoutInstructions } from "./instructions.js"
import type { DetectedEntity } from "./registry.js"
import { type AnswerStyle, plainStyle } from "./style.js"

/** A retrieved passage with its score (no unit; higher is better). */
export interface ScoredPassage {
  readonly passage: Passage
  readonly score: number
}

/** A passage with its registry id, split into quotable units. */
export interface EvidencePassage {
  /** `S1` is the best. */
  readonly id: string
  /** From 1. */
  readonly rank: number
  /** Its heading path holds headings only. */
  readonly passage: Passage
  /** The passage as it was stored. */
  readonly stored: Passage
  /** The header row, key path or introducing sentence of a block that begins before it; else empty. */
  readonly context: string
  /** The analysed part of the passage, at most `passageMaxChars`, without struck-out text and comments. */
  readonly text: string
  readonly read: ReadPassage
  readonly units: ReadonlyArray<ReadUnit>
}

/** The rows of one governed data call. */
export interface EvidenceData {
  readonly id: string
  /** The named query; absent where the rows are of none. */
  readonly queryId?: DataQueryId
  readonly queryTitle: string
  /** The name of the entity that the rows were read for. */
  readonly about?: string
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly rowCount: number
  /** The call hit its row or size limit, so the rows are incomplete. */
  readonly truncated: boolean
  /** Authority of the rows beside documents, as the workspace sets it. */
  readonly standing?: "asserted" | "curated" | "certified"
  /** The execution that gave the rows; absent where there was none. */
  readonly call?: {
    readonly dataCallId: string
    readonly connectorName: string
    readonly executedAt: string
  }
}

/** Sentences whose relation between named things tells that they answer a question, or that they do not. */
export interface KnownAnswers {
  /** With the text of the question, or of its part, that they answer. */
  readonly said: ReadonlyArray<{ readonly of: string; readonly sentence: string }>
  /** They state another relation than the one that is asked for. */
  readonly others: ReadonlyArray<string>
}

/** Everything that may support an answer, as one plain value; later steps need no other input. */
export interface Evidence {
  readonly question: Question
  readonly sources: ReadonlyArray<EvidencePassage>
  readonly data: ReadonlyArray<EvidenceData>
  readonly entities: ReadonlyArray<DetectedEntity>
  readonly stated: KnownAnswers
  /** Documents whose front matter declares them retired; deprecated ones need not be included. */
  readonly retired: ReadonlySet<DocumentId>
  /** Nearness by the vectors learned from the workspace, by passage: 0 for other vectors and where there is none. */
  readonly cosines: ReadonlyMap<ChunkId, number>
  readonly idf: Idf
  readonly analyse: Analyser
  /** The cache of analysed texts. */
  readonly texts: TextCache
  /** Word relations of the workspace beside the built-in ones. */
  readonly thesaurus?: Thesaurus
  /** How the answer is to be worded. */
  readonly style: AnswerStyle
  /** The day on which the question is asked, or that it reads the workspace of; absent where that does not matter. */
  readonly today?: string
}

/** Longer passages (one line of data, for example) are cut, which bounds the work and the prompt. */
const passageMaxChars = 12_000

/** Numbers the passages in order and splits them into units. */
export const makeEvidence = (input: {
  readonly question: Question
  readonly passages: ReadonlyArray<Passage>
  readonly data?: ReadonlyArray<EvidenceData>
  readonly entities?: ReadonlyArray<DetectedEntity>
  readonly stated?: KnownAnswers
  readonly retired?: ReadonlySet<DocumentId>
  readonly cosines?: ReadonlyMap<ChunkId, number>
  readonly idf: Idf
  readonly analyse: Analyser
  /** A cache of its own by default; it must use the same analyser. */
  readonly texts?: TextCache
  readonly thesaurus?: Thesaurus | undefined
  readonly style?: AnswerStyle
  readonly today?: string | undefined
}): Evidence => {
  const texts = input.texts ?? new TextCache(input.analyse, ownTextsBytes)
  return {
    question: input.question,
    sources: input.passages.map((stored, index) => {
      const { context, passage, stated, text } = readable(stored)
      const read = texts.passage(stated, context)
      const id = `S${index + 1}`
      return { id, rank: index + 1, passage, stored: stored, context, text, read, units: read.units }
    }),
    data: input.data ?? [],
    entities: input.entities ?? [],
    stated: input.stated ?? { said: [], others: [] },
    retired: input.retired ?? new Set(),
    cosines: input.cosines ?? new Map(),
    idf: input.idf,
    analyse: input.analyse,
    texts,
    style: input.style ?? plainStyle,
    ...(input.thesaurus === undefined ? {} : { thesaurus: input.thesaurus }),
    ...(input.today === undefined ? {} : { today: input.today })
  }
}

/**
 * The passage with its context apart from its headings, and its text in composed form (NFC), without what is struck
 * out or a comment; `stated` leaves out instructions too. Memoized: a selected passage was read in the pool.
 */
const readable = memoize(
  (passage: Passage): Pick<EvidencePassage, "passage" | "context" | "text"> & { readonly stated: string } => {
    const { context, headings } = splitContext(passage.headingPath)
    const text = withoutRetractions(cutAt(normalForm(passage.text, "NFC"), passageMaxChars))
    return {
      passage: context === "" ? passage : { ...passage, headingPath: headings },
      context,
      text,
      stated: withoutInstructions(text)
    }
  }
)

/** Cache size for the texts of one question. */
const ownTextsBytes = 4 * 1024 * 1024

/** Returns the first `max` UTF-16 units without splitting a character. */
const cutAt = (text: string, max: number): string => {
  if (text.length <= max) return text
  const last = text.charCodeAt(max - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max)
}

/** The citation marker of a registry id. */
export const marker = (id: string): string => `[${id}]`

/** Returns the known weights; other words get the mean of those. */
export const idfOf = (weights: ReadonlyMap<string, number>): Idf => {
  const values = [...weights.values()]
  const mean = values.length === 0 ? 1 : values.reduce((sum, value) => sum + value, 0) / values.length
  return (term) => weights.get(term) ?? mean
}

/** Returns the text of a claim, analysed as a sentence; cached per evidence, because several checks use it. */
export const claimText = (evidence: Evidence, text: string): ReadUnit => {
  const known = textsOf(evidence)
  const cached = known.get(text)
  if (cached !== undefined) return cached
  const readClaim = new ReadClaim(
    { kind: "sentence", text, start: 0, end: text.length, block: 0, heading: "", lead: "", opening: "" },
    text,
    evidence.analyse
  )
  known.set(text, readClaim)
  return readClaim
}

/** Cached as long as the evidence, that is, for one question. */
const textsOf = memoize((_: Evidence) => new Map<string, ReadUnit>())
