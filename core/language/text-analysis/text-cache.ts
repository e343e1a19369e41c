import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { ByteCache, bytesFor } from "../../platform/caching/index.js"
import { serviceLayer } from "../../platform/kernel/index.js"
import { analyse } from "../tokenization/index.js"
import { ReadPassage, ReadText } from "./read-text.js"
import type { Analyser } from "./terms.js"

/**
 * A cache of analysed texts, keyed by the text. Entries depend on the text only, so they cannot be stale or leak data
 * of another workspace. Bounded in bytes, least recently used first.
 */
export class TextCache {
  private readonly passages: ByteCache<ReadPassage>
  private readonly texts: ByteCache<ReadText>

  /** @param limitBytes 0 disables the cache. */
  constructor(
    private readonly analyse: Analyser,
    limitBytes: number
  ) {
    this.passages = new ByteCache(limitBytes * passagesShare)
    this.texts = new ByteCache(limitBytes * (1 - passagesShare))
  }

  /** Estimated size of all entries. */
  get sizeBytes(): number {
    return this.passages.sizeBytes + this.texts.sizeBytes
  }

  /** Returns an analysed text other than a passage: a title, a path with headings, a part of a passage. */
  read(text: string): ReadText {
    if (text.length > rememberedUnitsMax) return new ReadText(text, this.analyse)
    const cached = this.texts.get(text)
    if (cached !== undefined) return cached
    const made = new ReadText(text, this.analyse)
    this.texts.set(text, made, textBytes + text.length * bytesPerUnit)
    return made
  }

  /** @param context See `textUnits`. */
  passage(text: string, context = ""): ReadPassage {
    if (text.length > rememberedUnitsMax) return new ReadPassage(text, this.analyse, context)
    const key = context === "" ? text : `${context}\0${text}`
    const cached = this.passages.get(key)
    if (cached !== undefined) return cached
    const made = new ReadPassage(text, this.analyse, context)
    this.passages.set(key, made, passageBytes + text.length * bytesPerPassageUnit)
    return made
  }
}

/** A longer text may be a slice of an even longer one, which would be kept alive. */
const rememberedUnitsMax = 8000
const passagesShare = 0.8
/** Measured memory of texts and their facts, rounded up. */
const textBytes = 600
const bytesPerUnit = 12
const passageBytes = 2000
const bytesPerPassageUnit = 48

/** The text cache of an engine; by default one per process. */
export class AnswerTexts extends Context.Reference<AnswerTexts>()("kanon/AnswerTexts", {
  defaultValue: () => new TextCache(analyse, limitBytesByDefault)
}) {}

/** About 1,500 passages: those of some fifty unrelated questions. */
const limitBytesByDefault = 64 * 1024 * 1024

/** Makes a cache of the configured size. */
export const answerTexts = () =>
  serviceLayer(
    AnswerTexts,
    Effect.map(bytesFor("answers"), (limitBytes) => new TextCache(analyse, limitBytes))
  )
