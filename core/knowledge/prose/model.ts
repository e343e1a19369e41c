/** Types of names in prose. */
export type NameType = "person" | "organization" | "place" | "product" | "event"

/** An occurrence of a name in a text. */
export interface NameSpan {
  readonly start: number
  readonly end: number
  /** Without titles, an article and a possessive ending. */
  readonly name: string
  readonly type: NameType | null
  /**
   * Certainty that this is a name: a likely one stands at the start of a sentence, where a verb behind it is its only
   * sign; an unsure one needs the same name, or a longer one with it, elsewhere in the text.
   */
  readonly certainty: "sure" | "likely" | "unsure"
}

/** A thing that a text names, under all of its names there. */
export interface NamedInProse {
  /** The longest name. */
  readonly name: string
  readonly type: NameType | null
  /** Other names of it in this text. */
  readonly aliases: ReadonlyArray<string>
  /** Number of occurrences. */
  readonly count: number
  /** Whether at least one of them is sure. */
  readonly sure: boolean
}

/** A relation that a sentence states. */
export interface StatedRelation {
  readonly type: string
  readonly from: string
  readonly to: string
  readonly fromType: NameType | null
  readonly toType: NameType | null
  /** The rule that found it. */
  readonly rule: string
  /** Offsets of the sentence in the text. */
  readonly start: number
  readonly end: number
}

export interface ProseFacts {
  readonly names: ReadonlyArray<NamedInProse>
  readonly relations: ReadonlyArray<StatedRelation>
}
