import type { Passage } from "../documents/index.js"
import type { DocumentId } from "../kernel/index.js"
import {
  type Analyser,
  type Idf,
  type Question,
  type ReadPassage,
  type ReadUnit,
  TextMemory
} from "../text-analysis/index.js"
import type { DetectedEntity } from "./registry.js"

/** A passage that retrieval found, with its score (no unit; higher is better). */
export interface ScoredPassage {
  readonly passage: Passage
  readonly score: number
}

/** A passage under its registry id, cut into units that can be quoted. */
export interface EvidencePassage {
  /** `S1` is the best. */
  readonly id: string
  /** From 1. */
  readonly rank: number
  readonly passage: Passage
  /** The part of the passage that is read: at most `passageMaxChars`. */
  readonly text: string
  readonly read: ReadPassage
  readonly units: ReadonlyArray<ReadUnit>
}

/** The rows of one governed data call. */
export interface EvidenceData {
  readonly id: string
  readonly queryTitle: string
  /** The name of the entity that the rows were read for. */
  readonly about?: string
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly rowCount: number
  /** The call hit its row or size limit: what is here is not all. */
  readonly truncated: boolean
  /** The execution that gave the rows; absent where there was none. */
  readonly call?: {
    readonly dataCallId: string
    readonly connectorName: string
    readonly executedAt: string
  }
}

/** Everything that may carry an answer, as one plain value: what follows reads this and asks nobody. */
export interface Evidence {
  readonly question: Question
  readonly sources: ReadonlyArray<EvidencePassage>
  readonly data: ReadonlyArray<EvidenceData>
  readonly entities: ReadonlyArray<DetectedEntity>
  /** Documents that say of themselves that they are out of use; those that are deprecated need not be among them. */
  readonly retired: ReadonlySet<DocumentId>
  readonly idf: Idf
  readonly analyse: Analyser
  /** Where texts are read, so that none is read twice. */
  readonly texts: TextMemory
}

/** A longer passage (one line of data, say) is read up to here, which bounds the work and the prompt. */
const passageMaxChars = 12_000

/** Numbers the passages in their order and cuts them into units. */
export const makeEvidence = (input: {
  readonly question: Question
  readonly passages: ReadonlyArray<Passage>
  readonly data?: ReadonlyArray<EvidenceData>
  readonly entities?: ReadonlyArray<DetectedEntity>
  readonly retired?: ReadonlySet<DocumentId>
  readonly idf: Idf
  readonly analyse: Analyser
  /** One of its own by default; it has to read as `analyse` does. */
  readonly texts?: TextMemory
}): Evidence => {
  const texts = input.texts ?? new TextMemory(input.analyse, ownTextsBytes)
  return {
    question: input.question,
    sources: input.passages.map((passage, index) => {
      const text = cutAt(passage.text, passageMaxChars)
      const read = texts.passage(text)
      return { id: `S${index + 1}`, rank: index + 1, passage, text, read, units: read.units }
    }),
    data: input.data ?? [],
    entities: input.entities ?? [],
    retired: input.retired ?? new Set(),
    idf: input.idf,
    analyse: input.analyse,
    texts
  }
}

/** Enough for the texts of one question. */
const ownTextsBytes = 4 * 1024 * 1024

/** The first `max` UTF-16 units, never half a character. */
const cutAt = (text: string, max: number): string => {
  if (text.length <= max) return text
  const last = text.charCodeAt(max - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max)
}

/** The citation marker of a registry id. */
export const marker = (id: string): string => `[${id}]`

/** The weights that are known; other words weigh like the mean of those. */
export const idfOf = (weights: ReadonlyMap<string, number>): Idf => {
  const values = [...weights.values()]
  const mean = values.length === 0 ? 1 : values.reduce((sum, value) => sum + value, 0) / values.length
  return (term) => weights.get(term) ?? mean
}
