import { randomFrom } from "./random.js"

/** A claim made from a passage by a rule, and whether the passage carries it. */
export interface MadeClaim {
  readonly kind: string
  readonly text: string
  readonly isTrue: boolean
}

type Random = () => number
type Edit = (sentence: string, context: EditContext) => string | null

export interface EditContext {
  readonly random: Random
  readonly passage: string
  /** Names of other passages. */
  readonly names: ReadonlyArray<string>
}

const pick = <A>(items: ReadonlyArray<A>, random: Random): A | undefined =>
  items[Math.floor(random() * items.length)]

const replaceAt = (text: string, match: RegExpExecArray | RegExpMatchArray, by: string): string =>
  text.slice(0, match.index) + by + text.slice((match.index ?? 0) + match[0].length)

const numberPattern = /(?<![\p{L}\p{N}_.,/#-])\d+(?:[.,]\d+)*(?![\p{L}\p{N}_/-]|[.,]\d)/gu

const otherNumber: Edit = (sentence, { passage, random }) => {
  const match = pick([...sentence.matchAll(numberPattern)], random)
  if (match === undefined) return null
  for (let tries = 0; tries < 20; tries += 1) {
    const at = Math.floor(random() * match[0].length)
    const digit = match[0].charAt(at)
    if (!/\d/u.test(digit)) continue
    const next = String((Number(digit) + 1 + Math.floor(random() * 9)) % 10)
    const made = match[0].slice(0, at) + next + match[0].slice(at + 1)
    if (
      !/^0\d/u.test(made) &&
      !new RegExp(`(?<!\\d)${made.replaceAll(".", "\\.")}(?!\\d)`, "u").test(passage)
    )
      return replaceAt(sentence, match, made)
  }
  return null
}

const numberOfPassage: Edit = (sentence, { passage, random }) => {
  const match = pick([...sentence.matchAll(numberPattern)], random)
  if (match === undefined) return null
  const isYear = (text: string) => /^[12]\d{3}$/u.test(text)
  const others = [...passage.matchAll(numberPattern)]
    .map(([text]) => text)
    .filter((text) => !sentence.includes(text) && isYear(text) === isYear(match[0]))
  const other = pick(others, random)
  return other === undefined ? null : replaceAt(sentence, match, other)
}

const numberWords = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
const otherNumberWord: Edit = (sentence, { random }) => {
  const match = pick([...sentence.matchAll(new RegExp(`\\b(?:${numberWords.join("|")})\\b`, "gu"))], random)
  if (match === undefined) return null
  const other = pick(
    numberWords.filter((word) => word !== match[0] && !sentence.includes(word)),
    random
  )
  return other === undefined ? null : replaceAt(sentence, match, other)
}

const months = "January February March April May June July August September October November December".split(
  " "
)
const otherMonth: Edit = (sentence, { random }) => {
  const match = pick([...sentence.matchAll(new RegExp(`\\b(?:${months.join("|")})(?= \\d)`, "gu"))], random)
  const other = pick(
    months.filter((month) => !sentence.includes(month)),
    random
  )
  return match === undefined || other === undefined ? null : replaceAt(sentence, match, other)
}

const units = [
  "kilometres",
  "metres",
  "miles",
  "hours",
  "days",
  "weeks",
  "months",
  "years",
  "%",
  "GB",
  "MB",
  "bytes"
]
const unitPattern =
  /(?<=\d ?)(?:km|kilomet(?:re|er)s|met(?:re|er)s|miles|hours|days|weeks|months|years|%|GB|MB|KB|bytes)\b/gu
const otherUnit: Edit = (sentence, { random }) => {
  const match = pick([...sentence.matchAll(unitPattern)], random)
  const other = pick(
    units.filter((unit) => match !== undefined && !unit.startsWith(match[0].slice(0, 3))),
    random
  )
  return match === undefined || other === undefined
    ? null
    : replaceAt(sentence, match, ` ${other}`).replace("  ", " ")
}

/** Capitalised runs inside a sentence. */
export const namesOf = (text: string): ReadonlyArray<string> => [
  ...new Set(
    [...text.matchAll(/(?<=[\p{Ll},;] )\p{Lu}[\p{Ll}]{2,}(?: \p{Lu}[\p{Ll}]{2,})*(?=[\s.,;:)']|$)/gu)]
      .map(([name]) => name)
      .filter((name) => !months.includes(name))
  )
]

const otherName: Edit = (sentence, { names, passage, random }) => {
  const name = pick(namesOf(sentence), random)
  const words = passage.toLowerCase()
  const other = pick(
    names.filter((one) => one.split(" ").every((word) => !words.includes(word.toLowerCase().slice(0, 5)))),
    random
  )
  return name === undefined || other === undefined ? null : sentence.replace(name, other)
}

const nameOfPassage: Edit = (sentence, { passage, random }) => {
  const name = pick(namesOf(sentence), random)
  const other = pick(
    namesOf(passage).filter((one) => !sentence.includes(one) && !(name ?? "").includes(one)),
    random
  )
  return name === undefined || other === undefined ? null : sentence.replace(name, other)
}

/** "A defeated B" is not "B defeated A": names on both sides of one verb, where nothing says that it goes both ways. */
const swappedNames: Edit = (sentence) => {
  const match =
    /(?<first>(?:\p{Lu}\p{Ll}{2,} ?){1,3}) (?<verb>(?:has |had )?(?:depends on|requires|replaced|supersedes|extends|conquered|defeated|invaded|succeeded|influenced|founded|joined|supported|opposed|preceded|followed|called|attacked|controls|owns|uses|married|signed|won|beat|led|inherits from)) (?:the )?(?<second>(?:\p{Lu}\p{Ll}{2,} ?){1,3})/u.exec(
      sentence
    )
  const { first, second, verb } = match?.groups ?? {}
  if (match === null || first === undefined || second === undefined || verb === undefined) return null
  return replaceAt(sentence, match, `${second.trim()} ${verb} ${first.trim()} `).replace(/ +/gu, " ")
}

const auxiliary =
  /\b(?:is|are|was|were|can|could|will|would|must|should|may|might|has been|have been|had been)\b(?! (?:not|no|never|n't|only)\b)/u
const verbs = [
  [/\b(?:MUST|SHOULD|MAY|SHALL)\b(?! NOT)/u, (word: string) => `${word} NOT`],
  [
    auxiliary,
    (word: string) =>
      word === "can" ? "cannot" : word.endsWith(" been") ? word.replace(" ", " not ") : `${word} not`
  ]
] as const

const negated: Edit = (sentence) => {
  const removed = sentence.replace(
    /\b(is|are|was|were|can|could|will|would|must|should|may|do|does|did|has|have|had|MUST|SHOULD|MAY|SHALL) ?(?:not|NOT)\b/u,
    "$1"
  )
  if (removed !== sentence) return removed
  for (const [pattern, change] of verbs) {
    const match = pattern.exec(sentence)
    if (match !== null) return replaceAt(sentence, match, change(match[0]))
  }
  return null
}

const opposites = [
  ["increase", "decrease"],
  ["increased", "decreased"],
  ["before", "after"],
  ["at least", "at most"],
  ["more than", "less than"],
  ["first", "last"],
  ["largest", "smallest"],
  ["highest", "lowest"],
  ["higher", "lower"],
  ["greater", "smaller"],
  ["more", "fewer"],
  ["north", "south"],
  ["northern", "southern"],
  ["east", "west"],
  ["eastern", "western"],
  ["always", "never"],
  ["allow", "forbid"],
  ["allowed", "forbidden"],
  ["internal", "external"],
  ["public", "private"],
  ["valid", "invalid"],
  ["above", "below"],
  ["maximum", "minimum"],
  ["early", "late"],
  ["won", "lost"],
  ["with", "without"],
  ["true", "false"],
  ["enabled", "disabled"],
  ["mandatory", "optional"]
] as const

const opposite: Edit = (sentence, { random }) => {
  const found = opposites.flatMap(([a, b]) =>
    [
      [a, b],
      [b, a]
    ].flatMap(([from = "", to = ""]) => {
      const match = new RegExp(`\\b${from}\\b`, "u").exec(sentence)
      return match === null || new RegExp(`\\b${to}\\b`, "u").test(sentence) ? [] : [{ match, to }]
    })
  )
  const chosen = pick(found, random)
  return chosen === undefined ? null : replaceAt(sentence, chosen.match, chosen.to)
}

/** From less to more: what some do, all do not. */
const stronger = [
  [/\b(?:some|many|most|several) of\b/u, "all of"],
  [/\b(?:[Ss]ome|[Mm]any|[Mm]ost|[Ss]everal|[Aa] few)\b/u, "all"],
  [/\b(?:often|usually|sometimes|generally|typically|occasionally)\b/u, "always"],
  [/\b(?:may|might|could)\b(?! not)/u, "must"],
  [/\bMAY\b(?! NOT)/u, "MUST"],
  [/\bSHOULD\b(?! NOT)/u, "MUST"],
  [/\bnearly all\b/u, "all"]
] as const

const quantified: Edit = (sentence) => {
  for (const [pattern, by] of stronger) {
    const match = pattern.exec(sentence)
    if (match !== null) return replaceAt(sentence, match, by)
  }
  return null
}

/** Every edit that turns a true sentence into one that its passage does not carry. */
const edits: ReadonlyArray<readonly [string, Edit]> = [
  ["number", otherNumber],
  ["number of the same passage", numberOfPassage],
  ["number word", otherNumberWord],
  ["date: month", otherMonth],
  ["unit", otherUnit],
  ["name", otherName],
  ["name of the same passage", nameOfPassage],
  ["names swapped", swappedNames],
  ["negation", negated],
  ["opposite word", opposite],
  ["quantifier", quantified]
]

const spelled: Edit = (sentence) => {
  const match = /(?<![\p{L}\p{N}.,_#-])(?:[2-9]|10)(?= [\p{Ll}]{4})/u.exec(sentence)
  if (match !== null) return replaceAt(sentence, match, numberWords[Number(match[0]) - 2] ?? match[0])
  const word = new RegExp(`\\b(?:${numberWords.join("|")})\\b(?= \\p{Ll}{4})`, "u").exec(sentence)
  if (word !== null) return replaceAt(sentence, word, String(numberWords.indexOf(word[0]) + 2))
  const grouped = /(?<![\p{N}.,])\d{1,3},\d{3}(?![\p{N},])/u.exec(sentence)
  if (grouped !== null) return replaceAt(sentence, grouped, grouped[0].replace(",", ""))
  const date = new RegExp(`\\b(${months.join("|")}) (\\d{1,2}), (\\d{4})\\b`, "u").exec(sentence)
  if (date !== null) return replaceAt(sentence, date, `${date[2]} ${date[1]} ${date[3]}`)
  const percent = /(?<=\d) ?%/u.exec(sentence)
  return percent === null ? null : replaceAt(sentence, percent, " percent")
}

/** The sentence without what stands in brackets, behind a comma or before the main clause. */
export const shortenedOf = (sentence: string): string | null => {
  const bare = sentence.replace(/ \([^()]{3,80}\)/u, "")
  if (bare !== sentence) return bare
  const trailing =
    /^(.{30,}?\p{Ll}), (?:and|but|which|where|while|although|because|after|with) [^,]{15,}\.$/u.exec(sentence)
  if (trailing !== null) return `${trailing[1]}.`
  const leading = /^(?:In|During|By|At|On|After|For|As) [^,]{4,40}, (\p{L}.{40,})$/u.exec(sentence)
  const rest = leading?.[1]
  return rest === undefined ? null : rest.charAt(0).toUpperCase() + rest.slice(1)
}

/** Small changes of wording that change nothing. */
const reworded: Edit = (sentence) => {
  if (/["“”]/u.test(sentence)) return null
  let made = sentence
  for (const [from, to] of [
    [/\bwas founded\b/u, "was established"],
    [/\bbegan\b/u, "started"],
    [/\bused to describe\b/u, "that describes"],
    [/\bmust be\b/u, "needs to be"],
    [/\bMUST be\b/u, "has to be"],
    [/\bis required to\b/u, "must"],
    [/\bHowever, /u, ""],
    [/\bdue to\b/u, "because of"],
    [/\bin order to\b/u, "to"],
    [/\bsuch as\b/u, "like"],
    [/\bapproximately\b/u, "about"],
    [/\bcreated\b/u, "made"],
    [/\blarge\b/u, "big"],
    [/\balso /u, ""],
    [/\bnot only\b/u, ""],
    [/\bmore than\b/u, "over"],
    [/\ballows\b/u, "permits"]
  ] as const)
    made = made.replace(from, to)
  return made === sentence ? null : made
}

/** Every rule that makes another true claim of a true sentence. */
const rewordings: ReadonlyArray<readonly [string, Edit]> = [
  ["verbatim", (sentence) => sentence],
  ["part of a sentence", shortenedOf],
  ["values written otherwise", spelled],
  ["reworded", reworded]
]

/**
 * A question and its answer as a statement, for questions whose form allows it; null for others. What people ask is
 * rarely in the words of the passage, so that these are paraphrases nobody made for us.
 */
export const statementOf = (question: string, answer: string): string | null => {
  const asked = question.trim().replace(/\s*\?+$/u, "")
  const said = answer.replace(/^(?:in|on|at|by) (?=\S)/iu, "")
  const rules: ReadonlyArray<readonly [RegExp, (groups: ReadonlyArray<string>) => string]> = [
    [
      /^(?:who|what|which [\p{L}]+|what (?:year|country|city|person|company|group|type of \p{L}+)) ((?:is|was|were|are|has|had|did not|will|can|could|must)\b.*|(?!(?:does|has|was|is|this|various|famous|\p{Ll}+(?:ous|ss|us))\b)\p{Ll}+(?:ed|s)\b (?!(?:is|was|are|were|did|does|do)\b).*)$/iu,
      ([rest]) => `${answer} ${rest}`
    ],
    [
      /^how many (\p{L}+(?: \p{L}+)?) ((?:is|was|were|are|has|have|had|can|will)\b .*)$/iu,
      ([noun, rest]) => `${answer} ${noun} ${rest}`
    ],
    [
      /^(?:when|in (?:what|which) year) (was|were|is|are) ((?:the |a |an )?.+?) (\p{L}+(?:ed|en|un|ht|ld|nt|d|wn|rn))$/iu,
      ([be, subject, participle]) => `${subject} ${be} ${participle} in ${said}`
    ],
    [
      /^(?:when|in (?:what|which) year) (was|were) ((?:the )?\p{Lu}[^?]*?) (\p{Ll}+ed|born|built|made|held|won) (.+)$/u,
      ([be, subject, participle, rest]) => `${subject} ${be} ${participle} ${rest} in ${said}`
    ],
    [
      /^where (is|was|were|are) (.+?) (located|born|held|founded|built|situated)$/iu,
      ([be, subject, verb]) => `${subject} ${be} ${verb} in ${said}`
    ],
    [
      /^what (is|was|are|were) (the (?:name|number|capital|size|population|length|height|title|largest|oldest|first|main|original|primary)\b.+)$/iu,
      ([be, subject]) => `${subject} ${be} ${answer}`
    ]
  ]
  // "What was he known for" asks for an object: its words in this order are no sentence.
  if (
    /\b(?:for|with|to|of|in|by|at|from|on|into|as|about|called|named|like)(?: (?:when|after|before|while|during|since)\b.*)?$/iu.test(
      asked
    )
  )
    return null
  // Nor are they with a verb for an answer, or with two verbs.
  if (/^(?:to )?\p{Ll}+(?:ed|ing) (?:it|them|him|her|the)\b/iu.test(answer)) return null
  for (const [pattern, make] of rules) {
    const match = pattern.exec(asked)
    if (match === null) continue
    const made = make(match.slice(1).map((group) => group ?? "")).replace(/\s+/gu, " ")
    return `${made.charAt(0).toUpperCase()}${made.slice(1)}.`
  }
  return null
}

/** Question words, with the noun that they ask for, at the beginning or behind a preposition. */
const asking =
  /^[¿\s]*(?:(?:in|on|at|to|by|from|of|for|with|during|en|de|a|por|con|durante|in|an|auf|bei|von|zu|aus|mit|für|seit|nach|durch) )?(?:how (?:many|much|long|old|far|often|big|large|tall|deep)|who(?:m|se)?|what|which|when|where|why|how|wie ?viele?|wie (?:lange|oft|hoch|groß|alt|weit|schwer)|wer|wen|wem|was|wann|wo|woher|wohin|warum|wie|welche[rsnm]?|cuánt[oa]s?|quién(?:es)?|qué|cuál(?:es)?|cuándo|dónde|cómo|por qué)(?: (?:(?:type|kind|year|country|city|number|percentage|century|name|part|year|año|país|ciudad|siglo|tipo|porcentaje|jahr|land|stadt|art)(?: of)?))?\s+(?:(?:did|does|do)\s+)?/iu

/**
 * The words of a question with the answer in the place of the question word: no good sentence, but one that states the
 * same in words that are not the passage's.
 */
export const looseStatementOf = (question: string, answer: string): string | null => {
  const asked = question.trim().replace(/\s*\?+$/u, "")
  const match = asking.exec(asked)
  if (match === null || /^(?:to )?\p{Ll}+ing\b/u.test(answer)) return null
  const rest = asked.slice(match[0].length)
  if (rest.split(/\s+/u).length < 3) return null
  const isSubject = /^(?:is|was|are|were|has|have|had|can|will|\p{Ll}+(?:ed|s))\b/u.test(rest)
  // A comma keeps a name of the answer apart from one of the question.
  return isSubject ? `${answer} ${rest}.` : `${rest}, ${answer}.`
}

/** The claims that the rules make of one sentence of a passage; the seed decides which value or name is taken. */
export const claimsOf = (
  sentence: string,
  passage: string,
  names: ReadonlyArray<string>,
  seed: number
): ReadonlyArray<MadeClaim> => {
  const context = { random: randomFrom(seed), passage, names }
  const made = (rules: typeof edits, isTrue: boolean) =>
    rules.flatMap(([kind, rule]) => {
      const text = rule(sentence, context)
      return text === null || (!isTrue && text === sentence) ? [] : [{ kind, text, isTrue }]
    })
  return [...made(rewordings, true), ...made(edits, false)]
}
