import { nameNorm } from "../kernel/index.js"
import { type Anchor, AnchorField } from "./anchors.js"
import type { Evidence, EvidencePassage } from "./evidence.js"
import { contentTerms, type Term, TermSet } from "./terms.js"
import type { TextUnit } from "./units.js"

/** What a question term found outside a unit is worth there; inside it is 1. Measured: docs/answers-quality.md. */
const weights = { lead: 0.9, heading: 0.9, title: 0.8, passage: 0.25 }

/** What stands around the units of a passage: lead-in, headings, title, path, the passage as a whole. */
export class Surroundings {
  /** The document carries an anchor of the question in title or path: the asker named it. */
  readonly isNamed: boolean
  private readonly title: TermSet
  private readonly passage: TermSet
  private readonly byAnchor = new Map<Anchor, { readonly head: number; readonly far: number }>()
  private readonly byText = new Map<string, TermSet>()
  private readonly headField: AnchorField
  private readonly passageField: AnchorField
  private readonly headings: string

  constructor(
    private readonly evidence: Evidence,
    private readonly source: EvidencePassage
  ) {
    const { docTitle, docPath, headingPath } = source.passage
    const name = [...namesOf(evidence, docTitle), pathWords(docPath)].join(" | ")
    this.headings = headingPath.join(" > ")
    this.title = termSet(evidence, name)
    this.passage = termSet(evidence, source.text)
    this.headField = new AnchorField(`${name} | ${this.headings}`)
    this.passageField = new AnchorField(source.text)
    const title = new AnchorField(name)
    // A name may be of anything that documents speak of; a code or a quoted title is of one.
    this.isNamed = evidence.question.anchors.some(
      (anchor) => (anchor.kind === "code" || anchor.kind === "phrase") && title.has(anchor)
    )
  }

  /** How well what surrounds the unit carries a term, 0 to 0.9. */
  match(term: string, unit: TextUnit): number {
    const { language } = this.evidence.question
    return Math.max(
      weights.lead * this.cached(unit.lead).match(term, language),
      weights.heading * this.cached(`${this.headings} ${unit.heading}`).match(term, language),
      weights.title * this.title.match(term, language),
      weights.passage * this.passage.match(term, language)
    )
  }

  /** How well what leads to the unit (the sentence before its list, the items above it) carries a term, 0 to 1. */
  leadMatch(term: string, unit: TextUnit): number {
    return unit.lead === "" ? 0 : this.cached(unit.lead).match(term, this.evidence.question.language)
  }

  /** Whether the document or a heading above is of that code: every sentence there speaks of it. */
  isOf(code: Anchor): boolean {
    return this.headField.has(code)
  }

  /** The same for an anchor of the question that is looked up whole. */
  matchAnchor(anchor: Anchor): number {
    const { far, head } = this.sharesOf(anchor)
    return head === 1 ? weights.title : far === 1 ? weights.passage : 0
  }

  /**
   * 0 when a code, phrase or value of the question is nowhere near; below 1 when it stands elsewhere in the passage.
   *
   * @param field The unit with its lead-in and heading.
   */
  anchorFactor(field: AnchorField): number {
    return this.evidence.question.anchors.reduce(
      (factor, anchor) => factor * this.oneAnchor(anchor, field),
      1
    )
  }

  /** What title, headings and passage hold of an anchor: the same for each unit, and a long text to look through. */
  private sharesOf(anchor: Anchor): { readonly head: number; readonly far: number } {
    const held = this.byAnchor.get(anchor)
    if (held !== undefined) return held
    const made = { head: this.headField.share(anchor), far: this.passageField.share(anchor) }
    this.byAnchor.set(anchor, made)
    return made
  }

  private oneAnchor(anchor: Anchor, unit: AnchorField): number {
    const { far, head } = this.sharesOf(anchor)
    const near = Math.max(unit.share(anchor), head)
    if (near === 1) return 1
    if (far === 1) return 0.85
    // Part of a name ("Charles" for "King Charles III") is weak support; a code or phrase has no parts.
    return anchor.kind === "name" ? 0.8 * Math.max(near, 0.85 * far) : 0
  }

  /**
   * How much the document or the nearest heading is about the subject of a definition question, 0 to 1: the
   * question names it, or how much of its title or heading the subject makes up.
   */
  aboutness(subject: string, unit: TextUnit): number {
    if (this.isNamed) return 1
    const terms = contentTerms(this.evidence.analyse, subject, this.evidence.question.language)
    return Math.max(
      this.shareOf(this.source.passage.docTitle, terms),
      0.9 * this.shareOf(headingOf(this.source, unit), terms)
    )
  }

  /** True for a heading of two words or more that all stand in the question ("Gas cost", "Hotel limits"). */
  isAsked(heading: string): boolean {
    const terms = this.cached(heading)
    return (
      terms.size >= 2 &&
      terms.every((term) => this.evidence.question.terms.some((asked) => asked.term === term))
    )
  }

  private shareOf(title: string, subject: ReadonlyArray<Term>): number {
    const terms = this.cached(title)
    if (subject.length === 0 || terms.size === 0) return 0
    const all = subject.every(({ term }) => terms.match(term, this.evidence.question.language) >= 0.7)
    return all ? 0.3 + 0.7 * Math.min(1, subject.length / terms.size) : 0
  }

  private cached(text: string): TermSet {
    const held = this.byText.get(text)
    if (held !== undefined) return held
    const made = termSet(this.evidence, text)
    this.byText.set(text, made)
    return made
  }
}

/** What a document is called: its title, and the other name by which the question calls what the title names. */
export const namesOf = (evidence: Evidence, docTitle: string): ReadonlyArray<string> => [
  docTitle,
  ...otherNameOf(evidence, docTitle)
]

/** Empty where more than one thing, or more than one name, could be meant. */
const otherNameOf = ({ entities, question }: Evidence, docTitle: string): ReadonlyArray<string> => {
  const asked = ` ${nameNorm(question.text)} `
  const unnamed = entities.filter(({ name }) => !asked.includes(nameNorm(name)))
  const [only] = unnamed
  if (only === undefined || unnamed.length > 1 || nameNorm(only.name) !== nameNorm(docTitle)) return []
  const known = entities.map(({ name }) => nameNorm(name))
  const left = question.anchors.filter(
    ({ kind, text }) => kind === "name" && !known.some((name) => name.includes(nameNorm(text)))
  )
  return left.length === 1 ? left.map(({ text }) => text) : []
}

/** The terms of a text as a set. */
export const termSet = ({ analyse }: Pick<Evidence, "analyse">, text: string): TermSet =>
  new TermSet(analyse(text).map(({ term }) => term))

/** The nearest heading above a unit; empty when there is none. */
export const headingOf = (source: EvidencePassage, unit: TextUnit): string =>
  unit.heading === "" ? (source.passage.headingPath.at(-1) ?? "") : unit.heading

/** The last two parts of a path: "EIPS | eip-1559". */
const pathWords = (path: string): string => path.replace(/\.md$/iu, "").split("/").slice(-2).join(" | ")
