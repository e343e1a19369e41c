/** Whether a statement is about a sibling of the thing that the question asks about. */
import { isFunctionWord, matchesOf, wordwise } from "../../language/languages/index.js"
import type { Question } from "../../language/questions/index.js"
import type { ReadText, ReadUnit } from "../../language/text-analysis/index.js"
import { memoize } from "../../platform/caching/index.js"

/**
 * Whether a sentence speaks of another thing of the kind that is asked for: the Oak ward for the Elm ward, pump B for
 * pump A, citizens of Peru for citizens of Norway, the front cabin for the rear one. The sentence before may have the
 * name: "The Elm ward is closed. The Oak ward has 12 beds." A sentence that has what tells the asked one apart, or
 * stands below a heading with it, is not judged.
 */
export const isOfSibling = (question: Question, unit: ReadUnit, above: ReadonlyArray<ReadText>): boolean => {
  if (unit.kind === "row") return isOfSiblingCell(question, unit)
  if (unit.kind !== "sentence" && unit.kind !== "item") return false
  const asked = markedThings(question.read).filter(
    ({ by, mark, thing }) =>
      !isFunctionWord(thing, question.language) &&
      !tellsNoneApart.test(mark) &&
      (by === "letter" || !isFunctionWord(mark, question.language))
  )
  if (asked.length === 0) return false
  const others = markedThings(unit)
  return asked.some(
    (one) =>
      others.some((other) => areSiblings(one, other)) &&
      ![unit, ...above].some((text) => holdsMark(text, one))
  )
}

/** Words before a thing that name none of its kind: "how many CPU cores". */
const tellsNoneApart =
  /^(?:many|much|more|most|few|fewer|some|all|any|each|every|own|same|available|used|single|current|maximum|minimum|default|possible)$/iu

/** Whether a row has another word of the same group in the column that is asked about: the level "Red" for "amber level". */
const isOfSiblingCell = (question: Question, { text }: ReadUnit): boolean => {
  const asked = markedThings(question.read).filter(({ by }) => by === "word" || by === "letter")
  if (asked.length === 0) return false
  return text.split("; ").some((cell) => {
    const [, column = "", value = ""] = cellOf.exec(cell) ?? []
    const words: ReadonlyArray<string> = value.toLowerCase().match(/\p{L}+/gu) ?? []
    return asked.some(
      ({ by, mark, thing }) =>
        thing === singular(column) &&
        // The berth "A" for "berth C".
        (by === "letter"
          ? /^\p{Lu}$/u.test(value) && value !== mark
          : !words.includes(mark.toLowerCase()) &&
            words.some((word) => groupOf(word) !== undefined && groupOf(word) === groupOf(mark)))
    )
  })
}
const cellOf = /^([^:]{1,40}): (.+)$/u

const holdsMark = (read: ReadText, { by, mark }: MarkedThing): boolean =>
  by === "letter"
    ? // "A" that opens a sentence is an article.
      [...read.text.matchAll(capitalLetters)].some(([letter]) => letter === mark)
    : read.field.has({ kind: "name", text: mark, norm: mark.toLowerCase() })
const capitalLetters = /(?<![\p{L}\p{N}'’-]|^|[.!?:|]\s)\p{Lu}(?![\p{L}\p{N}'’-])/gu

/** A thing with the word that tells it apart: "ward" by "Elm", "pump" by "A", "citizens" by "Norway". */
interface MarkedThing {
  readonly thing: string
  readonly mark: string
  readonly by: "name" | "letter" | "of" | "word"
}

const areSiblings = (one: MarkedThing, other: MarkedThing): boolean =>
  (other.by === "letter" || !isFunctionWord(other.mark, "en")) &&
  one.thing === other.thing &&
  one.by === other.by &&
  one.mark.toLowerCase() !== other.mark.toLowerCase() &&
  (one.by !== "word" || groupOf(one.mark) === groupOf(other.mark))

const markedThings = memoize(
  ({ text }: Pick<ReadText, "text">): ReadonlyArray<MarkedThing> => [
    ...matchesOf(named(), text).flatMap(({ 1: mark = "", 2: thing = "", index }) =>
      opensSentence(text, index) && /^\p{Ll}/u.test(thing)
        ? []
        : [{ thing: singular(thing), mark, by: "name" as const }]
    ),
    ...matchesOf(lettered(), text).map(({ 1: thing = "", 2: mark = "" }) => ({
      thing: singular(thing),
      mark,
      by: "letter" as const
    })),
    ...matchesOf(ofName(), text).map(({ 1: thing = "", 2: mark = "" }) => ({
      thing: singular(thing),
      mark,
      by: "of" as const
    })),
    ...matchesOf(beforeAcronym(), text).map(({ 1: mark = "", 2: thing = "" }) => ({
      thing: singular(thing),
      mark,
      by: "name" as const
    })),
    ...matchesOf(worded(), text).map(({ 1: mark = "", 2: thing = "" }) => ({
      thing: singular(thing),
      mark,
      by: "word" as const
    }))
  ]
)

const singular = (word: string): string => word.toLowerCase().replace(/(?<=\p{L}{3})s$/u, "")

/** The first word of a sentence has a capital in any case, "Vale Ltd" two. */
const opensSentence = (text: string, at: number): boolean =>
  /(?:^|[.!?:]\s)["'“„«(]*$/u.test(text.slice(Math.max(0, at - 4), at))

/** "Elm ward", "Tarn Ltd": a name before a common noun or a word for a body. */
const named = wordwise(
  () =>
    /(?<![\p{L}\p{N}'’.-])(\p{Lu}\p{Ll}[\p{L}-]*)(?:['’]s?)? (\p{Ll}{3,20}|Ltd|Inc|GmbH|AG|AB|Oy|SA|LLC|University|College|School|Hospital|River|Lake|Bridge|Castle|Museum|Ward|Station|Council|Yard|Street|Road)(?![\p{L}\p{N}-])/gu
)
/** "Pump A". */
const lettered = wordwise(() => /(?<![\p{L}\p{N}-])(\p{L}{3,20}) (\p{Lu})(?![\p{L}\p{N}'’.-])/gu)
/** "Citizens of Norway", "the limit of neon": what has an article or an adjective before it is not judged. */
const ofName = wordwise(
  () =>
    /(?<![\p{L}\p{N}-])(\p{L}{3,20}) of (\p{Lu}\p{Ll}[\p{L}-]*(?! of\b|\s\p{Lu})|\p{Ll}{3,20}(?=[?.,;:]|$| (?:is|are|was|were)\b))(?![\p{L}-])/gu
)

/** "Billing API": a word before an acronym. */
const beforeAcronym = wordwise(() => /(?<![\p{L}\p{N}-])(\p{Ll}{3,20}) (\p{Lu}{2,8}s?)(?![\p{L}\p{N}-])/gu)

/** Words of which one excludes the others. */
const groups = (
  [
    "tiny small little medium middle-sized large big huge giant",
    "front rear back middle",
    "upper lower",
    "inner outer",
    "left right",
    "north northern south southern east eastern west western",
    "red green blue yellow amber orange purple violet pink brown black white grey gray",
    "junior senior",
    "first second third fourth fifth sixth seventh eighth ninth tenth last",
    "spring summer autumn winter",
    "weekday weekend saturday sunday",
    "morning afternoon evening night",
    "daily weekly monthly quarterly yearly annual",
    "beginner beginners intermediate advanced",
    "adult child children student pensioner",
    "basic standard premium",
    "old new",
    "indoor outdoor",
    "primary secondary tertiary"
  ] as const
).map((group) => group.split(" "))
const groupByWord: ReadonlyMap<string, number> = new Map(
  groups.flatMap((words, at) => words.map((word) => [word, at] as const))
)
const groupOf = (word: string): number | undefined => groupByWord.get(word.toLowerCase())
const worded = wordwise(
  () =>
    new RegExp(
      `(?<![\\p{L}\\p{N}-])(${[...groupByWord.keys()].join("|")}) (\\p{L}{3,20})(?![\\p{L}\\p{N}-])`,
      "giu"
    )
)
