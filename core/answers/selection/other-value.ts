import { isFunctionWord, matchesOf, wordwise } from "../../language/languages/index.js"
import { answerTypeOf, namesAnother, type Question } from "../../language/questions/index.js"
import {
  findVersions,
  isIndefinite,
  type ReadText,
  type ReadUnit,
  type TextCache
} from "../../language/text-analysis/index.js"
import { type Value, valueEntails } from "../../language/values/index.js"
import { memoize } from "../../platform/caching/index.js"
import { glossaryEntryOf, isQuestion } from "../evidence/index.js"

/**
 * Whether a row, item, field or setting has another value where the question gives one: week 47 for "Who is on call in
 * week 52?". Sentences may speak of several values at once and are not judged. A yes-or-no question is answered by
 * another value too.
 *
 * @param above What stands above the unit, which may hold the value.
 */
export const hasOtherValue = ({ answerType, read }: Question, unit: ReadUnit, above: ReadText): boolean =>
  answerType !== "yes-no" &&
  comparableKinds.has(unit.kind) &&
  read.values.some(
    (questionValue) =>
      !isIndefinite(read.text.slice(questionValue.start, questionValue.end)) &&
      unit.values.some((value) => areOfOneKind(value, questionValue)) &&
      !unit.values.some((value) => valueEntails(value, questionValue)) &&
      !above.values.some((value) => valueEntails(value, questionValue))
  )

/** Whether a statement names versions, and not the one that the question names: version 3 for version 4. */
export const isOfOtherVersion = ({ read }: Question, unit: ReadUnit): boolean => {
  const questionVersions = versionsIn(read)
  const unitVersions = questionVersions.length === 0 ? [] : versionsIn(unit)
  return unitVersions.length > 0 && !unitVersions.some((version) => questionVersions.includes(version))
}

/**
 * Whether a statement numbers a thing otherwise than the question: "room 7" for "room 5". A statement that has the
 * number too, also within a range, or that stands below a heading with it, is not judged.
 */
export const isOfOtherNumber = (
  { language, read }: Question,
  unit: ReadUnit,
  above: ReadonlyArray<ReadText>
): boolean =>
  numberedIn(read).some(({ noun, value }) => {
    const holds = ({ values }: ReadText) =>
      values.some((one) => one.kind === "quantity" && one.low <= value && value <= one.high)
    return (
      !isFunctionWord(noun, language) &&
      numberedIn(unit).some((one) => one.noun === noun) &&
      ![unit, ...above].some(holds)
    )
  })

/** Whether a passage nowhere has the number of the numbered thing that is asked about: "fermenter 7". */
export const lacksNumberedThing = (
  { language, read }: Question,
  texts: ReadonlyArray<Pick<ReadText, "text" | "values">>
): boolean =>
  numberedIn(read).some(
    ({ noun, value }) =>
      !isFunctionWord(noun, language) &&
      !texts.some(
        ({ text, values }) =>
          values.some((one) => one.kind === "quantity" && one.low <= value && value <= one.high) ||
          new RegExp(`(?<!\\d\\.?)${value}(?!\\.?\\d)|(?<!\\p{L})${romanOf(value)}(?!\\p{L})`, "u").test(text)
      )
  )

/** "Grade 1" may stand as "grade I". */
const romanOf = (value: number): string => romans[value - 1] ?? String(value)
const romans = "I II III IV V VI VII VIII IX X XI XII".split(" ")

/** Nouns with a bare whole number behind them, in lower case: "room 5". */
const numberedIn = memoize(({ text, values }: Pick<ReadText, "text" | "values">) =>
  matchesOf(numbered, text).flatMap(({ 0: found, groups, index }) => {
    const { noun = "", number = "" } = groups ?? {}
    const end = index + found.length
    // Not a date, a code, or an amount with a unit.
    const isBare = values.some(
      (one) =>
        one.kind === "quantity" &&
        one.dimension === "count" &&
        one.start === end - number.length &&
        one.end === end
    )
    return isBare ? [{ noun: noun.toLowerCase(), value: Number(number) }] : []
  })
)
const numbered =
  /(?<![\p{L}\p{N}])(?<noun>\p{L}{3,20})[ \u00a0](?<number>\d{1,4})(?![\p{L}\p{N}%°]|[.,:/-]\d)/gu

const versionsIn = memoize(
  ({ text, values }: Pick<ReadText, "text" | "values">): ReadonlyArray<string> =>
    findVersions(text, values).flatMap(({ text: version }) => (/^[\d.]+$/u.test(version) ? [version] : []))
)

/**
 * Whether a statement stands below a question about the same thing and of another kind: below "Do you ship to Iceland?"
 * for "Why do you not ship to Iceland?". "What's the process?" shares no word with a question and says nothing of it.
 * A statement with words of the question that the heading lacks speaks for itself.
 */
export const answersOtherKind = (
  question: Question,
  { heading, lead, set }: Pick<ReadUnit, "heading" | "lead" | "set">,
  texts: TextCache
): boolean => {
  const above = [lead, heading].find(isQuestion)
  const { language, read } = question
  if (above === undefined || answerTypeOf(above, language) === typeOf(question)) return false
  const otherQuestion = texts.read(above)
  const terms = otherQuestion.termsIn(language)
  const shared = terms.filter(({ term }) => read.set.match(term, language) > 0)
  if (shared.length === 0 || shared.length < terms.length / 2) return false
  return !question.terms.some(
    ({ term }) => otherQuestion.set.match(term, language) === 0 && set.match(term, language) > 0
  )
}

/** Returns the answer type by the question's words alone: a definition is a question of another kind here. */
const typeOf = memoize(({ language, text }: Question) => answerTypeOf(text, language))

/**
 * Whether a sentence cannot say why: it has neither a word for a reason nor one that may stand before a reason. English
 * only.
 */
export const lacksReason = ({ answerType, language }: Question, { kind, text }: ReadUnit): boolean =>
  answerType === "reason" && language === "en" && kind === "sentence" && !mayGiveReason().test(text)
const mayGiveReason = wordwise(
  () =>
    /(?<!\p{L})(?:because|since|as|so|for|to|due to|owing|thanks?|thus|hence|therefore|after|by|from|with|without|if|when|not|no|nor|reasons?|caus\p{L}*|result\p{L}*|lead\p{L}*|led|mak(?:e|es|ing)|made|allow\p{L}*|help\p{L}*|need\p{L}*|want\p{L}*|require\p{L}*|avoid\p{L}*|prevent\p{L}*|ensur\p{L}*|protect\p{L}*|\p{L}*n['’]t)(?!\p{L})/iu
)

/**
 * Whether a sentence says what was done and not by whom, for a question who did it: "The office is cleaned on Fridays",
 * or the step "Create the drill alert". English and German.
 */
export const lacksAgent = ({ answerType, language, read, text }: Question, unit: ReadUnit): boolean => {
  if (answerType !== "person" || (unit.kind !== "sentence" && unit.kind !== "item")) return false
  if (asksSubjectOfPassive().test(text)) return false
  if (language === "de")
    return germanPassive().test(unit.text) && !agent.test(unit.text) && !saysSurname.test(unit.text)
  if (language !== "en") return false
  // The verb of the question comes first: "Who may seek exemptions where the hall is built?" does not ask who builds.
  const verb = read.termsIn("en").find(({ surface }) => !auxiliary.test(surface))
  const isAsked = (word: string | undefined): boolean =>
    word !== undefined &&
    verb !== undefined &&
    verb.surface === verb.surface.toLowerCase() &&
    unit.part(word).set.match(verb.term, "en") > 0
  const step =
    unit.kind === "item" ? /^(\p{Lu}\p{Ll}+)(?= (?:the|an?|all|your) )/u.exec(unit.text)?.[1] : undefined
  if (isAsked(step)) return true
  return (
    !agent.test(unit.text) && matchesOf(passive(), unit.text).some(([, participle]) => isAsked(participle))
  )
}
const auxiliary =
  /^(?:who|may|might|can|could|will|would|should|must|do|does|did|has|have|had|is|are|was|were|first|originally|usually|actually|normally|currently)$/iu
/** "Who was appointed?" asks for the subject of the passive. */
const asksSubjectOfPassive = wordwise(
  () => /^who (?:is|are|was|were) (?!the\b|an?\b)\p{L}+(?:ed|en)\b|^wer (?:wird|wurden?|ist|war) /iu
)
const passive = wordwise(
  () =>
    /(?<!\p{L})(?:is|are|was|were|be|been|being) (?:(?:not|also|now|only|always|then|\p{L}+ly) ){0,2}(\p{L}+(?:ed|en|ought|uilt|ade|eld|ept|aid|ent|ung|one|old|ound|ed|un))(?!\p{L})/giu
)
const germanPassive = wordwise(() => /(?<!\p{L})(?:wird|werden|wurden?|worden)(?!\p{L})/iu)
/** "By twelve metres", "by hand" and "by selling" name no agent. */
const agent =
  /(?<!\p{L})(?:[Bb]y(?! (?:\d|hand\b|half\b|(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|a (?:third|quarter|tenth))\b|\p{Ll}+ing\b))|[Tt]hrough(?= \p{Lu})|[Vv]ia(?= \p{Lu})|[Vv]on|[Vv]om|[Dd]urch)(?!\p{L})/u
const saysSurname = /(?<!^)\p{Lu}\p{Ll}+ \p{Lu}\p{Ll}+/u

/**
 * Whether a sentence mentions the thing that is asked for without saying which: "A deckhand broke his wrist" for "Which
 * deckhand broke his wrist?". A sentence with a further name may say it. English only.
 */
export const saysOnlySome = (question: Question, unit: ReadUnit): boolean => {
  const [, noun] = whichThing().exec(question.text) ?? []
  // The word itself is looked for first: names are found by slower patterns.
  if (noun === undefined || unit.kind !== "sentence" || !unit.text.includes(noun.toLowerCase())) return false
  return (
    matchesOf(someThing(), unit.text).some(([, found = ""]) => found.toLowerCase() === noun.toLowerCase()) &&
    !namesAnother(question, unit)
  )
}
const whichThing = wordwise(() => /^which (\p{Ll}{3,20}) \p{Ll}/iu)
/** What behind the noun tells which: "a bridge that …", "a ship called …", "an app for …". */
const someThing = wordwise(
  () =>
    /(?<!\p{L})(?:an?|one|some) (?:\p{Ll}+ )?(\p{Ll}{3,20})(?= (?:was|is|were|has|had|did|\p{Ll}+ed|broke|fell|left|went|came|ran|took|lost|sank|hit)(?!\p{L}))/giu
)

/** Whether a sentence tells what happens under a condition, for a question about one past event. English only. */
export const isConditionOnly = ({ text }: Question, unit: ReadUnit): boolean =>
  unit.kind === "sentence" && asksEvent.test(text) && conditional().test(unit.text)
const asksEvent = /^(?:when|which|who|where|what|why|how)\b[^,;]{0,80}\bdid\b/iu
const conditional = wordwise(
  () =>
    /^(?:[^:]{1,60}: )?(?:if|whenever|unless|in case)(?!\p{L}).*(?<!\p{L})(?:must|has to|have to|should|can|may|will|needs? to|shall)(?!\p{L})/iu
)

/** Whether a sentence counts something of several named things, and the one that is asked about is not among them. */
export const countsOthers = ({ anchors, answerType }: Question, unit: ReadUnit): boolean => {
  if (answerType !== "number" || (unit.kind !== "sentence" && unit.kind !== "item")) return false
  const names = anchors.filter(({ kind, text }) => kind === "name" && /\p{Ll}/u.test(text))
  if (names.length === 0 || names.some((name) => unit.field.has(name))) return false
  return matchesOf(nameWithNumber, unit.text).length > 1
}
/** "The Gannet has 38 cameras, the Eider 22", "six on the Gannet, four on the Eider". */
const nameWithNumber =
  /(?<!\p{L})\p{Lu}\p{Ll}{2,}(?: (?:has|have|carries|takes|holds|gets|is|needs))? \d[\d.,]*(?![\p{L}\d])|(?<![\p{L}\d])(?:\d[\d.,]*|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve) (?:on|in|at|for) (?:the )?\p{Lu}\p{Ll}{2,}/gu

/** Whether a text gives no version, for a question which one: "Which Git version does VFS need?" */
export const lacksVersion = (question: Question, unit: ReadUnit, above: ReadonlyArray<ReadText>): boolean =>
  asksVersion(question) && ![unit, ...above].some((one) => hasVersion().test(one.text))

/** Whether a question asks for a version. */
export const asksVersion = ({ text }: Question): boolean => versionAsked().test(text)
const versionAsked = wordwise(
  () =>
    /(?<!\p{L})(?:(?:which|what) (?:[\p{L}.]+ ){0,2}(?:versions?|releases?)|(?:the|required|minimum) version of|welche[rsmn]? (?:\p{L}+[- ])?version|quelle version|qué versión)(?!\p{L})/iu
)
const hasVersion = wordwise(
  () => /(?<![\p{L}\p{N}])v?\d{1,4}(?:\.\d{1,5})*(?![\p{L}\p{N}/])|latest|newest|current|stable/iu
)

/**
 * Whether a row or line of a glossary says no more than the question does, but for an abbreviation: "RTO: recovery time
 * objective" for "What is the recovery time objective of the ledger?". A question for the abbreviation is answered.
 */
export const isGlossaryOnly = ({ language, read, text }: Question, unit: ReadUnit): boolean => {
  if (glossaryEntryOf(unit.text) === null || asksMeaning().test(text)) return false
  const others = unit.termsIn(language).filter(({ term }) => read.set.match(term, language) === 0)
  return (
    others.some(({ surface }) => abbreviation.test(surface)) &&
    others.every(({ surface }) => abbreviation.test(surface) || glossaryHeader.test(surface))
  )
}
const abbreviation = /^\p{Lu}[\p{Lu}\p{N}]{1,5}s?$/u
const glossaryHeader =
  /^(?:terms?|meanings?|abbreviations?|acronyms?|definitions?|full|name|begriff|bedeutung|abkürzung)$/iu
const asksMeaning = wordwise(
  () =>
    /(?<!\p{L})(?:stands? for|means?|meaning|abbreviat\p{L}*|acronyms?|short for|abkürzung\p{L}*|steht|bedeutet|significa)(?!\p{L})/iu
)

/** Whether a text does not spell out the abbreviation whose meaning is asked for: "What does PE stand for?" */
export const lacksMeaning = ({ text }: Question, unit: ReadUnit): boolean => {
  const [, short] = meaningOf().exec(text) ?? []
  if (short === undefined || glossaryEntryOf(unit.text)?.short === short) return false
  const at = unit.text.indexOf(short)
  const around = unit.text.slice(Math.max(0, at - 2), at + short.length + 2)
  return at < 0 || !(/\(|["“=:–—]/u.test(around) || asksMeaning().test(unit.text))
}
const meaningOf = wordwise(
  () => /^what (?:does|do) (?:an? |the )?(\p{Lu}[\p{Lu}\p{N}]{1,7}) (?:stand for|mean)\W*$/iu
)

/**
 * Whether a unit stands below a title or heading of another year than the one that the question gives: the price list of
 * 2025 for a price in 2024. A unit, title or heading with that year is not judged.
 */
export const isOfOtherYear = (
  { read }: Question,
  unit: ReadUnit,
  above: ReadonlyArray<ReadText>
): boolean => {
  const years = yearsIn(read)
  if (years.length !== 1 || unit.kind === "field") return false
  const others = above.flatMap(yearsIn)
  return others.length > 0 && ![...others, ...yearsIn(unit)].some((year) => years.includes(year))
}
const yearsIn = memoize(
  ({ text }: Pick<ReadText, "text">): ReadonlyArray<string> => matchesOf(year, text).map(([found]) => found)
)
const year = /(?<![\p{L}\p{N}.,:/-])(?:19|20)\d{2}(?![\p{L}\p{N}:/-]|[.,]\d)/gu

/** Whether the cell that a question asks for by the name of its column is empty in this row and filled in others. */
export const lacksAskedCell = (
  { terms }: Question,
  unit: ReadUnit,
  rows: ReadonlyArray<ReadUnit>
): boolean => {
  if (unit.kind !== "row") return false
  const own = columnsOf(unit)
  const questionWords = new Set(terms.map(({ surface }) => surface.toLowerCase()))
  return rows.some(
    (row) =>
      row.block === unit.block &&
      columnsOf(row).some((name) => questionWords.has(name) && !own.includes(name))
  )
}

const columnsOf = memoize(
  ({ text }: ReadUnit): ReadonlyArray<string> =>
    text.split("; ").flatMap((cell) => /^([^:]{1,80}): /u.exec(cell)?.[1]?.toLowerCase() ?? [])
)

const comparableKinds: ReadonlySet<ReadUnit["kind"]> = new Set(["row", "item", "field", "setting"])

const areOfOneKind = (one: Value, other: Value): boolean =>
  one.kind === other.kind &&
  (one.kind !== "quantity" || other.kind !== "quantity" || one.dimension === other.dimension)
