import { memoize } from "../caching/index.js"
import {
  type AskedTerm,
  type Evidence,
  type EvidencePassage,
  namesOf,
  type PreparedQuestion,
  prepareQuestion
} from "../evidence/index.js"
import { isFunctionWord, negationCount, opensWithPronoun } from "../languages/index.js"
import { asksForOther } from "../questions/index.js"
import {
  AnchorField,
  alignedPlaces,
  isMonth,
  isWeekday,
  type ReadUnit,
  replacedSlots,
  TermSet
} from "../text-analysis/index.js"

/** The parts of a candidate that tell what it is about. */
interface Stated {
  readonly source: EvidencePassage
  readonly unit: ReadUnit
}

/**
 * Whether a unit is about what the question asks: it, its lead-in, label, heading or title names that, or it refers
 * back to a sentence that does. A statement about something else beside it lends nothing: "The search API has a limit
 * of 50" does not answer for the billing API.
 */
export const isAboutAsked = (evidence: Evidence, stated: Stated): boolean => {
  const asking = prepareQuestion(evidence)
  return holdsNames(evidence, stated) && !isOfOther(evidence, asking, stated)
}

const contextOf = (evidence: Evidence, { source: { context, passage }, unit }: Stated): string =>
  [
    ...namesOf(evidence, passage.docTitle),
    passage.docPath,
    ...passage.headingPath,
    context,
    unit.heading,
    unit.lead
  ].join(" | ")

/** Share of a name that must be there: a surname may stand for the whole. */
const nameMin = 0.5

/** Whether each name of the question is in the unit or its context, or in a sentence that the unit refers back to. */
const holdsNames = (evidence: Evidence, stated: Stated): boolean => {
  const { question } = evidence
  if (asksForOther(question)) return true
  const names = question.anchors.filter(
    ({ kind, text }) => kind !== "value" && !isWeekday(text) && !isMonth(text)
  )
  if (names.length === 0) return true
  const { source, unit } = stated
  const field = new AnchorField(
    `${contextOf(evidence, stated)} | ${unit.text}${unit.kind === "setting" ? ` | ${unit.lead}.${unit.text}` : ""}`
  )
  return names.every(
    (name) =>
      field.share(name) >= nameMin ||
      referredUnits(source, unit).some((before) => before.place.share(name) >= nameMin) ||
      (continuesSubject(prepareQuestion(evidence), unit) &&
        source.units.some(
          (before) =>
            before.start < unit.start &&
            before.heading === unit.heading &&
            before.place.share(name) >= nameMin
        ))
  )
}

/**
 * Whether a sentence begins with the asked attribute alone and names nothing else: "The minimum charter is five days."
 * after a sentence about the charter of the Stor Eider.
 */
const continuesSubject = (asking: PreparedQuestion, unit: ReadUnit): boolean => {
  if (unit.kind !== "sentence") return false
  const opening = contentOf(unit, openingOf(unit)).slice(0, openingWords)
  return (
    opening.length === openingWords &&
    opening.every((word) => {
      const set = termsOf(unit, [word])
      return asking.asked.some(({ term }) => asking.match(set, term) >= saidMin)
    }) &&
    unit.anchorsIn(unit.language).every(({ kind }) => kind !== "name")
  )
}

/**
 * The earlier sentences that a unit may refer back to: of its paragraph for one that opens with a pronoun or a definite
 * noun, and up to the first one with another subject.
 */
const referredUnits = ({ units }: EvidencePassage, unit: ReadUnit): ReadonlyArray<ReadUnit> => {
  if (unit.kind !== "sentence" && unit.kind !== "item") return []
  if (!opensWithPronoun(unit.text) && !definite.test(unit.text)) return []
  const at = units.indexOf(unit)
  const found: Array<ReadUnit> = []
  for (let place = at - 1; place >= 0; place -= 1) {
    const before = units[place]
    if (before === undefined || before.block !== unit.block || before.kind === "list") break
    found.push(before)
    if (!opensWithPronoun(before.text) && !definite.test(before.text)) break
  }
  return found
}
const definite =
  /^[\s"'“„«(]*(?:the|this|that|these|those|both|der|die|das|dieser?|dieses|diese|beide|le|la|les|l['’]|ce|cette|ces|el|los|las|este|esta)\s*\p{Ll}/iu

/** A word of the question counts as said from here. */
const saidMin = 0.6
/** Words at the beginning of a sentence that hold its subject. */
const openingWords = 2
const comparedWords = 9
const comparedChars = 160
/** A subject begins within the first words. */
const startMax = 5
const firstWords = 2

/** Whether a unit speaks of another thing than the question, as the statements beside it show. */
const isOfOther = (evidence: Evidence, asking: PreparedQuestion, { source, unit }: Stated): boolean => {
  const lead = source.read.within(unit.lead).set
  // A synonym elsewhere in the unit does not name the subject: "starts" is not "beginner".
  const unnamed = asking.asked.filter(
    ({ code, hasProperty, term, value }) =>
      code === null &&
      value === null &&
      hasProperty?.(unit) !== true &&
      !unit.set.has(term) &&
      !lead.has(term)
  )
  if (unnamed.length === 0) return false
  const missing = unnamed.filter(
    ({ term }) => Math.max(asking.match(unit.set, term), asking.match(lead, term)) < saidMin
  )
  if (unit.kind === "row" || unit.kind === "setting") return isOfOtherRecord(asking, source, unit, missing)
  if (unit.kind !== "sentence" && unit.kind !== "item") return false
  if (opensWithPronoun(unit.text)) return false
  const headed = (term: string): boolean =>
    [...source.passage.headingPath, source.passage.docTitle, unit.heading].some(
      (text) => asking.match(source.read.within(text).set, term) >= saidMin
    )
  const unsaid = missing.filter(({ term }) => !headed(term))
  return (
    hasOtherModifier(
      asking,
      unit,
      unnamed.filter(({ term }) => !headed(term))
    ) ||
    (unsaid.length > 0 && isForeign(asking, unit) && hasRival(asking, source, unit, unsaid)) ||
    evidence.sources.some((other) =>
      other.units.some(
        (sibling) => sibling !== unit && isReplaced(asking, unit, sibling, missing, other === source)
      )
    )
  )
}

/** Whether another row or setting of the block holds all that this one holds of the question, and a missing word. */
const isOfOtherRecord = (
  asking: PreparedQuestion,
  { read, units }: EvidencePassage,
  unit: ReadUnit,
  missing: ReadonlyArray<AskedTerm>
): boolean => {
  const holds = (record: ReadUnit, { term }: AskedTerm): boolean =>
    Math.max(asking.match(record.set, term), asking.match(read.within(record.lead).set, term)) >= saidMin
  const held = asking.asked.filter((asked) => asked.code === null && holds(unit, asked))
  return units.some(
    (other) =>
      other !== unit &&
      other.kind === unit.kind &&
      other.block === unit.block &&
      missing.some((asked) => holds(other, asked)) &&
      held.every((asked) => holds(other, asked))
  )
}

/**
 * Whether the unit has a word of the question behind another word than the question has: "free accounts" for "trial
 * accounts", "the rabies vaccine" for "the typhoid vaccine".
 */
const hasOtherModifier = (
  asking: PreparedQuestion,
  unit: ReadUnit,
  missing: ReadonlyArray<AskedTerm>
): boolean => {
  const { language, read, terms } = asking.question
  if (language === "cjk" || language === "de" || language === "fr" || language === "es") return false
  const words = unit.termsIn(unit.language)
  return missing.some(({ term }) => {
    const at = terms.findIndex((one) => one.term === term)
    const [modifier, head] = [terms[at], terms[at + 1]]
    if (modifier === undefined || head === undefined) return false
    if (!/^[\s-]$/u.test(read.text.slice(modifier.end, head.start)) || earlier.test(modifier.surface))
      return false
    return words.some((word, place) => {
      const before = words[place - 1]
      return (
        before !== undefined &&
        word.term === head.term &&
        /^[\s-]$/u.test(unit.text.slice(before.end, word.start)) &&
        !/\d/u.test(before.surface) &&
        negationCount(before.surface) === 0 &&
        terms.every((one) => asking.match(new TermSet([before.term]), one.term) < saidMin)
      )
    })
  })
}

/** "The old pump" is the one that was there, of whatever kind. */
const earlier = /^(?:old|former|previous|prior|existing)$/iu

const wordPattern = /[\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N}'’-]*/gu

/** The first words of a unit, lower case; those of an adverbial clause before a comma are left out. */
const openingOf = memoize((unit: ReadUnit): ReadonlyArray<string> => {
  const start = unit.text.slice(0, comparedChars)
  const clause =
    /^(?:in|since|until|from|by|on|at|after|before|during|seit|bis|im|ab|nach|vor|en|depuis|desde|с|до|после|в)\s[^,]{1,60},\s/iu.exec(
      start
    )
  return (
    start
      .slice(clause?.[0].length ?? 0)
      .toLowerCase()
      .match(wordPattern) ?? []
  ).slice(0, comparedWords)
})

const termsOf = (unit: ReadUnit, words: ReadonlyArray<string>): TermSet =>
  new TermSet(words.flatMap((word) => unit.part(word).words.map(({ term }) => term)))

const contentOf = (unit: ReadUnit, words: ReadonlyArray<string>): ReadonlyArray<string> =>
  words.filter((word) => !isFunctionWord(word, unit.language) && !/^\d/u.test(word))

/** Whether none of the first content words is a word of the question. */
const isForeign = (asking: PreparedQuestion, unit: ReadUnit): boolean => {
  const opening = contentOf(unit, openingOf(unit)).slice(0, openingWords)
  if (opening.length === 0) return false
  const set = termsOf(unit, opening)
  return asking.asked.every(({ term }) => asking.match(set, term) < saidMin)
}

/** Whether another sentence of the passage has a missing word of the question as its subject. */
const hasRival = (
  asking: PreparedQuestion,
  { units }: EvidencePassage,
  unit: ReadUnit,
  missing: ReadonlyArray<AskedTerm>
): boolean =>
  units.some((other) => {
    if (other === unit || (other.kind !== "sentence" && other.kind !== "item")) return false
    if (!missing.some(({ term }) => asking.match(other.set, term) >= saidMin)) return false
    const set = termsOf(other, contentOf(other, openingOf(other)).slice(0, openingWords))
    return missing.some(({ term }) => asking.match(set, term) >= saidMin)
  })

/**
 * Whether a sibling begins like the unit, with a word of the question in the place of another word: "The *billing* API
 * has …", "The *search* API has …". In another document the sibling must hold every word of the question that the unit
 * holds.
 */
const isReplaced = (
  asking: PreparedQuestion,
  unit: ReadUnit,
  sibling: ReadUnit,
  missing: ReadonlyArray<AskedTerm>,
  isNear: boolean
): boolean => {
  if (sibling.kind !== "sentence" && sibling.kind !== "item") return false
  const given = missing.filter(({ term }) => asking.match(sibling.set, term) >= saidMin)
  if (given.length === 0) return false
  if (
    !isNear &&
    asking.asked.some(
      ({ term }) => asking.match(unit.set, term) >= saidMin && asking.match(sibling.set, term) < saidMin
    )
  )
    return false
  const [ours, theirs] = [openingOf(unit), openingOf(sibling)]
  const pairs = alignedPlaces(ours, theirs)
  if (pairs.length === 0) return false
  return replacedSlots(pairs, ours.length, theirs.length).some(({ a, b }) => {
    const own = contentOf(unit, ours.slice(...a))
    // Later words belong to the subject only if both go on alike behind them.
    const latest = a[1] < ours.length && b[1] < theirs.length ? startMax : firstWords
    if (own.length === 0 || Math.max(a[0], b[0]) > latest) return false
    const set = termsOf(sibling, theirs.slice(...b))
    const isOwn = termsOf(unit, own)
    return (
      given.some(({ term }) => asking.match(set, term) >= saidMin) &&
      asking.asked.every(({ term }) => asking.match(isOwn, term) < saidMin)
    )
  })
}
