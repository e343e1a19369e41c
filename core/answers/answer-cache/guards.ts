import { isFunctionWord } from "../../language/languages/index.js"
import { AnchorField, opposes } from "../../language/text-analysis/index.js"
import { type Value, valueEntails } from "../../language/values/index.js"
import type { CacheCounts } from "../answering/index.js"
import type { QuestionWording, Word } from "./question-key.js"

/**
 * Guards in the order of evaluation: each detects one way in which two similar questions ask for different things.
 * Embeddings place opposite questions as near to each other as paraphrases, so similarity alone is no evidence; a
 * false rejection costs only one model call.
 */
export const guardNames = [
  "language",
  "entities",
  "anchors",
  "values",
  "negation",
  "opposite",
  "question",
  "time",
  "direction",
  "words",
  "order"
] as const
/** Name of a guard. */
export type GuardName = (typeof guardNames)[number]

/** Returns the first guard that rejects a pair of questions, or null. Symmetric. Pure. */
export const refusedBy = (one: QuestionWording, other: QuestionWording): GuardName | null =>
  guardNames.find((name) => !guards[name](one, other)) ?? null

type Guard = (one: QuestionWording, other: QuestionWording) => boolean

const guards: Readonly<Record<GuardName, Guard>> = {
  /**
   * In texts without blanks or with unknown function words, words cannot be compared, and Russian marks roles by
   * endings: only an equal text passes.
   */
  language: (one, other) =>
    one.language === other.language &&
    (!["cjk", "other", "ru"].includes(one.language) || sameLetters(one, other)),
  entities: (one, other) => sameList(one.entityIds, other.entityIds),
  anchors: (one, other) =>
    containsAnchors(one, other) && containsAnchors(other, one) && sameCapitals(one, other),
  values: (one, other) => sameValues(one, other),
  // Two negations do not cancel: "not renewable and not final" differs from "renewable and final".
  negation: (one, other) => one.negations === other.negations,
  opposite: (one, other) => !opposes(one.text, other.text),
  question: (one, other) =>
    one.answerType === other.answerType &&
    sameList(wordsIn(one, questionWords), wordsIn(other, questionWords)),
  time: (one, other) => sameList(wordsIn(one, timeWords), wordsIn(other, timeWords)),
  direction: (one, other) => sameList(wordsIn(one, directionWords), wordsIn(other, directionWords)),
  words: (one, other) => everyHasPartner(one.words, other.words) && everyHasPartner(other.words, one.words),
  // "A over B" differs from "B over A": the remaining words must have the same order.
  order: (one, other) =>
    one.words.length === other.words.length &&
    one.words.every((word, place) => {
      const partner = other.words[place]
      return partner !== undefined && isPartner(word, partner)
    })
}

const sameList = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): boolean =>
  one.length === other.length && one.every((item, place) => item === other[place])

const sameLetters = (one: QuestionWording, other: QuestionWording): boolean =>
  sameList(
    one.words.map(({ surface }) => surface),
    other.words.map(({ surface }) => surface)
  )

/** Returns whether one question contains every anchor of the other. */
const containsAnchors = ({ anchors: own, text }: QuestionWording, { anchors }: QuestionWording): boolean => {
  const missingAnchors = anchors.filter((anchor) => !own.some((known) => known.text === anchor.text))
  if (missingAnchors.length === 0) return true
  const field = new AnchorField(text)
  return missingAnchors.every((anchor) => field.has(anchor))
}

/** Compares capitalised words: "IT" is a department and "it" a pronoun. */
const sameCapitals = (one: QuestionWording, other: QuestionWording): boolean =>
  sameList(shoutedPronouns(one), shoutedPronouns(other))

const shoutedPronouns = ({ language, text }: QuestionWording): ReadonlyArray<string> =>
  // Adjacent words in capitals are emphasis, not acronyms.
  [...text.matchAll(/(?<!\p{Lu}{2}\s)(?<![\p{L}\p{N}])\p{Lu}{2,}(?![\p{L}\p{N}]|\s\p{Lu}{2})/gu)].flatMap(
    ([word]) => (isFunctionWord(word, language) ? [word] : [])
  )

/** Returns whether both have equal values in the same order: "from 3 to 5" differs from "from 5 to 3". */
const sameValues = (one: QuestionWording, other: QuestionWording): boolean =>
  one.values.length === other.values.length &&
  one.values.every((value, place) => {
    const twin = other.values[place]
    return (
      twin !== undefined &&
      valueEntails(value, twin) &&
      valueEntails(twin, value) &&
      (value.kind !== "quantity" ||
        twin.kind !== "quantity" ||
        (value.approximate === twin.approximate &&
          // A range has no direction, so it must also be spelled alike.
          (value.low === value.high || valueText(one, value) === valueText(other, twin))))
    )
  })

const valueText = ({ text }: QuestionWording, { end, start }: Value): string =>
  text.slice(start, end).toLowerCase()

const listed = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/u))

/** Returns the words of a question that a list contains, in order. */
const wordsIn = ({ words }: QuestionWording, list: ReadonlySet<string>): ReadonlyArray<string> =>
  words.flatMap(({ surface }) => (list.has(surface) ? [surface] : []))

const questionWords = listed(`who whom whose what which when where why how whether
  wer wen wem wessen was welche welcher welches welchem welchen wann wo wohin woher warum weshalb wieso wie wieviel wieviele
  qui que quoi quel quelle quels quelles quand où pourquoi comment combien
  qué quién quiénes cuál cuáles cuándo dónde adónde cómo cuánto cuánta cuántos cuántas`)

const timeWords = listed(`was did had been will would now then today tomorrow yesterday tonight ago
  current currently present presently previous previously former formerly past last latest recent recently next
  upcoming future old older oldest new newer newest early earlier earliest late later already yet still ever never
  always since until till before after during while once again first final finally originally initially
  war waren hatte hatten wurde wurden wird werden jetzt heute morgen gestern aktuell derzeit früher vorher bisher
  künftig zukünftig letzte letzter letztes letzten nächste nächster nächstes nächsten neu neue alt alte seit bis vor nach
  était étaient sera seront maintenant aujourd'hui demain hier actuel actuelle actuellement dernier dernière prochain
  prochaine ancien ancienne nouveau nouvelle depuis jusque avant après
  era eran fue fueron será serán ahora hoy mañana ayer actual actualmente último última próximo próxima antiguo nuevo
  desde hasta antes después`)

const directionWords =
  listed(`over under above below more less fewer most least than from to into onto out off up down
  in on at by for with without against between within beyond per min max minimum maximum minimal maximal
  greater smaller higher lower larger longer shorter exceed exceeds
  über unter oberhalb unterhalb mehr weniger mindestens höchstens als von zu aus in ab mit ohne gegen zwischen
  plus moins sur sous de à vers avec sans contre entre más menos sobre bajo con sin contra`)

/** Returns whether every word has a partner of its own. */
const everyHasPartner = (words: ReadonlyArray<Word>, others: ReadonlyArray<Word>): boolean => {
  const free = [...others]
  return words.every((word) => {
    const place = free.findIndex((other) => isPartner(word, other))
    if (place < 0) return false
    free.splice(place, 1)
    return true
  })
}

/** Returns whether two words are equal, inflections of each other, or listed synonyms. */
const isPartner = (one: Word, other: Word): boolean =>
  one.kind === other.kind &&
  (one.surface === other.surface ||
    (one.kind === "content" &&
      ((one.group !== null && one.group === other.group) ||
        (one.stem !== null && one.stem === other.stem && differInEnding(one.surface, other.surface)))))

/** Inflectional endings. "important" and "import" share a stem but differ by another ending. */
const endings = listed("s es d ed ing e y ies ied 's")

const differInEnding = (one: string, other: string): boolean => {
  let shared = 0
  while (shared < Math.min(one.length, other.length) && one.charCodeAt(shared) === other.charCodeAt(shared))
    shared += 1
  const isEnding = (rest: string) => rest === "" || endings.has(rest)
  return isEnding(one.slice(shared)) && isEnding(other.slice(shared))
}

/** Reason why the nearest entry was rejected: the guard that refused it, or too little similarity. */
export type Refusal = GuardName | "similarity"
export const refusalReasons: ReadonlyArray<Refusal> = [...guardNames, "similarity"]

/** Names of the cache counters. */
export const countNames = {
  hits: "hits",
  misses: "misses",
  shadowHits: "shadow_hits",
  refused: (refusal: Refusal) => `refused_${refusal}`,
  /** Counted per version, because another model's comparisons do not apply. */
  compared: (versions: string) => `compared_${versions}`,
  disagreed: (versions: string) => `disagreed_${versions}`
} as const

/** Returns the value of a counter. */
export const countOf = (counts: CacheCounts, name: string): number => counts[name] ?? 0
