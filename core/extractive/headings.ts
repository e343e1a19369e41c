import { type Asking, type EvidencePassage, headingOf, type Surroundings } from "../evidence/index.js"
import {
  type AnswerType,
  memoize,
  type Question,
  type ReadPassage,
  type ReadUnit,
  type TextUnit
} from "../text-analysis/index.js"

const abstractHeading =
  /^(?:abstract|description|(?:simple )?summary|overview|introduction|purpose|definition|about|zusammenfassung|überblick|einleitung|zweck|résumé|présentation|resumen|introducción|概要)$/iu

/** Sections that hold no statements about the subject. */
const asideHeading =
  /^(?:references?|copyright|see also|links?|further reading|change ?log|history|test cases|table of contents|quellen|siehe auch|références|voir aussi|referencias)\s*$/iu

/** Sections that discuss: who asks for a fact is better served by those that state it. */
const discussionHeading =
  /\b(?:rationale|motivation|background|discussion|alternatives?|considerations?|compatibility|begründung|hintergrund|contexte|alternativas?)\b/iu

const asideFactor = ({ answerType }: Question, source: EvidencePassage, unit: TextUnit): number => {
  if (asideHeading.test(headingOf(source, unit))) return 0.8
  const headings = `${source.passage.headingPath.join(" | ")} | ${unit.heading}`
  const wantsFact = answerType === "number" || answerType === "date" || answerType === "list"
  return wantsFact && discussionHeading.test(headings) ? 0.85 : 1
}

/** What the heading above a unit says for or against it: the same for all units below it. */
export interface HeadingFacts {
  readonly aside: number
  /** Of a question that asks for no definition: the heading is one for such answers, and speaks of what is asked. */
  readonly section: number
  readonly asked: number
  /** Of one that does: the heading of an abstract, and how much the document or the heading is about the subject. */
  readonly isAbstract: boolean
  readonly about: number
  /** The first sentence below it. */
  readonly opening: ReadUnit | undefined
  /** It names a datum that the question asks for by name. */
  readonly isNamed: () => boolean
}

export class Headings {
  private readonly known = new Map<string, HeadingFacts>()

  constructor(
    private readonly source: EvidencePassage,
    private readonly around: Surroundings,
    private readonly asking: Asking
  ) {}

  of(unit: ReadUnit): HeadingFacts {
    const held = this.known.get(unit.heading)
    if (held !== undefined) return held
    const made = this.read(unit)
    this.known.set(unit.heading, made)
    return made
  }

  private read(unit: ReadUnit): HeadingFacts {
    const { question, subject, termsOfQuestion } = this.asking
    const heading = headingOf(this.source, unit)
    const isDefinition = question.subject !== null
    const { set } = this.source.read.within(heading)
    // A heading of two words or more that all stand in the question ("Gas cost", "Hotel limits").
    const isAsked = () => set.size >= 2 && set.every((term) => termsOfQuestion.has(term))
    const key = this.source.read.within(unit.heading)
    return {
      aside: asideFactor(question, this.source, unit),
      section: !isDefinition && sections[question.answerType]?.test(heading) === true ? 0.1 : 0,
      asked: !isDefinition && isAsked() ? 0.1 : 0,
      isAbstract: isDefinition && abstractHeading.test(heading),
      about: isDefinition ? this.around.aboutness(heading, subject) : 0,
      opening: openingsOf(this.source.read).get(unit.heading),
      isNamed: () =>
        question.terms.some(
          ({ surface, term }) => !/\d/u.test(surface) && key.set.match(term, question.language) >= 0.7
        )
    }
  }
}

/** The first sentence of a passage under each of its headings. */
export const openingsOf = memoize((passage: ReadPassage): ReadonlyMap<string, ReadUnit> => {
  const openings = new Map<string, ReadUnit>()
  for (const unit of passage.units)
    if (unit.kind === "sentence" && !openings.has(unit.heading)) openings.set(unit.heading, unit)
  return openings
})

/** Headings under which answers of a kind are kept. */
const sections: Partial<Record<AnswerType, RegExp>> = {
  reason:
    /motivation|rationale|background|reason|cause|why|grund|begründung|ursache|hintergrund|warum|pourquoi|raison|motiv/iu,
  procedure:
    /how|step|procedure|process|usage|guide|instruction|ablauf|vorgehen|anleitung|schritt|procédure|étape|proced|pasos/iu
}
