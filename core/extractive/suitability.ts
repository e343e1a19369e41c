import { type Evidence, prepareQuestion } from "../evidence/index.js"
import { negationCount, opensWithPronoun } from "../languages/index.js"
import { asksForOther, asksWho, namesAnother, type Question, saysPlace } from "../questions/index.js"
import {
  deniesAsked,
  isDenial,
  isOver,
  isPastOnly,
  isPresent,
  oppositeStates,
  saysNow,
  saysPast
} from "../text-analysis/index.js"
import { isAboutAsked } from "./own-subject.js"
import type { Candidate } from "./score.js"

/** Minimum scores of a unit that may be quoted as an answer. Measured: docs/answers-quality.md. */
const least = { coverage: 0.55, ownCoverage: 0.2, score: 0.45 }

/** For a question of two words, a missing one is half the question. */
const coverageMin = (question: Question): number => {
  const { anchors, terms } = question
  const codes = anchors.filter(({ kind }) => kind === "code").length
  // "The chief security officer" is not the chief executive officer.
  return terms.length + codes <= 2 || asksWho(question) ? 0.7 : least.coverage
}

/** Whether the question asks for a number or a date. */
export const wantsOneValue = ({ answerType }: Question): boolean =>
  answerType === "number" || answerType === "date"

/**
 * Leaves out statements of the past where another one says what holds now, unless the question asks about the past;
 * a question that says "now" is not answered from the past at all.
 */
export const current = (
  question: Question,
  candidates: ReadonlyArray<Candidate>
): ReadonlyArray<Candidate> => {
  const isDated = question.anchors.some((one) => one.kind === "value" && one.value.kind === "date")
  if (saysPast(question) || isDated) return candidates
  const lasting = candidates.filter(({ unit }) => !isOver(unit))
  const present = lasting.filter(({ unit }) => isPresent(unit) || saysNow(unit))
  if (present.length === 0)
    return saysNow(question.read) ? lasting.filter(({ unit }) => !isPastOnly(unit)) : lasting
  return lasting.filter((past) => !isPastOnly(past.unit) || !present.some((one) => holdsInstead(one, past)))
}

/** Least share of the coverage of a past statement that the present one has. */
const insteadShare = 0.85

const holdsInstead = (present: Candidate, past: Candidate): boolean =>
  present.coverage >= insteadShare * past.coverage ||
  (present.source === past.source &&
    present.unit.block === past.unit.block &&
    present.unit.start > past.unit.start &&
    opensWithPronoun(present.unit.text))

/** Kinds of answer that a statement gives by what it affirms. */
const affirmed: ReadonlySet<string> = new Set(["person", "place", "list"])

/** A negated question wants a negated statement; who, where and which are not told by what is denied. */
const fitsDenial = (evidence: Evidence, { unit }: Candidate): boolean => {
  const { question } = evidence
  const { answerType } = question
  if (answerType === "yes-no" || answerType === "reason" || answerType === "procedure") return true
  if (negationCount(question.original) % 2 === 1) return isDenial(unit)
  if (!affirmed.has(answerType) || unit.kind === "list") return true
  const asking = prepareQuestion(evidence)
  return !deniesAsked(unit, (set) => asking.asked.some(({ term }) => asking.match(set, term) >= 0.7))
}

/** Who wants a person, team or role; subjects and words for roles are known in English only. */
const fitsPerson = ({ answerType, language, subject }: Question, candidate: Candidate): boolean =>
  answerType !== "person" ||
  subject !== null ||
  language !== "en" ||
  candidate.hasType ||
  candidate.isAskedAbove ||
  candidate.namedBy !== undefined ||
  candidate.label !== undefined

/** "Who is the treasurer?" wants a name; "Who is Finch?" has one. */
const fitsRole = (question: Question, { label, unit }: Candidate): boolean =>
  !asksWho(question) ||
  question.anchors.some(({ kind }) => kind === "name") ||
  question.language !== "en" ||
  unit.kind === "field" ||
  label !== undefined ||
  namesAnother(question, unit)

const fitsPlace = (question: Question, { isAskedAbove, unit }: Candidate): boolean =>
  question.answerType !== "place" || isAskedAbove || saysPlace(question, unit)

/** "Closed on Fridays" does not tell when something opens. */
const fitsState = ({ answerType, text }: Question, { unit }: Candidate): boolean =>
  answerType === "yes-no" || answerType === "reason" || oppositeStates(text, unit.text) === undefined

/**
 * A value is not quoted with a whole list or block when the item or setting that the question is about has none.
 */
const fitsPart = (evidence: Evidence, { source, unit }: Candidate): boolean => {
  if (!wantsOneValue(evidence.question)) return true
  const asking = prepareQuestion(evidence)
  const inside = source.units.filter(
    (one) => one !== unit && one.block === unit.block && one.start >= unit.start && one.end <= unit.end
  )
  if (unit.kind === "code") return !inside.some(({ kind }) => kind === "setting")
  if (unit.kind !== "list") return true
  const shares = inside.map((one) =>
    asking.asked.reduce((sum, { term, weight }) => sum + weight * asking.match(one.set, term), 0)
  )
  const best = Math.max(0, ...shares)
  const nearest = inside.filter((_, at) => shares[at] === best)
  return best === 0 || nearest.length > 1 || nearest.every((one) => asking.holdsType(one))
}

/** Whether a unit may be quoted as an answer: relevant, about what is asked, and of the kind that is asked for. */
export const carries = (evidence: Evidence, candidate: Candidate): boolean =>
  isRelevant(evidence, candidate) &&
  fitsDenial(evidence, candidate) &&
  fitsPerson(evidence.question, candidate) &&
  fitsRole(evidence.question, candidate) &&
  fitsPlace(evidence.question, candidate) &&
  fitsState(evidence.question, candidate) &&
  fitsPart(evidence, candidate) &&
  (candidate.isAskedAbove || isAboutAsked(evidence, candidate))

/** Coverage from which a term of the question counts as said, and below which it counts as missing. */
const [saidMin, missingMax] = [0.6, 0.3]
/** Least score of such another one, as a share. */
const dominantShare = 0.65

/**
 * Leaves out candidates that lack a term of the question which another one has beside everything that they have.
 */
export const undominated = (
  { answerType }: Question,
  candidates: ReadonlyArray<Candidate>
): ReadonlyArray<Candidate> =>
  candidates.filter(
    (one) =>
      answerType === "yes-no" ||
      one.isAskedAbove ||
      !candidates.some(
        (other) =>
          other !== one &&
          (other.isNamed || !one.isNamed) &&
          other.score >= dominantShare * one.score &&
          other.said.some((value, at) => value >= saidMin && (one.said[at] ?? 0) < missingMax) &&
          one.said.every((value, at) => value < saidMin || (other.said[at] ?? 0) >= saidMin)
      )
  )

/** Kinds of answer that one item of a list gives. */
const singular: ReadonlySet<string> = new Set(["number", "date", "person", "place"])
/** Least coverage of such an item, as a share of that of its list. */
const itemShare = 0.7

/** Leaves out lists with an item that answers by itself. */
export const itemsInsteadOfLists = (
  { answerType }: Question,
  candidates: ReadonlyArray<Candidate>
): ReadonlyArray<Candidate> =>
  !singular.has(answerType)
    ? candidates
    : candidates.filter(
        (list) =>
          list.unit.kind !== "list" ||
          list.isAskedAbove ||
          !candidates.some(
            ({ coverage, source, unit }) =>
              unit.kind === "item" &&
              source === list.source &&
              unit.start >= list.unit.start &&
              unit.end <= list.unit.end &&
              coverage >= itemShare * list.coverage
          )
      )

const isRelevant = ({ question }: Evidence, candidate: Candidate): boolean =>
  candidate.score >= least.score &&
  candidate.coverage >= coverageMin(question) &&
  (candidate.ownCoverage >= least.ownCoverage ||
    candidate.unit.kind === "field" ||
    question.subject !== null ||
    candidate.isAskedAbove) &&
  // A question for a number or a date needs a sentence with one.
  ((!wantsOneValue(question) && !asksForOther(question)) || candidate.hasType) &&
  (question.answerType !== "reason" || candidate.hasType || candidate.isReasoned || candidate.isAskedAbove)
