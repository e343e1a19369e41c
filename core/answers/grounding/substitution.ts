import { isFunctionWord, type Language } from "../../language/languages/index.js"
import {
  alignedPlaces,
  areOpposites,
  isLightWord,
  isPassive,
  type OpenWord,
  openWordsIn,
  type Slot,
  TermSet,
  turnsRelation
} from "../../language/text-analysis/index.js"
import { valueEntails } from "../../language/values/index.js"
import { memoize } from "../../platform/caching/index.js"
import type { Span } from "../evidence/index.js"
import { inActiveVoice, swappedBesideVoice, type Word } from "./voice.js"
import { type ClaimReader, perPiece, type Window, type WindowUnit } from "./windows.js"

/** Minimum share of a claim's words in the same order as in a unit, for its words to be compared place by place. */
const followsMin = 0.6
/** The same for two words that have changed places, once they are put back. */
const swappedMin = 0.65
/** A longer slot is another wording, not a replaced word. */
const slotMax = 6
/** Minimum match of two words that say the same. */
const partnerMin = 0.55

/**
 * Returns the words of a claim that its window does not carry, where the claim otherwise follows a unit of the window
 * word by word:
 *
 * - a content word without a partner in the window, in the place of a word that the claim lacks, or added;
 * - a content word that the window has elsewhere, in the place of a word that the claim lacks;
 * - two words that have changed places, unless one side is passive;
 * - a word of time or place that turns the relation (within, after), or an opposite, in the place of the other.
 *
 * A partner is a word that the claim does not have itself, and each serves once. Empty where the window carries every
 * word, or where the claim does not follow it: then the shares of words decide.
 */
export const substitutedIn = (claim: ClaimReader, window: Window): ReadonlyArray<Span> => {
  // Words without blanks between them, or of languages whose function words are unknown, have no places to compare.
  if (claim.language === "cjk" || claim.language === "other") return []
  const own = wordsOf(claim, claim.text, claim.values)
  const units = window.pieces.map((piece) => aligned(claim, piece))
  const follows = Math.max(0, ...units.map((unit) => unit.follows))
  // Of two units that a claim follows alike, the one that carries more of it is meant.
  const found = units
    .filter((unit) => unit.follows === follows)
    .map((unit) => uncarried(claim, window, unit))
    .reduce((a, b) => (b.size < a.size ? b : a))
  return own.flatMap((word) => (found.has(word) ? [{ start: word.start, end: word.end }] : []))
}

const uncarried = (claim: ClaimReader, window: Window, unit: AlignedUnit): ReadonlySet<Word> =>
  new Set([
    ...swappedWords(claim, unit.own, unit),
    ...swappedBesideVoice(claim.language, unit.own, unit.words),
    ...(unit.follows < followsMin
      ? []
      : [
          ...replacedWords(claim, window, unit.own, unit),
          ...unit.slots.flatMap(({ a, b }) =>
            turnedWords(unit.own.slice(...a), unit.words.slice(...b), claim)
          )
        ])
  ])

/** A unit aligned with the claim word by word. */
interface AlignedUnit {
  readonly text: string
  /** The words of the claim, in the active voice where that follows the unit more closely. */
  readonly own: ReadonlyArray<Word>
  readonly words: ReadonlyArray<Word>
  readonly follows: number
  /** Every part of both between two aligned words, also where one side has none. */
  readonly slots: ReadonlyArray<Slot>
}

const aligned = perPiece((claim, piece) => {
  const own = wordsOf(claim, claim.text, claim.values)
  const words = wordsOf(claim, piece.text, piece.values)
  const asWritten = alignedWords(piece.text, own, words)
  const active = inActiveVoice(claim.language, own, words)
  const inActive = active === undefined ? undefined : alignedWords(piece.text, ...active)
  return inActive !== undefined && inActive.follows > asWritten.follows ? inActive : asWritten
})

const alignedWords = (text: string, own: ReadonlyArray<Word>, words: ReadonlyArray<Word>): AlignedUnit => {
  const pairs = alignedPlaces(
    own.map(({ term }) => term),
    words.map(({ term }) => term)
  )
  const bounds = [...pairs, [own.length, words.length] as const]
  const slots = bounds.map(([toA, toB], at): Slot => {
    const [beforeA, beforeB] = pairs[at - 1] ?? [-1, -1]
    return { a: [beforeA + 1, toA], b: [beforeB + 1, toB] }
  })
  return { text, own, words, follows: pairs.length / Math.max(1, own.length), slots }
}

/** Returns the words of a text in order, with a single one for each value; once for all windows of a claim. */
const wordsOf = (claim: ClaimReader, text: string, values: WindowUnit["values"]): ReadonlyArray<Word> => {
  const known = knownWords(claim)
  const words = known.get(text) ?? wordsRead(claim, text, values)
  known.set(text, words)
  return words
}
const knownWords = memoize((_: ClaimReader) => new Map<string, ReadonlyArray<Word>>())

const wordsRead = (claim: ClaimReader, text: string, values: WindowUnit["values"]): ReadonlyArray<Word> => {
  const { language } = claim
  const words: Array<Word> = []
  let at = 0
  // "Less than 5 mg" is a value with its sign.
  const isComparing = (word: OpenWord) =>
    comparing.test(word.surface) &&
    values.some(({ start }) => start >= word.end && start - word.end <= comparedMax)
  for (const word of openWordsIn(text, claim.readOf(text).words)) {
    while ((values[at]?.end ?? Number.POSITIVE_INFINITY) <= word.start) at += 1
    const value = values[at]
    if (value === undefined || value.start >= word.end)
      words.push({
        ...word,
        isContent: word.isLabel || !(isFunctionWord(word.surface, language) || isComparing(word))
      })
    else if (words.at(-1)?.start !== value.start)
      words.push({
        term: valueTermOf(claim, value),
        surface: "",
        start: value.start,
        end: value.end,
        isContent: false
      })
  }
  return words
}
const comparing =
  /^(?:least|most|fewer|less|more|mindestens|höchstens|mehr|weniger|menos|más|mínimo|máximo)$/iu
const comparedMax = 8
/** A value stands in the place of the one that it states; every other value of a text is alike. */
const valueTermOf = (claim: ClaimReader, value: WindowUnit["values"][number]): string =>
  `${valueMark}${claim.values.findIndex((own) => own === value || valueEntails(value, own))}`
const valueMark = "\u0000"
const isValue = (term: string): boolean => term.startsWith(valueMark)

const replacedWords = (
  claim: ClaimReader,
  { around, pieces }: Window,
  own: ReadonlyArray<Word>,
  nearest: AlignedUnit
): ReadonlyArray<Word> => {
  const { language } = claim
  const ownTerms = new Set(own.map(({ term }) => term))
  const isFree = (word: Word) => word.isContent && !ownTerms.has(word.term)
  const unaligned = new Set(nearest.slots.flatMap(({ a }) => own.slice(...a).map(({ term }) => term)))
  const lacksValue = [...unaligned].some(isValue)
  const used = new Set<Word>()
  const partnerAmong = (word: Word, among: ReadonlyArray<Word>): Word | undefined =>
    among.find((other) => !used.has(other) && arePartners(word, other, claim))
  // A word that stands in the place of its partner uses it up before any other word can.
  const open = nearest.slots.flatMap(({ a, b: whole }) => {
    const b = placeOf(a, whole, own.length)
    const free = nearest.words.slice(...whole).filter(isFree)
    // A word that the claim has elsewhere and has lost here, or a value that it lacks.
    const lost = nearest.words
      .slice(...b)
      .filter(({ isContent, term }) => (isContent ? !unaligned.has(term) : isValue(term) && !lacksValue))
    const slot = own.slice(...a).filter(({ isContent }) => isContent)
    const isAddressed = nearest.words.slice(...whole).some(({ surface }) => address.test(surface))
    const left = slot.filter((word) => {
      // "Employees may take a day" of "You may take a day".
      if (isAddressed && anyone.test(word.surface)) return false
      const partner = partnerAmong(word, free)
      if (partner !== undefined) used.add(partner)
      return partner === undefined
    })
    const isShort = a[1] - a[0] <= slotMax && b[1] - b[0] <= slotMax
    return left.map((word) => ({ word, lost, isShort }))
  })
  if (open.length === 0) return []
  const given = [
    ...nearest.words,
    ...pieces.flatMap(({ text, values }) => (text === nearest.text ? [] : wordsOf(claim, text, values))),
    ...wordsOf(claim, around, [])
  ]
  const givenTerms = new Set(given.map(({ term }) => term))
  const free = given.filter(isFree)
  // "Invoices are kept for ten years" of "The archive keeps invoices for ten years": the object opens the passive.
  const isTurned = auxiliary.test(claim.text) && !auxiliary.test(nearest.text)
  return open.flatMap(({ isShort, lost, word }) => {
    const isReplacing = isShort && lost.some((other) => !used.has(other))
    if (givenTerms.has(word.term))
      return isReplacing &&
        !(isTurned && isMovedByVoice(own, word) && nearest.words.some(({ term }) => term === word.term))
        ? [word]
        : []
    // What stands in the place of another word has its partner in the same sentence, if it has one.
    const partner = partnerAmong(word, isReplacing ? nearest.words.filter(isFree) : free)
    if (partner !== undefined) {
      used.add(partner)
      return []
    }
    return isReplacing || !isLightWord(word.surface, language) ? [word] : []
  })
}

const address = /^(?:you|your|sie|du|ihr)$/iu
const anyone =
  /^(?:employees?|everyone|members?|people|staff|users?|beschäftigte|mitarbeiter\w*|nutzer\w*)$/iu

/** Whether turning a sentence into the passive puts the word elsewhere: it opens the claim, or follows the auxiliary. */
const isMovedByVoice = (own: ReadonlyArray<Word>, word: Word): boolean =>
  word === own[0] || auxiliary.test(own[own.indexOf(word) - 1]?.surface ?? "")

const auxiliary = /\b(?:is|are|was|were|be|been|being|wird|werden|wurden?|worden|son|fue|fueron)\b/iu

/** At an end of the claim the source may go on: what stands in the place of the claim's words is as long as they are. */
const placeOf = ([from, to]: Slot["a"], [start, end]: Slot["b"], length: number): Slot["b"] => {
  const places = to - from + endSlack
  if (to === length && from > 0) return [start, Math.min(end, start + places)]
  return from === 0 && to < length ? [Math.max(start, end - places), end] : [start, end]
}
const endSlack = 2

const arePartners = (one: Word, other: Word, claim: ClaimReader): boolean => {
  // Letters are names: grade A is not grade B.
  if (one.surface.length === 1 || other.surface.length === 1) return one.term === other.term
  const relation = claim.relationOf(one.surface, other.surface)
  if (relation !== undefined) return relation === "same"
  // An employee is neither the employer nor the employment.
  if (isPatient(one) !== isPatient(other)) return false
  if (areOpposites(one.surface.toLowerCase(), other.surface.toLowerCase())) return false
  return new TermSet([other.term]).match(one.term, claim.language) >= partnerMin
}

const isPatient = ({ surface }: Word): boolean => /\p{L}{3}ees?$/iu.test(surface)

/**
 * Two words or phrases of the claim with which it would follow the unit more closely if they changed places: "the lamp
 * lights the hall", "the hall lights the lamp". Words side by side in either text are another wording ("the supply of
 * water", "the water supply"), and so are members of an enumeration, the sides of a passive and what moves with its
 * preposition ("at night the pump stops").
 */
const swappedWords = (
  claim: ClaimReader,
  own: ReadonlyArray<Word>,
  { follows, slots, text, words }: AlignedUnit
): ReadonlyArray<Word> => {
  const lost = new Set(slots.flatMap(({ b }) => words.slice(...b).map(({ term }) => term)))
  const moved = slots.flatMap(({ a: [from, to] }) =>
    own.slice(from, to).flatMap(({ isContent, term }, at) => (isContent && lost.has(term) ? [from + at] : []))
  )
  if (moved.length === 0 || moved.length > movedMax) return []
  const terms = words.map(({ term }) => term)
  const given = new Set(terms)
  const phrases = phrasesOf(own, terms).filter(([from]) => given.has(own[from]?.term ?? ""))
  for (const one of phrases)
    for (const other of phrases) {
      const [left, right] = [one, other]
      if (right[0] <= left[1] || !moved.some((at) => isInside(at, left) || isInside(at, right))) continue
      const exchanged = [
        ...own.slice(0, left[0]),
        ...own.slice(...right),
        ...own.slice(left[1], right[0]),
        ...own.slice(...left),
        ...own.slice(right[1])
      ]
      const pairs = alignedPlaces(
        exchanged.map(({ term }) => term),
        terms
      )
      const share = pairs.length / own.length
      if (share <= follows || share < swappedMin) continue
      const shift = right[1] - right[0] - (left[1] - left[0])
      const [first, second] = [
        pairs.find(([at]) => at === left[0])?.[1],
        pairs.find(([at]) => at === right[0] + shift)?.[1]
      ]
      if (first === undefined || second === undefined) continue
      const [said, stated] = [own.slice(left[1], right[0]), words.slice(first + right[1] - right[0], second)]
      if (!areAlike(said, stated) || isOtherOrder(claim.text, text, said, stated)) continue
      const places = { left: left[0], right: right[0], leftThere: second, rightThere: first }
      if (keepsPreposition(claim.language, own, words, places)) continue
      return [...own.slice(...left), ...own.slice(...right)]
    }
  return []
}
const movedMax = 8

const isInside = (at: number, [from, to]: Slot["a"]): boolean => from <= at && at < to

/** Each content word of the claim, and each phrase from it on ("the council of the town") that the unit has, too. */
const phrasesOf = (own: ReadonlyArray<Word>, terms: ReadonlyArray<string>): ReadonlyArray<Slot["a"]> => {
  const beside = new Set(terms.slice(1).map((term, at) => `${terms[at]} ${term}`))
  return own.flatMap(({ isContent }, from) => {
    if (!isContent) return []
    const found = [[from, from + 1] as const]
    for (let to = from + 1; beside.has(`${own[to - 1]?.term} ${own[to]?.term}`); to += 1) {
      const word = own[to]
      if (word?.isContent === true) found.push([from, to + 1])
      else if (word === undefined || !links.has(word.surface.toLowerCase())) break
    }
    return found
  })
}
const links: ReadonlySet<string> = new Set("of the de del la el los las von der des dem du".split(" "))

/** Minimum share of the words between two exchanged ones that both texts have. */
const betweenMin = 0.5

const areAlike = (said: ReadonlyArray<Word>, stated: ReadonlyArray<Word>): boolean =>
  alignedPlaces(
    said.map(({ term }) => term),
    stated.map(({ term }) => term)
  ).length >=
    betweenMin * Math.max(said.length, stated.length) && stated.length > 0

/** Whether the words between two exchanged ones explain their order: an enumeration, or a passive on one side. */
const isOtherOrder = (
  claim: string,
  unit: string,
  said: ReadonlyArray<Word>,
  stated: ReadonlyArray<Word>
): boolean => {
  // With the commas and blanks around the words.
  const between = (text: string, words: ReadonlyArray<Word>) => {
    const [from, to] = [words[0]?.start ?? 0, words.at(-1)?.end ?? 0]
    return `${/\P{L}*$/u.exec(text.slice(Math.max(0, from - 3), from))?.[0] ?? ""}${text.slice(from, to)}${/^\P{L}*/u.exec(text.slice(to, to + 3))?.[0] ?? ""}`
  }
  const [ours, theirs] = [between(claim, said), between(unit, stated)]
  return enumeration.test(ours) || isPassive(ours) !== isPassive(theirs)
}

/** Whether one of two exchanged words has the same preposition before it in both texts, and the other has not. */
const keepsPreposition = (
  language: Language,
  own: ReadonlyArray<Word>,
  words: ReadonlyArray<Word>,
  {
    left,
    leftThere,
    right,
    rightThere
  }: Readonly<Record<"left" | "right" | "leftThere" | "rightThere", number>>
): boolean => {
  const listed = prepositions[language]
  const before = (all: ReadonlyArray<Word>, at: number) => prepositionBefore(listed, all, at)
  const [ours, other] = [before(own, left), before(own, right)]
  return (
    ours !== other &&
    ((ours !== "" && ours === before(words, leftThere)) ||
      (other !== "" && other === before(words, rightThere)))
  )
}

const prepositionBefore = (
  listed: ReadonlySet<string> | undefined,
  words: ReadonlyArray<Word>,
  at: number
): string => {
  for (const { isContent, surface } of words.slice(Math.max(0, at - 2), at).reverse()) {
    if (isContent) return ""
    if (listed?.has(surface.toLowerCase()) === true) return surface.toLowerCase()
  }
  return ""
}
const listedIn = (words: string): ReadonlySet<string> => new Set(words.split(" "))
const prepositions: Partial<Record<Language, ReadonlySet<string>>> = {
  en: listedIn(
    "at in on by for from with during after before until of to under over between through against into as"
  ),
  de: listedIn(
    "in an am im auf bei beim mit von vom zu zur zum nach vor seit während für aus durch über unter gegen"
  ),
  es: listedIn("en a al de del con por para durante desde hasta sobre bajo tras"),
  fr: listedIn("en à au aux dans de du avec par pour chez sur pendant avant après")
}

/** The members of an enumeration may stand in any order. */
const enumeration =
  /^(?:\s?(?:[,/&]|,?\s(?:and|or|und|oder|et|ou|y|o|e)(?=\s))\s?(?:[\p{L}-]+(?:\s[\p{L}-]+)?)?)+\s?$/u

/** Words that turn the relation of a slot's words to the rest: an opposite, or "after" in the place of "within". */
const turnedWords = (
  ours: ReadonlyArray<Word>,
  theirs: ReadonlyArray<Word>,
  claim: ClaimReader
): ReadonlyArray<Word> =>
  ours.length > slotMax || theirs.length > slotMax
    ? []
    : ours.filter((word) =>
        theirs.some(
          (other) =>
            turnsRelation(word.surface, other.surface, claim.language) ||
            (word.isContent &&
              other.isContent &&
              claim.relationOf(word.surface, other.surface) === "opposite")
        )
      )
