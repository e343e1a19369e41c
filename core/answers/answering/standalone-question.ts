import { wordwise } from "../../language/languages/index.js"
/** A question before the present one. */
export interface EarlierTurn {
  readonly question: string
  readonly answer?: string | undefined
}

/**
 * Returns the question with what it leaves out taken from the question before: `And in 2023?`, `What about Kestrel?`,
 * `Who wrote it?`. Works by rule for English and, for fragments, German, French and Spanish; a question that stands
 * alone comes back as it is. Pure.
 */
export const standaloneByRule = (question: string, before: string): string => {
  const text = collapsed(question)
  const last = collapsed(before)
  if (text === "" || last === "") return question
  const rest = text.replace(conjunction, "")
  const topic = aboutTopic.exec(rest)?.[1]
  if (topic !== undefined) return asQuestion(withFragment(last, topic))
  const bare = bareQuestionWord.exec(rest)?.[1]
  if (bare !== undefined) return asQuestion(`${capitalised(bare)} ${last.replace(questionOpening, "")}`)
  const counted = otherThing().exec(rest)
  const thing = counted === null ? null : sameThing(counted[1] ?? "").exec(last)
  if (counted !== null && thing !== null)
    return asQuestion(`${capitalised(counted[0])}${last.slice(thing[0].length)}`)
  const opensWithQuestion = questionOpening.test(rest) || verbOpening.test(rest)
  if (!opensWithQuestion && isShort(rest)) return asQuestion(withFragment(last, rest))
  return withSubject(text, rest, last)
}

const collapsed = (text: string): string => text.replace(/\s+/gu, " ").trim()
const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
const asQuestion = (text: string): string => `${text.replace(/[\s?.!]+$/u, "")}?`
const isShort = (text: string): boolean => text.split(" ").length <= 6

const conjunction =
  /^(?:(?:and|but|or|also|so|then|ok(?:ay)?|und|aber|oder|auch|et|mais|ou|y|pero|e)\b,?\s+)+/iu
const aboutTopic =
  /^(?:(?:what|how) about|what of|was ist mit|wie (?:ist|steht) es (?:mit|um)|qu['’]en est-il (?:de|du|des)|qué (?:hay|pasa) (?:de|con))\s+(.+?)[\s?.!]*$/iu
const questionWords =
  "what|who|whom|whose|when|where|why|which|how (?:much|many|long|often|far|old|big|large|heavy|tall|fast|wide|deep|high|thick|hot|cold|strong)|how|was|wer|wen|wem|wann|wo|warum|welche[rsnm]?|wie (?:viele?|lange|oft|hoch)|wie|qui|que|quand|où|pourquoi|quel(?:le)?s?|combien|comment|qué|quién|cuándo|dónde|cuánt[oa]s?|cómo"
/** "Since when?", "by whom?", "for how long?" */
const before =
  "since|until|till|from|to|by|with|for|at|in|on|seit|bis|von|ab|mit|für|depuis|jusqu['’]à|avec|pour|desde|hasta|con|para"
const bareQuestionWord = new RegExp(
  `^((?:(?:${before})\\s+)?(?:${questionWords}|por qué)(?:\\s+(?:time|day|year|date|place))?)[\\s?.!]*$`,
  "iu"
)
const questionOpening = new RegExp(`^(?:${questionWords})\\b\\s*`, "iu")
/** "How many nurses?", "which room?": the same is asked of another thing. */
const otherThing = wordwise(
  () =>
    /^(how (?:many|much)|which|what|wie viele?|welche[rsnm]?|combien de|cuánt[oa]s|qué) \p{L}+(?=[\s?.!]*$)/iu
)
const sameThing = (opening: string): RegExp =>
  new RegExp(`^${opening.replace(/[^\p{L} ]/gu, "")} \\p{L}+(?=\\s)`, "iu")
const verbOpening =
  /^(?:is|are|was|were|do|does|did|can|could|may|might|must|should|shall|will|would|has|have|had|tell|list|name|give|show|explain|ist|sind|war|waren|hat|haben|kann|darf|muss|soll|est|sont|peut|a-t|es|son|puede)\b/iu

/** Replaces the part of the last question that is of the fragment's kind, else adds the fragment. */
const withFragment = (last: string, next: string): string => {
  const fragment = next.replace(/[\s?.!]+$/u, "")
  const core = fragment.replace(
    /^(?:(?:in|on|at|of|for|from|by|to|with|im|in der|für|von|en|de|du|pour|para)\s+)+/iu,
    ""
  )
  if (/^(?:the|an?|our|my)\s/iu.test(core)) {
    const noun = nounLike(core, last)
    if (noun !== null) return last.slice(0, noun.start) + core + last.slice(noun.end)
  }
  const isNumber = /\d/u.test(core) && !/\p{Lu}/u.test(core.slice(1))
  const counterpart = isNumber ? numberIn(last) : /\p{Lu}/u.test(core) ? nameIn(last) : null
  if (counterpart !== null) return last.slice(0, counterpart.start) + core + last.slice(counterpart.end)
  return `${last.replace(/[\s?.!]+$/u, "")} ${fragment}`
}

interface Part {
  readonly start: number
  readonly end: number
}

/** Returns the last year, date or number of a question. */
const numberIn = (text: string): Part | null => {
  const found = [...text.matchAll(/(?<![\p{L}\d-])\d[\d.,:/-]*(?<=\d)(?![\p{L}\d])/gu)].at(-1)
  return found === undefined ? null : { start: found.index, end: found.index + found[0].length }
}

/** Returns the last name of a question: quoted words, a code, or words in capitals beyond the first one. */
const nameIn = (text: string): Part | null => {
  const word = "[\\p{Lu}\\d][\\p{L}\\p{M}\\d.'’_-]*"
  const pattern = new RegExp(`"[^"]+"|“[^”]+”|(?<=\\s)\\p{Lu}[\\p{L}\\p{M}\\d.'’_-]*(?:\\s+${word})*`, "gu")
  const found = [...text.matchAll(pattern)].at(-1)
  if (found === undefined) return null
  const name = found[0].replace(/(?:['’]s|[.'’])$/u, "")
  return { start: found.index, end: found.index + name.length }
}

/** Pronouns for the thing that was asked about, and those that stand before a noun. */
const pronoun = /\b(?:it|they|them|he|she|him|this|that|these|those|there)\b(?=[\s?.!,;]|$)/iu
const possessive = wordwise(() => /\b(?:its|their|his|her)\b(?=\s+\p{L})/iu)
/** `it` that stands for nothing: `How long does it take to …`. */
const expletive =
  /\b(?:it)\s+(?:takes?|took|costs?\s+to|rains?|snows?|seems?|is|was)?\s*(?:to\b|possible|necessary|allowed|true|that\b|take\b)|\bdoes it (?:take|cost) to\b|\b(?:is|was|are|were)\s+there\b|\bthere\s+(?:is|are|was|were)\b/iu

/** Puts the subject of the last question in place of the first pronoun. */
const withSubject = (question: string, rest: string, last: string): string => {
  const subject = subjectOf(last)
  if (subject === null || rest.toLowerCase().includes(subject.toLowerCase())) return question
  const found = possessive().exec(rest) ?? (expletive.test(rest) ? null : pronoun.exec(rest))
  if (found === null) return question
  const isPossessive = possessive().test(`${found[0]} x`)
  // `this crane` names its thing.
  if (
    !isPossessive &&
    /^(?:this|that|these|those)$/iu.test(found[0]) &&
    /^\s+\p{L}/u.test(rest.slice(found.index + found[0].length)) &&
    !/^\s+(?:is|are|was|were|does|do|did|has|have|had|will|would|can|could)\b/iu.test(
      rest.slice(found.index + found[0].length)
    )
  )
    return question
  const text = isPossessive ? `${subject}${/s$/iu.test(subject) ? "'" : "'s"}` : subject
  return rest.slice(0, found.index) + text + rest.slice(found.index + found[0].length)
}

/** Returns what a question is about: its last name, with the noun that it belongs to, else its last noun. */
const subjectOf = (text: string): string | null => {
  const [name, noun] = [nameIn(text), nounIn(text)]
  const part = name !== null && (noun === null || !isWithin(name, noun)) ? name : noun
  return part === null
    ? null
    : text
        .slice(part.start, part.end)
        .replace(/^["“]|["”]$/gu, "")
        .replace(/^(?:an?|our|my)\s/iu, "the ")
}

const isWithin = (inner: Part, outer: Part): boolean => outer.start <= inner.start && inner.end <= outer.end

/** Words that end a noun: prepositions, auxiliary verbs, and verbs that often follow one in a question. */
const nounEnd =
  "of|in|on|at|for|from|by|to|with|and|or|is|are|was|were|be|been|has|have|had|do|does|did|can|must|may|will|lift|lifts|change|changed|close|closes|cost|costs|last|take|takes|work|works|made|kept|built|stored|checked|needed|begin|begins|start|starts|end|ends|hold|holds|carry|carries|weigh|weighs|open|opens|mean|means|come|comes|run|runs"
const nounPattern = new RegExp(
  `\\b(?:the|an?|our|my)\\s+(?:(?!(?:${nounEnd})\\b)[\\p{L}\\p{M}\\d-]+)(?:\\s+(?!(?:${nounEnd})\\b)[\\p{L}\\p{M}\\d-]+){0,3}`,
  "giu"
)

/** Letters that words of one kind end with: requester, approver. */
const endingLength = 2

/** Returns the noun of a question that ends as a fragment does, else the last one. */
const nounLike = (fragment: string, text: string): Part | null => {
  const ending = fragment.slice(-endingLength).toLowerCase()
  const alike = [...text.matchAll(nounPattern)].find(
    ([found]) => found.length > endingLength && found.toLowerCase().endsWith(ending)
  )
  return alike === undefined ? nounIn(text) : { start: alike.index, end: alike.index + alike[0].length }
}

/** Returns the last noun of a question that has an article, with its article. */
const nounIn = (text: string): Part | null => {
  const found = [...text.matchAll(nounPattern)].at(-1)
  return found === undefined ? null : { start: found.index, end: found.index + found[0].length }
}
