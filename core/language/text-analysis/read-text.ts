import { memoize } from "../../platform/caching/index.js"
import { isFunctionWord, type Language, languageOf } from "../languages/index.js"
import { findValues, type Value } from "../values/index.js"
import { type Anchor, AnchorField, findAnchors } from "./anchors.js"
import { type Analyser, contentTerms, type Term, TermSet, type Token } from "./terms.js"
import { type TextUnit, textUnits } from "./units.js"
import { withWholeNumbers } from "./whole-numbers.js"

/** A text with question-independent facts, each computed on first use. */
export class ReadText {
  private knownSet: TermSet | undefined
  private knownValues: ReadonlyArray<Value> | undefined
  private knownField: AnchorField | undefined
  private knownLanguage: Language | undefined
  private knownTerms: ByLanguage<Term> | undefined
  private knownTokens: ByLanguage<Token> | undefined
  private knownAnchors: ByLanguage<Anchor> | undefined

  constructor(
    readonly text: string,
    protected readonly analyse: Analyser
  ) {}

  /** Distinct terms. */
  get set(): TermSet {
    this.knownSet ??= new TermSet(withWholeNumbers(this.text, this.words).map(({ term }) => term))
    return this.knownSet
  }

  get values(): ReadonlyArray<Value> {
    this.knownValues ??= findValues(this.text)
    return this.knownValues
  }

  get field(): AnchorField {
    this.knownField ??= new AnchorField(this.text, this)
    return this.knownField
  }

  get language(): Language {
    this.knownLanguage ??= languageOf(this.text)
    return this.knownLanguage
  }

  /** Returns the content terms for a language. */
  termsIn(language: Language): ReadonlyArray<Term> {
    if (this.knownTerms?.language !== language) {
      const analyse: Analyser = (text) => (text === this.text ? this.words : this.analyse(text))
      this.knownTerms = { language, found: contentTerms(analyse, this.text, language) }
    }
    return this.knownTerms.found
  }

  /** Returns the words in order for a language. */
  tokensIn(language: Language): ReadonlyArray<Token> {
    if (this.knownTokens?.language !== language) {
      const found = withWholeNumbers(this.text, this.words).map(({ end, start, term }) => ({
        term,
        isContent: !isFunctionWord(this.text.slice(start, end), language)
      }))
      this.knownTokens = { language, found }
    }
    return this.knownTokens.found
  }

  /** Returns the anchors for a language. */
  anchorsIn(language: Language): ReadonlyArray<Anchor> {
    if (this.knownAnchors?.language !== language)
      this.knownAnchors = { language, found: findAnchors(this.text, language, this.values) }
    return this.knownAnchors.found
  }

  /** The indexed words. Not cached, because many texts are. */
  get words(): ReturnType<Analyser> {
    return this.analyse(this.text)
  }

  /** Analyses a part of it, or another text, with the same analyser. */
  part(text: string): ReadText {
    return new ReadText(text, this.analyse)
  }
}

/** A text whose terms and words are needed together; both come from one analysis. */
export class ReadAtOnce extends ReadText {
  private knownWords: ReturnType<Analyser> | undefined

  override get words(): ReturnType<Analyser> {
    this.knownWords ??= super.words
    return this.knownWords
  }
}

/** Caches the result for the last language: a text is nearly always analysed for one language. */
interface ByLanguage<Found> {
  readonly language: Language
  readonly found: ReadonlyArray<Found>
}

/** An analysed unit of a passage. */
export class ReadUnit extends ReadText implements TextUnit {
  readonly kind: TextUnit["kind"]
  readonly start: number
  readonly end: number
  readonly block: number
  readonly heading: string
  readonly lead: string
  readonly opening: string
  private knownPlace: AnchorField | undefined
  private knownRowValues: ReadonlyArray<Value> | undefined

  /** @param raw The corresponding text of the passage. */
  constructor(
    unit: TextUnit,
    readonly raw: string,
    analyse: Analyser
  ) {
    super(unit.text, analyse)
    this.kind = unit.kind
    this.start = unit.start
    this.end = unit.end
    this.block = unit.block
    this.heading = unit.heading
    this.lead = unit.lead
    this.opening = unit.opening
  }

  /**
   * Values of the text; for a table row also the cells whose unit stands in the header: "Depth (m): 14.2", "Price EUR:
   * 20".
   */
  override get values(): ReadonlyArray<Value> {
    this.knownRowValues ??= this.kind === "row" ? rowValues(this.text, super.values) : super.values
    return this.knownRowValues
  }

  /** The unit with its lead-in and heading. */
  get place(): AnchorField {
    // The full name of a key includes its parents: "store.port".
    const link = this.kind === "setting" ? "." : " "
    this.knownPlace ??= new AnchorField(`${this.lead}${link}${this.text} ${this.heading}`)
    return this.knownPlace
  }
}

const rowValues = (row: string, values: ReadonlyArray<Value>): ReadonlyArray<Value> => {
  const found: Array<Value> = []
  let at = 0
  for (const cell of row.split("; ")) {
    const [, head = "", unit = "", number = ""] = headedNumber.exec(cell) ?? []
    const [only] =
      unit === "" || /(?:per|a|each)\s+\S+$/iu.test(head.replace(/[)\]]?: $/u, ""))
        ? []
        : findValues(`${number} ${unit}`)
    if (only?.kind === "quantity" && only.dimension !== "count")
      found.push({ ...only, start: at + head.length, end: at + cell.length })
    at += cell.length + 2
  }
  return found.length === 0
    ? values
    : [...values.filter(({ start }) => !found.some((one) => one.start === start)), ...found].sort(
        (a, b) => a.start - b.start
      )
}
/** A cell with a number alone below a header that ends with a unit. */
const headedNumber = /^([^:]{1,80}?[\s(,[/]+([\p{L}%€$£°]{1,12})[)\]]?: )(-?\d[\d.,\u00a0 ]{0,20})$/u

/** An analysed claim; several checks of one question use it, and it is not cached beyond that. */
export class ReadClaim extends ReadUnit {
  private knownWords: ReturnType<Analyser> | undefined

  override get words(): ReturnType<Analyser> {
    this.knownWords ??= super.words
    return this.knownWords
  }
}

/** The text of a passage, split into units. */
export class ReadPassage extends ReadText {
  private knownUnits: ReadonlyArray<ReadUnit> | undefined
  private knownUnitTerms: TermSet | undefined
  private knownHeaded: { readonly head: string; readonly read: ReadText } | undefined
  private readonly parts = new Map<string, ReadText>()

  /** @param context See `textUnits`. */
  constructor(
    text: string,
    analyse: Analyser,
    private readonly context = ""
  ) {
    super(text, analyse)
  }

  get units(): ReadonlyArray<ReadUnit> {
    this.knownUnits ??= textUnits(this.text, this.context).map(
      (unit) => new ReadUnit(unit, this.text.slice(unit.start, unit.end), this.analyse)
    )
    return this.knownUnits
  }

  /** The terms of all units. */
  get unitTerms(): TermSet {
    this.knownUnitTerms ??= TermSet.union(this.units.map(({ set }) => set))
    return this.knownUnitTerms
  }

  /** Returns an analysed heading or lead-in of the passage, cached with it. */
  within(text: string): ReadText {
    const cached = this.parts.get(text)
    if (cached !== undefined) return cached
    const made = this.part(text)
    this.parts.set(text, made)
    return made
  }

  /** Returns the passage preceded by title, headings and path. Caches the last result, because these rarely change. */
  under(head: string): ReadText {
    if (this.knownHeaded?.head !== head)
      this.knownHeaded = { head, read: this.part(`${head} | ${this.text}`) }
    return this.knownHeaded.read
  }
}

/** Returns the words of a text in lower case, in order, without digits. */
export const lettersIn = (text: string): ReadonlyArray<string> =>
  text.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? []

/** Returns the same for an analysed text, memoized. */
export const lettersOf = memoize(({ text }: ReadText) => lettersIn(text))
