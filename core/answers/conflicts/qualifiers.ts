import { wordwise } from "../../language/languages/index.js"
import type { ReadText } from "../../language/text-analysis/index.js"
import { type DateValue, dateEntails } from "../../language/values/index.js"
import { memoize } from "../../platform/caching/index.js"
import type { Statement } from "./statements.js"

/**
 * Whether two statements concern different versions, plans or cases, so that both may hold: a plan and a result, past
 * and present, a rule and its exception.
 */
export const areApart = (a: Statement, b: Statement): boolean =>
  different(qualifiersOf(a.read).versions, qualifiersOf(b.read).versions) ||
  qualifiersOf(a.read).cases.some((holds, at) => holds !== qualifiersOf(b.read).cases[at])

/** The same, although one puts as a condition what the other puts as a fact: "if a method has …", "a method that has …". */
export const areApartIfStated = (a: Statement, b: Statement): boolean =>
  different(qualifiersOf(a.read).versions, qualifiersOf(b.read).versions) ||
  qualifiersOf(a.read).cases.some(
    (holds, at) => at !== conditionCase && holds !== qualifiersOf(b.read).cases[at]
  )
/** The place of conditions among the cases. */
const conditionCase = 3

/** Returns the qualifiers of a text: versions, periods, and whether it concerns a plan, the past or a special case. */
const qualifiersOf = memoize(({ text }: ReadText) => ({
  versions: versions(text),
  periods: periodCodes(text),
  cases: [plans, proposals, former, conditions, exceptions, lacking].map((pattern) => pattern().test(text))
}))

/** Whether dates are equal to the precision of the less precise one. */
export const datesAgree = (a: DateValue, b: DateValue): boolean =>
  a.readings.some((one) => b.readings.some((other) => dateEntails(one, other) || dateEntails(other, one)))

export const datesOf = (statement: Statement): ReadonlyArray<DateValue> =>
  statement.values.flatMap((value) => (value.kind === "date" ? [value] : []))

/** Whether the times of two statements differ, or one concerns a past time and the other names none. */
export const arePeriodsApart = (a: Statement, b: Statement): boolean => {
  const [datesA, datesB] = [datesOf(a), datesOf(b)]
  if (datesA.length === 0 && datesB.length === 0 && different(new Set(a.titleYears), new Set(b.titleYears)))
    return true
  if (datesA.length > 0 && datesB.length > 0)
    return !datesA.some((one) => datesB.some((other) => datesAgree(one, other)))
  if (datesA.length > 0 || datesB.length > 0)
    return [a, b].some((one) => datesOf(one).some(({ start }) => bounded().test(one.text.slice(0, start))))
  return different(qualifiersOf(a.read).periods, qualifiersOf(b.read).periods)
}

/** "In 2023", "as of 2023", "until 2023" limit the time; "since 2023" also holds today. */
const bounded = wordwise(
  () =>
    /\b(?:in|as of|during|until|till|by|before|im jahr|im|bis|während|stand|en|pendant|avant|jusqu['’]en|durante|hasta|antes de)\s+(?:the\s+|le\s+|el\s+|year\s+|end of\s+|ende\s+)?$/iu
)

const periodCodes = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(/\b(?:[QHT][1-4]|FY ?\d{2,4})\b/gu)].map(([code]) => code.replace(" ", "")))

const versions = (text: string): ReadonlySet<string> =>
  new Set(
    [...text.matchAll(/\b(?:v|version|release|revision|ausgabe|versión)\s?\.?(\d+(?:\.\d+)*)/giu)].map(
      ([, number = ""]) => number
    )
  )

const different = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean =>
  a.size > 0 && b.size > 0 && ![...a].some((one) => b.has(one))

const plans = wordwise(
  () =>
    /\b(?:plan(?:s|ned)?|target(?:s|ed)?|goals?|forecast(?:s|ed)?|expect(?:s|ed)?|estimat(?:e|es|ed)|budget(?:s|ed)?|intend(?:s|ed)?|aim(?:s|ed)?|draft|geplante?[nrs]?|ziel|soll|erwartete?[nrs]?|prévue?s?|objectif|prévision|previst[oa]s?|objetivo)\b/iu
)

/** A class of its own: a proposed budget is not the budget. */
const proposals = wordwise(
  () =>
    /\b(?:propos(?:e|es|ed|als?)|suggest(?:s|ed|ion)?|recommend(?:s|ed|ation)?|vorgeschlagene?[nrs]?|vorschlag|schlägt|proposée?s?|suggérée?s?|propuest[oa]s?|propon(?:e|en)|sugerid[oa]s?)\b/iu
)

const former = wordwise(
  () =>
    /\b(?:formerly|previously|used to|originally|earlier|once|back then|no longer|früher|ehemals|ursprünglich|zuvor|damals|auparavant|autrefois|à l['’]origine|antes|anteriormente)\b/iu
)

/** "Unless configured otherwise" says what holds by default. */
const conditions = wordwise(
  () => /\b(?:if|unless(?! (?:\p{L}+ )?otherwise\b)|falls|sofern|außer|sauf|si|salvo)\b/iu
)

const exceptions = wordwise(
  () =>
    /\b(?:except|exception(?:s|ally)?|exempt(?:ed)?|instead of|ausnahme(?:n|sweise)?|abweichend|exceptionnellement|dérogation|excepto|excepción)\b/iu
)

/** "Customers without an account" are a subset of the customers. */
const lacking = wordwise(() => /\b(?:without|lacking|ohne|sans|sin)\b/iu)

/**
 * Whether the dated event happens once ("launched", "due"); recurring ones (audits, meetings) have many dates. A date
 * at the start of a sentence says when the rest held and dates no event.
 */
export const isSingleEvent = (a: Statement, b: Statement): boolean =>
  [a, b].every(
    (one) =>
      (!recurrent().test(one.text) || singled().test(one.text)) &&
      !opening().test(one.text.slice(0, datesOf(one)[0]?.start))
  )

/** Phrases that single out one of several recurring events. */
const singled = wordwise(
  () =>
    /\b(?:next|last|first|final|latest|due|deadline|nächste[nrs]?|letzte[nrs]?|erste[nrs]?|fällig|frist|prochaine?|dernière?|première?|próxim[oa]|últim[oa])\b/iu
)

const recurrent = wordwise(
  () =>
    /\b(?:met|meets?|meetings?|audit(?:s|ed)?|survey(?:s|ed)?|inspect(?:s|ed|ions?)?|visit(?:s|ed)?|measured?|report(?:s|ed)?|review(?:s|ed)?|recorded|held|took place|incidents?|outages?|geprüft|getroffen|sitzung|gemessen|réunion|contrôlée?|mesurée?)\b/iu
)
const opening = wordwise(() => /^\s*(?:in|on|during|im|am|en|le|el)\s*$/iu)
