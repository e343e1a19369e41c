import { memoize } from "../caching/index.js"
import {
  type EvidencePassage,
  headingOf,
  type PreparedQuestion,
  type Surroundings
} from "../evidence/index.js"
import type { AnswerType, Question } from "../questions/index.js"
import type { ReadPassage, ReadUnit, TextUnit } from "../text-analysis/index.js"

const abstractHeading =
  /^(?:abstract|description|(?:simple )?summary|overview|introduction|purpose|definition|about|zusammenfassung|überblick|einleitung|zweck|résumé|présentation|resumen|introducción|概要)$/iu

/** Headings of sections without statements about the subject. */
const asideHeading =
  /^(?:references?|copyright|see also|links?|further reading|change ?log|history|test cases|table of contents|quellen|siehe auch|références|voir aussi|referencias)\s*$/iu

/** Headings of discussions; statements elsewhere are preferred. */
const discussionHeading =
  /\b(?:rationale|motivation|background|discussion|alternatives?|considerations?|compatibility|begründung|hintergrund|contexte|alternativas?)\b/iu

const asideFactor = ({ answerType }: Question, source: EvidencePassage, unit: TextUnit): number => {
  if (asideHeading.test(headingOf(source, unit))) return 0.8
  const headings = `${source.passage.headingPath.join(" | ")} | ${unit.heading}`
  const wantsFact = answerType === "number" || answerType === "date" || answerType === "list"
  return wantsFact && discussionHeading.test(headings) ? 0.85 : 1
}

/** Evidence from the heading of a unit; the same for all units below it. */
export interface HeadingFacts {
  readonly aside: number
  /** For other questions: the heading fits the requested kind of answer and concerns the question. */
  readonly section: number
  readonly asked: number
  /** For definition questions: the heading of an abstract, and how much document or heading concern the subject. */
  readonly isAbstract: boolean
  readonly about: number
  /** The first sentence below it. */
  readonly opening: ReadUnit | undefined
  /** Whether it names a field that the question asks for. */
  readonly isNamed: () => boolean
}

export class Headings {
  private readonly known = new Map<string, HeadingFacts>()

  constructor(
    private readonly source: EvidencePassage,
    private readonly around: Surroundings,
    private readonly asking: PreparedQuestion
  ) {}

  of(unit: ReadUnit): HeadingFacts {
    const cached = this.known.get(unit.heading)
    if (cached !== undefined) return cached
    const made = this.read(unit)
    this.known.set(unit.heading, made)
    return made
  }

  private read(unit: ReadUnit): HeadingFacts {
    const { question, subject, termsOfQuestion } = this.asking
    const heading = headingOf(this.source, unit)
    const isDefinition = question.subject !== null
    const { set } = this.source.read.within(heading)
    // A heading of two or more words that are all in the question ("Gas cost", "Hotel limits").
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

/** Returns the first sentence of a passage under each of its headings. */
export const openingsOf = memoize((passage: ReadPassage): ReadonlyMap<string, ReadUnit> => {
  const openings = new Map<string, ReadUnit>()
  for (const unit of passage.units)
    if (unit.kind === "sentence" && !openings.has(unit.heading)) openings.set(unit.heading, unit)
  return openings
})

/** Headings of sections for each kind of answer. */
const sections: Partial<Record<AnswerType, RegExp>> = {
  reason:
    /motivation|rationale|background|reason|cause|why|grund|begründung|ursache|hintergrund|warum|pourquoi|raison|motiv/iu,
  procedure:
    /how|step|procedure|process|usage|guide|instruction|ablauf|vorgehen|anleitung|schritt|procédure|étape|proced|pasos/iu
}
