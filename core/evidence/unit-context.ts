import { memoize } from "../caching/index.js"
import { nameNorm } from "../kernel/index.js"
import type { Question } from "../questions/index.js"
import {
  type Anchor,
  AnchorField,
  isMonth,
  isWeekday,
  isWithinBound,
  mentionsMonths,
  plain,
  type ReadPassage,
  type ReadText,
  type ReadUnit,
  type Row,
  type Term,
  type TermLookup,
  type TermSet,
  type TextUnit
} from "../text-analysis/index.js"
import type { Evidence, EvidencePassage } from "./evidence.js"

/** Weight of a question term outside a unit; inside it is 1. Measured: docs/answers-quality.md. */
const weights = { lead: 0.9, heading: 0.9, title: 0.8, passage: 0.25 }

/** Factor for a sentence before the first mention of a named thing, or outside its section. */
const ofAnother = 0.5
/** Factor for a row other than that of the named thing. */
const ofAnotherRow = 0.4

/** "May I spend 20 euros?" is answered by a statement without an amount, or with another one. */
const otherAmount = 0.75

interface Shares {
  /** Coverage of an anchor by title and headings, and by the passage. */
  readonly head: number
  readonly far: number
  /** Start of the first unit with the anchor. */
  readonly first: number
  /** Sections of the passage with this name. */
  readonly own: ReadonlyArray<Section>
  /** Tables with a row of the anchor: their other rows concern something else. */
  readonly tables: ReadonlySet<number>
}

/** The text below a heading, subsections included. */
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

/** The context of the units of a passage: lead-in, headings, title, path, the whole passage. */
export class Surroundings {
  /** Whether title or path contains an anchor of the question. */
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
    private readonly sought: TermLookup
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
    // A name may occur in many documents; a code or a quoted title identifies one.
    this.isNamed = anchors.some(
      (anchor) => (anchor.kind === "code" || anchor.kind === "phrase") && read.field.has(anchor)
    )
  }

  /** Returns how well the context of the unit covers each term, 0 to 0.9. */
  around(unit: TextUnit): Row {
    const heading = this.headed(unit.heading)
    if (unit.lead === "") return heading
    // The items of a list follow each other.
    const last = this.lastPlace
    if (last?.heading === unit.heading && last.lead === unit.lead) return last.row
    const lead = this.lead(unit)
    const row = heading.map((value, at) => Math.max(weights.lead * (lead[at] ?? 0), value))
    this.lastPlace = { heading: unit.heading, lead: unit.lead, row }
    return row
  }

  /**
   * Returns how well the lead of the unit (the sentence before its list, the enclosing items) covers each term, 0 to
   * 1.
   */
  lead({ lead }: TextUnit): Row {
    const cached = this.byLead.get(lead)
    if (cached !== undefined) return cached
    const made = this.sought.rowOf(this.source.read.within(lead).set)
    this.byLead.set(lead, made)
    return made
  }

  /** Returns the same for the context without the lead. */
  private headed(heading: string): Row {
    const cached = this.byHeading.get(heading)
    if (cached !== undefined) return cached
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

  /** Whether the document or a heading names the code, so that every sentence below concerns it. */
  isOf(code: Anchor): boolean {
    return this.headField.has(code)
  }

  /** Returns how well the context covers an anchor of the question, 0 to 0.8. */
  matchAnchor(anchor: Anchor): number {
    const { far, head } = this.sharesOf(anchor)
    return head === 1 ? weights.title : far === 1 ? weights.passage : 0
  }

  /**
   * Returns 0 when a code, phrase or value of the question is nowhere in the context, and less than 1 when it is
   * elsewhere in the passage.
   */
  anchorFactor(unit: ReadUnit): number {
    let factor = 1
    for (const anchor of this.evidence.question.anchors) factor *= this.oneAnchor(anchor, unit)
    return factor
  }

  /**
   * Returns the coverage of an anchor by title, headings and passage; cached, because it is the same for each unit.
   */
  private sharesOf(anchor: Anchor): Shares {
    const cached = this.byAnchor.get(anchor)
    if (cached !== undefined) return cached
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
    if (anchor.kind === "name" && isMonth(anchor.text) && mentionsMonths(unit)) return 1
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
    // A part of a name ("Charles" of "King Charles III") is weak support; a code or phrase has no parts.
    return anchor.kind === "name" ? 0.8 * Math.max(near, 0.85 * far) : 0
  }

  /**
   * Returns how much the document or the nearest heading concerns the subject of a definition question, 0 to 1:
   * whether the question names it, or the share of the subject in its title or heading.
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

/**
 * Whether a unit names another version, number or key than the question: "Version 3 is switched off" for version 4,
 * "26.39 was rolled back" for 26.40.
 */
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
/** "store.timeout" and "store.locale" belong to one family. */
const key = /^(\p{L}[\p{L}\p{N}]+)[._]\p{L}/u
const designation = /^(\p{L}+[ \u00a0])?(\d[\d.]*)$/u

/**
 * Returns the names of a document: its title, and the other name that the question uses for the entity of the title.
 */
export const namesOf = (evidence: Evidence, docTitle: string): ReadonlyArray<string> => {
  const other = otherNameIn(evidence)
  return other !== null && other.title === nameNorm(docTitle) ? [docTitle, other.name] : [docTitle]
}

/** Null when the name is ambiguous. */
const otherNameIn = ({ entities, question }: Evidence): OtherName | null => {
  const cached = otherNames.get(question)
  if (cached?.entities === entities) return cached.other
  const other = readOtherName(entities, question)
  otherNames.set(question, { entities, other })
  return other
}

interface OtherName {
  readonly title: string
  readonly name: string
}
/** Keyed by question and entities, because evidence is created again for each selection of passages. */
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

/** Returns the nearest heading above a unit; empty when there is none. */
export const headingOf = (source: EvidencePassage, unit: TextUnit): string =>
  unit.heading === "" ? (source.passage.headingPath.at(-1) ?? "") : unit.heading

/** Returns the texts above a passage; memoized, so that they are hashed once. */
const calledOf = memoize(({ docPath, docTitle, headingPath }: EvidencePassage["passage"]) => {
  const path = pathWords(docPath)
  const headings = headingPath.join(" > ")
  const name = `${docTitle} | ${path}`
  return { path, headings, name, head: `${name} | ${headings}` }
})

/** Returns the last two segments of a path: "EIPS | eip-1559". */
const pathWords = (path: string): string =>
  path
    .replace(/\.(?:md|markdown|mdx)$/iu, "")
    .split("/")
    .slice(-2)
    .join(" | ")
