import { type Anchor, AnchorField, findAnchors } from "./anchors.js"
import { isFunctionWord, type Language, languageOf } from "./language.js"
import { type Analyser, contentTerms, type Term, TermSet, type Token } from "./terms.js"
import { type TextUnit, textUnits } from "./units.js"
import { findValues, type Value } from "./values.js"

/** A text with what is known of it whatever is asked: worked out when it is first needed. */
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

  /** Its distinct terms. */
  get set(): TermSet {
    this.knownSet ??= new TermSet(this.words.map(({ term }) => term))
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

  /** Its content terms, read in a language. */
  termsIn(language: Language): ReadonlyArray<Term> {
    if (this.knownTerms?.language !== language) {
      const analyse: Analyser = (text) => (text === this.text ? this.words : this.analyse(text))
      this.knownTerms = { language, found: contentTerms(analyse, this.text, language) }
    }
    return this.knownTerms.found
  }

  /** Its words in their order, read in a language. */
  tokensIn(language: Language): ReadonlyArray<Token> {
    if (this.knownTokens?.language !== language) {
      const found = this.words.map(({ end, start, term }) => ({
        term,
        isContent: !isFunctionWord(this.text.slice(start, end), language)
      }))
      this.knownTokens = { language, found }
    }
    return this.knownTokens.found
  }

  /** What it names, read in a language. */
  anchorsIn(language: Language): ReadonlyArray<Anchor> {
    if (this.knownAnchors?.language !== language)
      this.knownAnchors = { language, found: findAnchors(this.text, language, this.values) }
    return this.knownAnchors.found
  }

  /** Its words as they are indexed: of the many texts that are remembered they are not kept. */
  get words(): ReturnType<Analyser> {
    return this.analyse(this.text)
  }

  /** A piece of it, or another text, read alike. */
  part(text: string): ReadText {
    return new ReadText(text, this.analyse)
  }
}

/** A text of which the terms and the words are asked for at once: they are told from each other once. */
export class ReadAtOnce extends ReadText {
  private knownWords: ReturnType<Analyser> | undefined

  override get words(): ReturnType<Analyser> {
    this.knownWords ??= super.words
    return this.knownWords
  }
}

/** A text is read in one language nearly always: the last one is remembered. */
interface ByLanguage<Found> {
  readonly language: Language
  readonly found: ReadonlyArray<Found>
}

/** A unit of a passage, read. */
export class ReadUnit extends ReadText implements TextUnit {
  readonly kind: TextUnit["kind"]
  readonly start: number
  readonly end: number
  readonly block: number
  readonly heading: string
  readonly lead: string
  private knownPlace: AnchorField | undefined

  /** @param raw What stands in the passage for it. */
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
  }

  /** The unit with its lead-in and heading. */
  get place(): AnchorField {
    // A key of a block is called by all that it stands below: "store.port".
    const link = this.kind === "setting" ? "." : " "
    this.knownPlace ??= new AnchorField(`${this.lead}${link}${this.text} ${this.heading}`)
    return this.knownPlace
  }
}

/** What somebody claims: looked at from several sides for one question, and kept no longer than that. */
export class ReadClaim extends ReadUnit {
  private knownWords: ReturnType<Analyser> | undefined

  override get words(): ReturnType<Analyser> {
    this.knownWords ??= super.words
    return this.knownWords
  }
}

/** The text of a passage, cut into units. */
export class ReadPassage extends ReadText {
  private knownUnits: ReadonlyArray<ReadUnit> | undefined
  private knownUnitTerms: TermSet | undefined
  private knownHeaded: { readonly head: string; readonly read: ReadText } | undefined
  private readonly parts = new Map<string, ReadText>()

  get units(): ReadonlyArray<ReadUnit> {
    this.knownUnits ??= textUnits(this.text).map(
      (unit) => new ReadUnit(unit, this.text.slice(unit.start, unit.end), this.analyse)
    )
    return this.knownUnits
  }

  /** The terms of all units. */
  get unitTerms(): TermSet {
    this.knownUnitTerms ??= TermSet.union(this.units.map(({ set }) => set))
    return this.knownUnitTerms
  }

  /** A heading or lead-in of the passage, which is kept with it. */
  within(text: string): ReadText {
    const held = this.parts.get(text)
    if (held !== undefined) return held
    const made = this.part(text)
    this.parts.set(text, made)
    return made
  }

  /** The passage behind its title, headings and path: hardly ever under others than the last time. */
  under(head: string): ReadText {
    if (this.knownHeaded?.head !== head)
      this.knownHeaded = { head, read: this.part(`${head} | ${this.text}`) }
    return this.knownHeaded.read
  }
}
