import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { ByteCache, bytesFor } from "../caching/index.js"
import { serviceLayer } from "../kernel/index.js"
import { analyse } from "../tokenization/index.js"
import { ReadPassage, ReadText } from "./read-text.js"
import type { Analyser } from "./terms.js"

/**
 * Texts that were read, by the texts themselves: what is kept of one follows from its letters alone, so it can be
 * neither out of date nor anybody's secret. Bounded in bytes; forgets what was used longest ago.
 */
export class TextMemory {
  private readonly passages: ByteCache<ReadPassage>
  private readonly texts: ByteCache<ReadText>

  /** @param limitBytes 0 remembers nothing. */
  constructor(
    private readonly analyse: Analyser,
    limitBytes: number
  ) {
    this.passages = new ByteCache(limitBytes * passagesShare)
    this.texts = new ByteCache(limitBytes * (1 - passagesShare))
  }

  /** What all that is kept is taken to weigh. */
  get sizeBytes(): number {
    return this.passages.sizeBytes + this.texts.sizeBytes
  }

  /** A text beside the passages: a title, a path with headings, a passage's own words among others. */
  read(text: string): ReadText {
    if (text.length > rememberedUnitsMax) return new ReadText(text, this.analyse)
    const held = this.texts.get(text)
    if (held !== undefined) return held
    const made = new ReadText(text, this.analyse)
    this.texts.set(text, made, textBytes + text.length * bytesPerUnit)
    return made
  }

  passage(text: string): ReadPassage {
    if (text.length > rememberedUnitsMax) return new ReadPassage(text, this.analyse)
    const held = this.passages.get(text)
    if (held !== undefined) return held
    const made = new ReadPassage(text, this.analyse)
    this.passages.set(text, made, passageBytes + text.length * bytesPerPassageUnit)
    return made
  }
}

/** A longer text may be the beginning of one that is longer still, which would be kept with it. */
const rememberedUnitsMax = 8000
const passagesShare = 0.8
/** What texts and all that is known of them take, measured: a little more than the heap grew by. */
const textBytes = 600
const bytesPerUnit = 12
const passageBytes = 2000
const bytesPerPassageUnit = 48

/** The memory of an engine; where none was put, one for the process. */
export class AnswerTexts extends Context.Reference<AnswerTexts>()("kanon/AnswerTexts", {
  defaultValue: () => new TextMemory(analyse, limitBytesByDefault)
}) {}

/** About 1,500 passages: those of some fifty questions that have nothing in common. */
const limitBytesByDefault = 64 * 1024 * 1024

/** A memory of what caches may keep. */
export const answerTexts = () =>
  serviceLayer(
    AnswerTexts,
    Effect.map(bytesFor("answers"), (limitBytes) => new TextMemory(analyse, limitBytes))
  )
