import type { AnchorField } from "./anchors.js"
import { factOf } from "./fact-of.js"
import { matchesOf } from "./matches.js"
import type { AnswerType, Question } from "./question.js"
import type { ReadUnit } from "./read-text.js"
import { type QuantityValue, type Value, valueEntails } from "./values.js"
import { wordwise } from "./wordwise.js"

/** What is looked at of a unit. */
type Typed = Pick<ReadUnit, "kind" | "text" | "values">

/** Tells whether a unit holds a thing of the kind that was asked for, which the question itself does not name. */
export const answerTypeTest = (question: Question): ((unit: Typed) => boolean) => {
  const test = tests[question.answerType]
  if (test === undefined) return () => false
  const asked: Asked = {
    fits: fitsDimension(question.text),
    takes: takesOf(question.text),
    field: question.read.field,
    isGerman: question.language === "de" && question.answerType === "person",
    values: question.read.values.slice(0, askedValuesMax)
  }
  return (unit) => test(unit, asked)
}

const isTime = (dimension: string): boolean => /time|months/u.test(dimension)

/** Who asks how long wants a time or a length; who asks how much, how many or how far wants no time. */
const howLong = wordwise(/\b(?:how long|wie lange|combien de temps|cuánto tiempo)\b/iu)
const howMuch = wordwise(
  /\b(?:how (?:much|many|far(?! (?:ahead|back|in advance|off)\b)|high|deep|heavy)|wie ?(?:viel|viele|weit|hoch|schwer)|combien(?! de temps)|cuánt[oa]s?(?! tiempo))\b/iu
)
const timeWords =
  /\b(?:years?|months?|weeks?|days?|hours?|minutes?|seconds?|time|jahre?|monate?|wochen?|tage?|stunden?|minuten?|sekunden?|urlaubstage|zeit|ans?|années?|mois|semaines?|jours?|heures?|secondes?)\b/iu

const howOld = wordwise(/\b(?:how old|wie alt|quel âge|qué edad)\b/iu)

/** What can be measured so, in units or without one that is known. */
const measured: ReadonlyArray<readonly [() => RegExp, RegExp]> = [
  [howOld, /time|months/u],
  [wordwise(/\b(?:how (?:tall|wide|deep|thick)|wie (?:tief|breit|dick))\b/iu), /^(?:length|count)$/u],
  [wordwise(/\b(?:how heavy|wie schwer)\b/iu), /^(?:mass|count)$/u],
  [wordwise(/\b(?:how (?:hot|cold|warm)|wie (?:heiß|kalt|warm))\b/iu), /^(?:celsius|fahrenheit|count)$/u]
]

/** "How much is a passport?" asks for a price. */
const asksPrice = wordwise(
  /\b(?:how much (?:is|are|was|were|will) (?!there\b)|how much (?:do|does|did|would|will) .{1,80} costs?\b|how (?:expensive|dear)|wie teuer|was kostet|wie ?viel kostet|combien coûte)/iu
)
const currency = /^(?:\p{Lu}{3}|wei)$/u
const priced = wordwise(
  /\b(?:\p{L}*fees?|prices?|\p{L}*costs?|charges?|rates?|tariffs?|free|gratis|gebühr(?:en)?|\p{L}*kosten|preise?|kostenlos|tarif|prix|frais|gratuit\p{L}*)\b/iu
)

const fitsDimension = (question: string) => {
  if (asksPrice().test(question)) return (dimension: string) => currency.test(dimension)
  const [, units] = measured.find(([asked]) => asked().test(question)) ?? []
  if (units !== undefined) return (dimension: string) => units.test(dimension)
  if (howLong().test(question)) return (dimension: string) => isTime(dimension) || dimension === "length"
  const noTime = howMuch().test(question) && !timeWords.test(question)
  return (dimension: string) => !noTime || !isTime(dimension)
}

const howOften = wordwise(/\b(?:how (?:often|frequently)|wie oft|à quelle fréquence|con qué frecuencia)\b/iu)
const frequency = wordwise(
  /\b(?:every|each|daily|nightly|hourly|weekly|fortnightly|monthly|quarterly|yearly|annually|once|twice|never|always|constantly|täglich|wöchentlich|monatlich|vierteljährlich|jährlich|jede[nrsm]?|einmal|zweimal|nie|chaque|tous les|toutes les|par (?:jour|semaine|mois|an)|cada|diari[oa]|semanal|mensual|anual)\b/iu
)
/** "What is the contract number?" asks for what the thing is called by, "the number of contracts" for how many. */
const identifier = wordwise(
  /\b(?:what|which)(?:'s| is| was)(?: the| our| your| its)? (?:[\p{L}-]+ ){0,3}(?:number|code|id|identifier|version)(?! of (?!the\b|our\b|this\b|\p{Lu}))\b|\bwie (?:lautet|ist) (?:die|unsere) \p{L}*(?:nummer|kennung)\b|\bquel est le numéro\b|\bcuál es el número\b/iu
)
const textLength = wordwise(
  /\d\s?(?:characters?|letters?|digits?|words?|pages?|lines?|zeichen|wörter|seiten|zeilen|caractères?|mots?|caracteres?|palabras?)\b/iu
)

const takesOf = (question: string): ((unit: Typed) => boolean) => {
  if (howOften().test(question)) return ({ text }) => frequency().test(text)
  // "Fee (EUR): 70.00" has its currency above the number.
  if (asksPrice().test(question))
    return ({ text, values }) =>
      priced().test(text) && values.some((one) => one.kind === "quantity" && one.dimension === "count")
  if (howLong().test(question)) return ({ text }) => textLength().test(text)
  // When it came to be tells how old it is.
  if (howOld().test(question)) return ({ values }) => values.some(({ kind }) => kind === "date")
  if (identifier().test(question)) return ({ values }) => values.some(({ kind }) => kind === "code")
  return () => false
}

interface Asked {
  /** Whether a quantity of this dimension can be what was asked for. */
  readonly fits: (dimension: string) => boolean
  /** What else than a quantity answers it. */
  readonly takes: (unit: Typed) => boolean
  readonly field: AnchorField
  /** A person is asked for where every noun has a capital: only first name and surname tell one. */
  readonly isGerman: boolean
  readonly values: ReadonlyArray<Value>
}

/** No honest question names more values. */
const askedValuesMax = 16

const newValues = (unit: Typed, { values }: Asked) =>
  unit.values.filter((value) => !values.some((known) => valueEntails(value, known)))

const hasNewName = (unit: Typed, { field, isGerman }: Asked): boolean =>
  namesIn(unit).some((name) => (!isGerman || name.text.includes(" ")) && !field.has(name))

const namesIn = factOf(({ kind, text }: Typed) =>
  (kind === "row" ? cellNames(text) : matchesOf(namePattern, text).map(([name]) => name)).map(
    (name) => ({ kind: "name", text: name, norm: name.toLowerCase() }) as const
  )
)

/** Of "Role: Laboratory manager; Lead: Mia Falk" the cells that are no more than a name. */
const cellNames = (row: string): ReadonlyArray<string> =>
  row.split("; ").flatMap((cell) => {
    const value = cell.slice(cell.indexOf(": ") + (cell.includes(": ") ? 2 : 0))
    return isName.test(value) ? [value] : matchesOf(namePattern, value).map(([name]) => name)
  })
const isName = /^(?:\p{Lu}[\p{L}.'’-]*)(?:\s+\p{Lu}[\p{L}.'’-]*)*(?: \(.*\))?$/u
const namePattern = /(?<!^)(?<![.!?]\s)\p{Lu}[\p{L}.'’-]+(?:\s+\p{Lu}[\p{L}.'’-]+)*/gu

const reason = wordwise(
  /\b(?:because|since|due to|in order to|so that|therefore|caused? by|as a result|weil|da|damit|wegen|grund|parce que|car|afin|porque|para)\b|ため|ので|因为|因為|때문/iu
)

/** A number with its counter, as Chinese and Japanese write them: 四百五十元, 12,000円, 两点, 三十日. */
const hanNumber = "[0-9０-９,.〇零一二三四五六七八九十百千万萬两両半]+"
const timeInHan = new RegExp(`${hanNumber}(?:[日天年月周週时時点點分秒]|小时|[かヶ个箇]月)`, "u")
const countedInHan = new RegExp(
  `${timeInHan.source}|${hanNumber}(?:[円元次回人名個个割成倍枚本件台歳岁位度斤泊]|文字)`,
  "u"
)

/** "Within seven days", "21 days before": a span that tells when; "three years" alone tells how long. */
const isSpanOfWhen = ({ text }: Typed, { dimension, end, start }: QuantityValue): boolean =>
  /time|months/u.test(dimension) &&
  (beforeSpan().test(text.slice(Math.max(0, start - 24), start)) ||
    afterSpan().test(text.slice(end, end + 24)))
const beforeSpan = wordwise(
  /\b(?:within|after|in|every|each|until|till|by|from|at|on|over the next|the (?:next|last|first)|innerhalb(?: von)?|binnen|nach|alle|bis|ab|am|dans|après|sous|tous les|toutes les|avant|en|dentro de|después de|cada|tras)\s+(?:\p{L}+\s+){0,2}$/iu
)
const afterSpan = wordwise(
  /^\s*(?:\p{L}+\s+){0,2}?(?:before|after|ago|later|earlier|prior|from|in advance|old|vor|nach|zuvor|später|avant|après|plus tard|antes|después)\b/iu
)

const isCountedInHan = factOf(({ text }: Typed) => countedInHan.test(text))
const timeOfDay =
  /\b\d{1,2}(?::\d{2}|\s?[ap]\.?m\.?|(?:[:.]\d{2})?\s?(?:uhr|heures?|o['’]clock)\b)|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|\b(?:montag|dienstag|mittwoch|donnerstag|freitag|lundi|mardi|mercredi|jeudi|vendredi|lunes|martes|jueves|viernes)/iu
const isTimed = factOf(({ text }: Typed) => timeInHan.test(text) || timeOfDay.test(text))
const isEnumeration = factOf(({ text }: Typed) => /,.+(?:,| and | und | et | y )/u.test(text))
const givesReason = factOf(({ text }: Typed) => reason().test(text))

const tests: Partial<Record<AnswerType, (unit: Typed, asked: Asked) => boolean>> = {
  number: (unit, asked) =>
    newValues(unit, asked).some((value) => value.kind === "quantity" && asked.fits(value.dimension)) ||
    isCountedInHan(unit) ||
    asked.takes(unit),
  date: (unit, asked) =>
    newValues(unit, asked).some(
      (value) =>
        value.kind === "date" ||
        (value.kind === "quantity" && (value.dimension === "ordinal" || isSpanOfWhen(unit, value)))
    ) || isTimed(unit),
  person: hasNewName,
  place: hasNewName,
  list: (unit) => unit.kind === "list" || isEnumeration(unit),
  reason: (unit) => givesReason(unit),
  procedure: ({ kind }) => kind === "list" || kind === "item" || kind === "code"
}
