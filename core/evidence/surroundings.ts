import { nameNorm } from "../kernel/index.js"
import {
  type Anchor,
  AnchorField,
  isMonth,
  isWeekday,
  isWithinBound,
  memoize,
  plain,
  type Question,
  type ReadPassage,
  type ReadText,
  type ReadUnit,
  type Row,
  type Sought,
  type Term,
  type TermSet,
  type TextUnit,
  tellsMonths
} from "../text-analysis/index.js"
import type { Evidence, EvidencePassage } from "./evidence.js"

/** What a question term found outside a unit is worth there; inside it is 1. Measured: docs/answers-quality.md. */
const weights = { lead: 0.9, heading: 0.9, title: 0.8, passage: 0.25 }

/** A sentence before the first that names a thing, or outside of the section of that name, hardly speaks of it. */
const ofAnother = 0.5
/** A row beside that of the thing that is named speaks of another. */
const ofAnotherRow = 0.4

/** "May I spend 20 euros?" is answered by what no amount changes, or by another amount. */
const otherAmount = 0.75

interface Shares {
  /** What title and headings hold of an anchor, and what the passage. */
  readonly head: number
  readonly far: number
  /** Where the first unit begins that names it. */
  readonly first: number
  /** The sections of the passage that are called so. */
  readonly own: ReadonlyArray<Section>
  /** The tables with a row of it: their other rows are of something else. */
  readonly tables: ReadonlySet<number>
}

/** What stands below a heading, smaller ones included. */
interface Section {
  readonly heading: ReadText
  readonly start: number
  readonly end: number
}

const sectionsOf = memoize((passage: ReadPassage): ReadonlyArray<Section> => {
  const headings = [...passage.text.matchAll(/^ {0,3}(#{1,6})[ \t]+(.+)$/gmu)].map((match) => ({
    level: match[1]?.length ?? 1,
    heading: passage.within(plain(match[2] ?? "")),
    start: match.index
  }))
  return headings.map(({ heading, level, start }, at) => ({
    heading,
    start,
    end: headings.slice(at + 1).find((next) => next.level <= level)?.start ?? passage.text.length
  }))
})

/** What stands around the units of a passage: lead-in, headings, title, path, the passage as a whole. */
export class Surroundings {
  /** The document carries an anchor of the question in title or path: the asker named it. */
  readonly isNamed: boolean
  private readonly title: TermSet
  private readonly byAnchor = new Map<Anchor, Shares>()
  private readonly byHeading = new Map<string, Row>()
  private readonly byLead = new Map<string, Row>()
  private lastPlace: { readonly heading: string; readonly lead: string; readonly row: Row } | undefined
  private whole: { readonly title: Row; readonly passage: Row } | undefined
  private readonly headField: AnchorField
  private readonly headings: string

  constructor(
    private readonly evidence: Evidence,
    private readonly source: EvidencePassage,
    private readonly sought: Sought
  ) {
    const { anchors } = evidence.question
    const called = calledOf(source.passage)
    const names = namesOf(evidence, source.passage.docTitle)
    const name = names.length === 1 ? called.name : [...names, called.path].join(" | ")
    this.headings = called.headings
    const read = evidence.texts.read(name)
    this.title = read.set
    this.headField = evidence.texts.read(
      names.length === 1 ? called.head : `${name} | ${called.headings}`
    ).field
    // A name may be of anything that documents speak of; a code or a quoted title is of one.
    this.isNamed = anchors.some(
      (anchor) => (anchor.kind === "code" || anchor.kind === "phrase") && read.field.has(anchor)
    )
  }

  /** How well what surrounds the unit carries each term that is sought, 0 to 0.9. */
  around(unit: TextUnit): Row {
    const heading = this.headed(unit.heading)
    if (unit.lead === "") return heading
    // The items of a list stand one below the other.
    const last = this.lastPlace
    if (last?.heading === unit.heading && last.lead === unit.lead) return last.row
    const lead = this.lead(unit)
    const row = heading.map((value, at) => Math.max(weights.lead * (lead[at] ?? 0), value))
    this.lastPlace = { heading: unit.heading, lead: unit.lead, row }
    return row
  }

  /** How well what leads to the unit (the sentence before its list, the items above it) carries each, 0 to 1. */
  lead({ lead }: TextUnit): Row {
    const held = this.byLead.get(lead)
    if (held !== undefined) return held
    const made = this.sought.rowOf(this.source.read.within(lead).set)
    this.byLead.set(lead, made)
    return made
  }

  /** The same of everything but what leads to it. */
  private headed(heading: string): Row {
    const held = this.byHeading.get(heading)
    if (held !== undefined) return held
    const { read } = this.source
    const above = this.sought.rowOfAll([
      this.evidence.texts.read(this.headings).set,
      read.within(heading).set
    ])
    this.whole ??= { title: this.sought.rowOf(this.title), passage: this.sought.rowOf(read.set) }
    const { passage, title } = this.whole
    const made = above.map((value, at) =>
      Math.max(
        weights.heading * value,
        weights.title * (title[at] ?? 0),
        weights.passage * (passage[at] ?? 0)
      )
    )
    this.byHeading.set(heading, made)
    return made
  }

  /** Whether the document or a heading above is of that code: every sentence there speaks of it. */
  isOf(code: Anchor): boolean {
    return this.headField.has(code)
  }

  /** How well the surroundings carry an anchor of the question that is looked up whole, 0 to 0.8. */
  matchAnchor(anchor: Anchor): number {
    const { far, head } = this.sharesOf(anchor)
    return head === 1 ? weights.title : far === 1 ? weights.passage : 0
  }

  /** 0 when a code, phrase or value of the question is nowhere near; below 1 when it stands elsewhere in the passage. */
  anchorFactor(unit: ReadUnit): number {
    let factor = 1
    for (const anchor of this.evidence.question.anchors) factor *= this.oneAnchor(anchor, unit)
    return factor
  }

  /** What title, headings and passage hold of an anchor: the same for each unit, and a long text to look through. */
  private sharesOf(anchor: Anchor): Shares {
    const held = this.byAnchor.get(anchor)
    if (held !== undefined) return held
    const [head, far] = [this.headField.share(anchor), this.source.read.field.share(anchor)]
    const isThing = anchor.kind === "name" || anchor.kind === "code"
    const isSought = isThing && head < 1 && far === 1
    const first = isSought
      ? this.source.units.find(({ place }) => place.share(anchor) === 1)?.start
      : undefined
    const own = isSought
      ? sectionsOf(this.source.read).filter(({ heading }) => heading.field.share(anchor) === 1)
      : []
    const rows = isSought
      ? this.source.units.filter(
          ({ kind, text }) => kind === "row" && new AnchorField(text).share(anchor) === 1
        )
      : []
    const made = { head, far, first: first ?? 0, own, tables: new Set(rows.map(({ block }) => block)) }
    this.byAnchor.set(anchor, made)
    return made
  }

  private oneAnchor(anchor: Anchor, unit: ReadUnit): number {
    const { far, first, head, own, tables } = this.sharesOf(anchor)
    if (head === 1) return 1
    if (anchor.kind === "name" && isWeekday(anchor.text)) return 1
    if (anchor.kind === "name" && isMonth(anchor.text) && tellsMonths(unit)) return 1
    const near = Math.max(unit.place.share(anchor), head)
    if (near === 1) return 1
    if (unit.kind === "row" && tables.has(unit.block)) return ofAnotherRow
    if (far === 1 && namesAnother(anchor, unit)) return ofAnotherRow
    const isElsewhere =
      own.length > 0 && !own.some(({ end, start }) => unit.start >= start && unit.end <= end)
    if (far === 1) return unit.start < first || isElsewhere ? ofAnother : 0.85
    if (anchor.kind === "value") {
      if (isWithinBound(unit, anchor.value)) return 1
      return this.evidence.question.answerType === "yes-no" ? otherAmount : 0
    }
    // Part of a name ("Charles" for "King Charles III") is weak support; a code or phrase has no parts.
    return anchor.kind === "name" ? 0.8 * Math.max(near, 0.85 * far) : 0
  }

  /**
   * How much the document or the nearest heading is about the subject of a definition question, 0 to 1: the
   * question names it, or how much of its title or heading the subject makes up.
   */
  aboutness(heading: string, subject: ReadonlyArray<Term>): number {
    if (this.isNamed) return 1
    return Math.max(
      this.shareOf(this.evidence.texts.read(this.source.passage.docTitle).set, subject),
      0.9 * this.shareOf(this.source.read.within(heading).set, subject)
    )
  }

  private shareOf(terms: TermSet, subject: ReadonlyArray<Term>): number {
    if (subject.length === 0 || terms.size === 0) return 0
    const all = subject.every(({ term }) => terms.match(term, this.evidence.question.language) >= 0.7)
    return all ? 0.3 + 0.7 * Math.min(1, subject.length / terms.size) : 0
  }
}

/** "Version 3 is switched off", for version 4; "26.39 was rolled back", for 26.40; another key of one family. */
const namesAnother = (anchor: Anchor, { text }: ReadUnit): boolean => {
  if (anchor.kind !== "phrase") return false
  const [, name = "", number] = designation.exec(anchor.text) ?? []
  const [, family] = key.exec(anchor.text) ?? []
  const form =
    family !== undefined
      ? `${family}[._]\\p{L}`
      : number === undefined
        ? undefined
        : number.includes(".")
          ? "\\d{1,4}\\.\\d{1,4}"
          : name === ""
            ? "(?:version|release|v) ?\\d"
            : `${name}\\d`
  return form !== undefined && new RegExp(`(?<![\\p{L}\\p{N}.])${form}`, "iu").test(text)
}
/** "store.timeout" is of the family of "store.locale". */
const key = /^(\p{L}[\p{L}\p{N}]+)[._]\p{L}/u
const designation = /^(\p{L}+[ \u00a0])?(\d[\d.]*)$/u

/** What a document is called: its title, and the other name by which the question calls what the title names. */
export const namesOf = (evidence: Evidence, docTitle: string): ReadonlyArray<string> => {
  const other = otherNameIn(evidence)
  return other !== null && other.title === nameNorm(docTitle) ? [docTitle, other.name] : [docTitle]
}

/** Null where more than one thing, or more than one name, could be meant. */
const otherNameIn = ({ entities, question }: Evidence): OtherName | null => {
  const held = otherNames.get(question)
  if (held?.entities === entities) return held.other
  const other = readOtherName(entities, question)
  otherNames.set(question, { entities, other })
  return other
}

interface OtherName {
  readonly title: string
  readonly name: string
}
/** Of the question and the entities: evidence is made anew of every choice of passages. */
const otherNames = new WeakMap<
  Question,
  { readonly entities: Evidence["entities"]; readonly other: OtherName | null }
>()

const readOtherName = (entities: Evidence["entities"], question: Question): OtherName | null => {
  const asked = ` ${nameNorm(question.text)} `
  const unnamed = entities.filter(({ name }) => !asked.includes(nameNorm(name)))
  const [only] = unnamed
  if (only === undefined || unnamed.length > 1) return null
  const known = entities.map(({ name }) => nameNorm(name))
  const left = question.anchors.filter(
    ({ kind, text }) => kind === "name" && !known.some((name) => name.includes(nameNorm(text)))
  )
  const [name] = left
  return name === undefined || left.length > 1 ? null : { title: nameNorm(only.name), name: name.text }
}

/** The nearest heading above a unit; empty when there is none. */
export const headingOf = (source: EvidencePassage, unit: TextUnit): string =>
  unit.heading === "" ? (source.passage.headingPath.at(-1) ?? "") : unit.heading

/** What a passage stands under, as it is looked up: the same texts for each question, so that they are hashed once. */
const calledOf = memoize(({ docPath, docTitle, headingPath }: EvidencePassage["passage"]) => {
  const path = pathWords(docPath)
  const headings = headingPath.join(" > ")
  const name = `${docTitle} | ${path}`
  return { path, headings, name, head: `${name} | ${headings}` }
})

/** The last two parts of a path: "EIPS | eip-1559". */
const pathWords = (path: string): string => path.replace(/\.md$/iu, "").split("/").slice(-2).join(" | ")
