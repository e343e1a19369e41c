import { wordwise } from "../../language/languages/index.js"
import { once } from "../../platform/kernel/index.js"
import { split } from "./relation-roles.js"
import { type RelationRule, relationRules } from "./relation-rules.js"

/** Relations that hold for a time. The others are events, which a sentence states in the past. */
const lasting: ReadonlySet<string> = new Set([
  "leads",
  "works_for",
  "reports_to",
  "member_of",
  "owns",
  "uses",
  "depends_on",
  "based_in"
])

export const isLasting = (type: string): boolean => lasting.has(type)

/** Finite verbs of the past; before "by" they are participles. */
const pastVerb = /^(?:led|headed|ran|chaired|managed|worked|owned|used|relied|depended|reported|required)\b/iu

/** Returns whether the verb of a question is in the past: "Who led …?", "Who was … led by?". */
export const asksForPast = (verb: string): boolean =>
  pastVerb.test(verb) || /^(?:was|were|did)\b/iu.test(verb)

/** Words with which a sentence says that what it states has ended. */
const endWords = wordwise(
  () =>
    /(?<!\p{L})(?:until|till|former(?:ly)?|used to|resigned|stepped down|retired|back then|at the time|sold (?:it|them)|divested)(?!\p{L})/iu
)
/** Where another statement begins, which has a time of its own. */
const otherStatement =
  /\s*;\s*|,\s+(?:and|but)\s+|,?\s+(?:while|whereas)\s+|,\s+(?=(?:who|which|whose|where)\s)/iu
const pastCopula = wordwise(() => /(?<!\p{L})(?:was|were|had)(?!\p{L})/iu)
/** "Was appointed" states what has held since. */
const beginning = wordwise(() => /(?<!\p{L})(?:named|appointed|elected|made|hired|born)(?!\p{L})/iu)

const wordsOf = once(
  () =>
    new Map(
      relationRules.map((rule) => [
        rule.type,
        new RegExp(
          `(?<!\\p{L})(?:${[rule.verbs, rule.passive, rule.states, rule.roles, rule.inverse]
            .flatMap(split)
            .sort((a, b) => b.length - a.length)
            .join("|")})(?!\\p{L})`,
          "giu"
        )
      ])
    )
)

/**
 * Returns whether a sentence states a relation as one that has ended. The words of the relation decide, those that stand
 * nearest to the names of its ends: "was" and "led" elsewhere in the sentence belong to other statements.
 */
export const hasEnded = (
  type: RelationRule["type"],
  sentence: string,
  ends: ReadonlyArray<string>
): boolean => {
  // A name may hold any word: "Led Lighting AB".
  const text = ends.reduce((masked, name) => masked.replaceAll(name, mark.repeat(name.length)), sentence)
  const [nearest] = [...text.matchAll(wordsOf().get(type) ?? /$^/gu)]
    .map(({ 0: words, index }) => ({ words, at: index, gap: gapTo(text, index, index + words.length) }))
    .sort((a, b) => a.gap - b.gap)
  if (nearest === undefined) return endWords().test(text)
  const { at, words } = nearest
  const end = at + words.length
  if (endWords().test(statementAround(text, at, end))) return true
  if (!isLasting(type)) return false
  const isParticiple = /^\s+(?:\p{L}+\s+){0,3}?by\b/iu.test(text.slice(end, end + 40))
  const before = text.slice(0, at)
  // From the name, comma or bracket before the words on: their own auxiliary.
  const own = before.slice(
    Math.max(...[mark, ",", ";", ":", "(", ")", "."].map((sign) => before.lastIndexOf(sign))) + 1
  )
  if (pastVerb.test(words) && !isParticiple && !/(?<!\p{L})(?:has|have|is|are|been)(?!\p{L})/iu.test(own))
    return true
  // "Its chief executive was …"
  return (
    (pastCopula().test(own) && !beginning().test(own)) ||
    /^\s+(?:was|were)\s/iu.test(text.slice(end, end + 8))
  )
}

/** Stands for every character of the names of the ends. */
const mark = "\u0001"

/** Returns the number of characters between the words of a relation and the nearest name before and behind them. */
const gapTo = (text: string, start: number, end: number): number => {
  const [before, behind] = [text.lastIndexOf(mark, start), text.indexOf(mark, end)]
  return (before < 0 ? text.length : start - before) + (behind < 0 ? text.length : behind - end)
}

/** Returns the statement of a sentence that holds a span. */
const statementAround = (text: string, start: number, end: number): string => {
  let [from, to] = [0, text.length]
  for (const { 0: cut, index } of text.matchAll(new RegExp(otherStatement, "giu"))) {
    if (index + cut.length <= start) from = index + cut.length
    else if (index >= end) {
      to = index
      break
    }
  }
  return text.slice(from, to)
}
