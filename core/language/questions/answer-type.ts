import { memoize } from "../../platform/caching/index.js"
import { isFunctionWord, matchesOf, opensWithPronoun, phrase, wordwise } from "../languages/index.js"
import { type AnchorField, isWeekday, mentionsTime, type ReadUnit } from "../text-analysis/index.js"
import { isCurrency, type QuantityValue, type Value, valueEntails } from "../values/index.js"
import type { AnswerType, Question } from "./question.js"

/** The part of a unit that the test uses. */
type Typed = Pick<ReadUnit, "kind" | "text" | "values">

/** Returns a test whether a unit contains a thing of the requested kind that the question does not name itself. */
export const answerTypeTest = (question: Question): ((unit: Typed) => boolean) => {
  const test = tests[question.answerType]
  if (test === undefined) return () => false
  const asked: Asked = {
    fits: fitsDimension(question.text),
    takes: takesOf(question.text),
    isPlainCount: ![asksPrice, ...measured.map(([asks]) => asks)].some((asks) => asks().test(question.text)),
    field: question.read.field,
    isEnglish: question.language === "en",
    isGerman: question.language === "de" && question.answerType === "person",
    values: question.read.values.slice(0, askedValuesMax)
  }
  return (unit) => test(unit, asked)
}

const isTime = (dimension: string): boolean => /time|months/u.test(dimension)

/** "How long" asks for a duration or a length; "how much", "how many" and "how far" do not ask for a duration. */
const howLong = phrase("howLong")
const howMuch = wordwise(
  () =>
    /\b(?:how (?:much|many|far(?! (?:ahead|back|in advance|off)\b)|high|deep|heavy)|wie ?(?:viel|viele|weit|hoch|schwer)|combien(?! de temps)|cuánt[oa]s?(?! tiempo)|сколько (?:человек|людей|штук|раз|денег))\b/iu
)
const timeWords = wordwise(
  () =>
    /\b(?:years?|months?|weeks?|days?|hours?|minutes?|seconds?|time|leave|holidays?|vacation|notice|urlaub|jahre?|monate?|wochen?|tage?|stunden?|minuten?|sekunden?|urlaubstage|zeit|ans?|années?|mois|semaines?|jours?|heures?|secondes?|años?|meses|mes|semanas?|días?|horas?|minutos?|segundos?|vacaciones|tiempo)\b|(?<!\p{L})(?:дн(?:я|ей|и)|день|час\p{L}*|минут\p{L}*|секунд\p{L}*|недел\p{L}*|месяц\p{L}*|лет|год\p{L}*|сут(?:ок|ки)|времени)(?!\p{L})/iu
)

const howOld = phrase("howOld")

/** Whether a text names somebody or something that the question does not. */
export const namesAnother = (question: Question, unit: Typed): boolean =>
  isUncased(unit) || namesIn(unit).some((name) => !question.read.field.has(name))

/** Whether a text says where: a name that the question lacks, or a preposition of place. */
export const saysPlace = (question: Question, unit: Typed): boolean =>
  namesAnother(question, unit) ||
  matchesOf(placed(), unit.text).some(({ 0: found, index }) => {
    const after = unit.text.slice(index + found.length, index + found.length + 24)
    return !isNumberNext.test(after) && !isTimeNext().test(after)
  }) ||
  hasPlaceCell(unit)

/** Whether a row has a column for places: "Standort: Raum 2.03". */
export const hasPlaceCell = ({ kind, text }: Pick<Typed, "kind" | "text">): boolean =>
  kind === "row" && text.split("; ").some((cell) => placeCell().test(cell))
const placeCell = wordwise(
  () =>
    /^(?:[^:]*\b(?:place|location|room|hall|site|building|address|shelf|warehouse|city|country|where|ort|raum|standort|lagerort|lieu|salle|lugar|sala|место|помещение)\b[^:]*): \S/iu
)
const placed = phrase("placed", "giu")
/** "From 9 to 11", "in 2022": prepositions of place before a time. "At 12 Broad Street" is a place. */
const isNumberNext = /^\s+\d[\d.,:]*(?!\s\p{Lu}|[\d\p{L}])/u
const isTimeNext = wordwise(
  () =>
    /^\s+(?:(?:the|next|last|\d{1,2}) )?(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september|october|november|december|morning|afternoon|evening|night|noon|midnight|spring|summer|autumn|winter|weekend|week|month|year|time)s?\b/iu
)

/** Measured properties with their question patterns and dimensions. */
const measured: ReadonlyArray<readonly [() => RegExp, RegExp]> = [
  [howOld, /time|months/u],
  [
    wordwise(
      () =>
        /\b(?:how (?:tall|wide|deep|thick)|wie (?:tief|breit|dick))\b|多[高长長宽寬深]|(?:長|高|幅|深|厚)さ|身長/iu
    ),
    /^(?:length|count)$/u
  ],
  // A fee may be high too.
  [wordwise(() => /\b(?:how high|wie hoch)\b/iu), /^(?!mass|time|months|volume|data)/u],
  [
    wordwise(
      () =>
        /\b(?:how heavy|wie schwer|(?:wie ?viel|was) wiegt|combien pèse(?:nt)?|cuánto pesan?|сколько весит)\b|多重|重さ|重量は|体重/iu
    ),
    /^(?:mass|count)$/u
  ],
  [
    wordwise(() => /\b(?:how (?:hot|cold|warm)|wie (?:heiß|kalt|warm))\b/iu),
    /^(?:celsius|fahrenheit|count)$/u
  ]
]

/** "How much is a passport?" asks for a price. */
const asksPrice = wordwise(
  () =>
    /\b(?:how much (?:is|are|was|were|will) (?!there\b)|how much (?:do|does|did|would|will) .{1,80} costs?\b|how (?:expensive|dear)|wie teuer|was kosten?t?|wie ?viel kosten?t?|combien coûte|cuánto (?:cuestan?|valen?|costó|costaban?)|сколько сто(?:ит|ят|ил))|いくら|多少[钱錢]/iu
)
const priced = phrase("priced")

const fitsDimension = (question: string) => {
  if (asksPrice().test(question)) return isCurrency
  const [, units] = measured.find(([asked]) => asked().test(question)) ?? []
  if (units !== undefined) return (dimension: string) => units.test(dimension)
  if (howLong().test(question)) return (dimension: string) => isTime(dimension) || dimension === "length"
  const noTime = howMuch().test(question) && !timeWords().test(question)
  return (dimension: string) => !noTime || !isTime(dimension)
}

const howOften = phrase("howOften")
const frequency = phrase("frequency")
/** "What is the contract number?" asks for an identifier, "the number of contracts" for a count. */
const identifier = wordwise(
  () =>
    /\b(?:what|which)(?:'s| is| was)(?: the| our| your| its)? (?:[\p{L}-]+ ){0,3}(?:number|code|id|identifier|version)(?! of (?!the\b|our\b|this\b|\p{Lu}))\b|\bwie (?:lautet|ist) (?:die|unsere) \p{L}*(?:nummer|kennung)\b|\bquel est le numéro\b|\bcuál es el número\b/iu
)
const textLength = wordwise(
  () =>
    /\d\s?(?:characters?|letters?|digits?|words?|pages?|lines?|zeichen|wörter|seiten|zeilen|caractères?|mots?|caracteres?|palabras?|символ\p{L}*|знак\p{L}*|букв\p{L}*|слов\p{L}*|страниц\p{L}*|строк\p{L}*)\b/iu
)

/** "An hour" is a duration, although "one" and its translations count as articles. */
const oneOfTime = wordwise(
  () =>
    /\b(?:an?|one|ein(?:e[nrms]?)?|une?|una?|один|одну|одна|одного|одной) (?:(?:whole|full|half an|halben?|ganze[nrs]?|demi[- ]|целый|целую) ?)?(?:second|minute|hour|day|week|month|quarter|year|sekunde|stunde|tag|woche|monat|quartal|jahr|seconde|heure|jour|semaine|mois|trimestre|an|année|hora|día|semana|mes|año|секунд[ау]|минут[ау]|час|день|недел[яю]|месяц|год)(?:s|es|en|e)?\b/iu
)

const takesOf = (question: string): ((unit: Typed) => boolean) => {
  if (howOften().test(question)) return ({ text }) => frequency().test(text)
  // "Fee (EUR): 70.00" has its currency before the number.
  if (asksPrice().test(question))
    return ({ text, values }) =>
      priced().test(text) && values.some((one) => one.kind === "quantity" && one.dimension === "count")
  if (howLong().test(question)) return ({ text }) => textLength().test(text) || oneOfTime().test(text)
  // A date of creation also answers how old something is.
  if (howOld().test(question)) return ({ values }) => values.some(({ kind }) => kind === "date")
  if (identifier().test(question)) return ({ values }) => values.some(({ kind }) => kind === "code")
  return () => false
}

interface Asked {
  /** Whether a quantity of this dimension can be the answer. */
  readonly fits: (dimension: string) => boolean
  /** Any number can be the answer. */
  readonly isPlainCount: boolean
  /** Whether anything other than a quantity answers it. */
  readonly takes: (unit: Typed) => boolean
  readonly field: AnchorField
  /** A person in German text, where every noun has a capital: only first name and surname identify one. */
  readonly isGerman: boolean
  /** Subjects and words for roles are known in English only. */
  readonly isEnglish: boolean
  readonly values: ReadonlyArray<Value>
}

/** Bounds the work for questions with many values. */
const askedValuesMax = 16

const newValues = (unit: Typed, { values }: Asked) =>
  unit.values.filter((value) => !values.some((known) => valueEntails(value, known)))

const hasNewName = (unit: Typed, { field, isGerman }: Asked): boolean =>
  // Scripts without capitals do not mark names.
  isUncased(unit) || namesIn(unit).some((name) => (!isGerman || name.text.includes(" ")) && !field.has(name))

const isUncased = memoize(({ text }: Typed) => /\p{L}/u.test(text) && !/\p{Lu}|\p{Ll}/u.test(text))

/** A person, team or role: a new name, a subject that the question does not name, "by the …", or a word for a role. */
const hasNewPerson = (unit: Typed, asked: Asked): boolean =>
  hasNewName(unit, asked) || (asked.isEnglish && agentsIn(unit).some((word) => !asked.field.has(word)))

const agentsIn = memoize(({ kind, text }: Typed) =>
  [
    ...(kind === "sentence" || kind === "item" ? [openingNoun.exec(text)?.[1]] : []),
    ...matchesOf(byAgent(), text).map(([, agent]) => agent),
    ...matchesOf(roleNoun(), text).map(([role]) => role)
  ].flatMap((word) =>
    word === undefined || isFunctionWord(word, "en") || opensWithPronoun(word)
      ? []
      : [{ kind: "name", text: word, norm: word.toLowerCase() } as const]
  )
)
const openingNoun = /^[\s"'“„«(]*(?:(?:The|An?|Our)\s)?(\p{L}[\p{L}\p{M}'’-]*)(?=\s\p{Ll})/u
const byAgent = wordwise(() => /(?<!\p{L})by\s(?:(?:the|an?|our)\s)?(\p{L}[\p{L}'’-]*)/giu)
const roleNoun = wordwise(
  () =>
    /(?<!\p{L})(?:officer|manager|head|office|team|department|board|committee|staff|crew|owner|leader|director|master|secretary|treasurer|clerk|chair|president|engineer|nurse|doctor|guard|keeper|caretaker|warden|teacher|captain|pilot|driver|operator|administrator|supplier|council|agency|authority|editor|volunteer|member|mechanic|librarian|accountant|contractor|tenant|employee)s?(?!\p{L}|\s(?:who|that)\s)/giu
)

const namesIn = memoize(({ kind, text, values }: Typed) => {
  const isInDate = ({ index }: RegExpExecArray) =>
    values.some((value) => value.kind === "date" && index >= value.start && index < value.end)
  const found =
    kind === "row"
      ? cellNames(text)
      : matchesOf(namePattern, text).flatMap((match) =>
          isInDate(match) || partOfYear(match[0]) ? [] : [match[0]]
        )
  return found.map((name) => ({ kind: "name", text: name, norm: name.toLowerCase() }) as const)
})

const partOfYear = (name: string): boolean => {
  const word = name.replace(/\.$/u, "")
  return isWeekday(word) || month.test(word)
}
const month =
  /^(?:January|February|March|April|May|June|July|August|September|October|November|December|Easter|Christmas)$/u

/** Returns the cells that consist of a name only, as in "Role: Laboratory manager; Lead: Mia Falk". */
const cellNames = (row: string): ReadonlyArray<string> =>
  row.split("; ").flatMap((cell) => {
    const value = cell.slice(cell.indexOf(": ") + (cell.includes(": ") ? 2 : 0))
    return isName.test(value) ? [value] : matchesOf(namePattern, value).map(([name]) => name)
  })
const isName = /^(?:\p{Lu}[\p{L}.'’-]*)(?:\s+\p{Lu}[\p{L}.'’-]*)*(?: \(.*\))?$/u
const namePattern = /(?<!^)(?<![.!?]\s)\p{Lu}[\p{L}.'’-]+(?:\s+\p{Lu}[\p{L}.'’-]+)*/gu

const reason = wordwise(
  () =>
    /\b(?:because|since|due to|in order to|so that|therefore|caused? by|as a result|weil|da|damit|wegen|grund|parce que|car|afin|porque|para|потому что|так как|из-за|поскольку|поэтому|чтобы|вследствие)\b|ため|ので|因为|因為|때문/iu
)

/**
 * The end of a number with its counter in Chinese and Japanese: 四百五十元, 12,000円, 两点, 三十日. Matches only the last digit,
 * because matching whole numbers would scan a long one from each of its digits.
 */
const hanNumber = "[0-9０-９,.〇零一二三四五六七八九十百千万萬亿億两兩両半数數]"
const timeInHan = new RegExp(
  `${hanNumber}(?:[日天年月周週时時点點分秒号號]|小时|[かカヶケ个個箇]月|季度|星期)|(?:星期|周|週)[一二三四五六日天]|[月火水木金土日]曜|(?:[0-9]|한|두|세|네|다섯|여섯|일곱|여덟|아홉|열)\\s?시(?!간)|[월화수목금토일]요일|[0-9]\\s?[년월일](?![가-힣]{2})`,
  "u"
)
const countedInHan = new RegExp(
  `${timeInHan.source}|${hanNumber}(?:[円元块塊次回人名個个割成倍枚本件台歳岁位度斤泊升克吨噸米瓦转轉页頁字条條种種项項家间間册冊辆輛双對对折届级級番階层層杯匙冊頭匹箱]|文字|毫|公|厘|千|キロ|ミリ|センチ|メートル|グラム|トン|リットル|パーセント|ページ|ポイント|デシベル|ドル|ユーロ|カ所|か所)|百分之|[百千]分率`,
  "u"
)

/**
 * "Within seven days", "21 days before", "after 60 washes": what tells when; "three years" alone tells how long.
 */
const isSpanOfWhen = ({ text }: Typed, { dimension, end, start }: QuantityValue): boolean => {
  if (dimension === "clock" || dimension === "recurrence") return true
  const before = text.slice(Math.max(0, start - 24), start)
  if (dimension === "count") return afterCount().test(before)
  return (
    /time|months/u.test(dimension) &&
    (beforeSpan().test(before) || afterSpan().test(text.slice(end, end + 24)))
  )
}
/** "18th and F Streets", "3rd floor": an ordinal that tells where something is and not when. */
const isOfAddress = ({ text }: Typed, { end }: QuantityValue): boolean =>
  /^(?:st|nd|rd|th)?\s(?:(?:and|&)\s\S{1,20}\s)?(?:streets?|avenues?|st|ave|road|floor)\b/iu.test(
    text.slice(end, end + 32)
  )
const afterCount = wordwise(
  () => /\b(?:after|every|nach|alle|après|tous les|toutes les|después de|cada|после|кажд\p{L}+)\s+$/iu
)
const beforeSpan = wordwise(
  () =>
    /\b(?:within|after|in|every|each|until|till|by|from|at|on|over the next|the (?:next|last|first)|innerhalb(?: von)?|binnen|nach|alle|bis|ab|am|dans|après|sous|tous les|toutes les|avant|en|dentro de|después de|cada|tras|à|в|через|за|после|до|не (?:позднее|позже) чем за|не (?:позднее|позже)|в течение|кажд\p{L}+|спустя)\s+(?:\p{L}+\s+){0,2}$/iu
)
const afterSpan = wordwise(
  () =>
    /^\s*(?:\p{L}+\s+){0,2}?(?:before|after|ago|later|earlier|prior|from|in advance|ahead|beforehand|old|vor|nach|zuvor|später|avant|après|plus tard|antes|después|до|назад|спустя|раньше|позже)\b/iu
)

const isCountedInHan = memoize(({ text }: Typed) => countedInHan.test(text))
const isTimed = memoize(({ text }: Typed) => timeInHan.test(text) || mentionsTime(text))
const isEnumeration = memoize(({ text }: Typed) => /,.+(?:,| and | und | et | y )/u.test(text))
const givesReason = memoize(({ text }: Typed) => reason().test(text))

/** "Monthly" says when and not how many; "three times a day" says both. */
const isAmount = ({ dimension, low }: QuantityValue): boolean => dimension !== "recurrence" || low > 1

const tests: Partial<Record<AnswerType, (unit: Typed, asked: Asked) => boolean>> = {
  number: (unit, asked) =>
    newValues(unit, asked).some(
      (value) => value.kind === "quantity" && isAmount(value) && asked.fits(value.dimension)
    ) ||
    (asked.isPlainCount && isCountedInHan(unit)) ||
    asked.takes(unit),
  date: (unit, asked) =>
    newValues(unit, asked).some(
      (value) =>
        value.kind === "date" ||
        (value.kind === "quantity" &&
          (value.dimension === "ordinal" ? !isOfAddress(unit, value) : isSpanOfWhen(unit, value)))
    ) || isTimed(unit),
  person: hasNewPerson,
  place: hasNewName,
  list: (unit) => unit.kind === "list" || isEnumeration(unit),
  reason: (unit) => givesReason(unit),
  procedure: ({ kind }) => kind === "list" || kind === "item" || kind === "code"
}
