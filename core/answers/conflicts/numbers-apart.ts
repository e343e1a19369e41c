import type { Idf } from "../../language/text-analysis/index.js"
import type { Disagreement } from "./compare.js"
import { nameOtherProperties } from "./measured-properties.js"
import { areNumberedApart, areOfTwoPages, matchMin, namesApart } from "./other-subject.js"
import { areApartIfStated, arePeriodsApart } from "./qualifiers.js"
import { clashOf } from "./quantities.js"
import type { Statement } from "./statements.js"

/** Minimum number of words that both have, and minimum share of their weight. */
const [wordsMin, shareMin] = [3, 0.55]
/** A sentence with more numbers compares or lists. */
const quantitiesMax = 3

/**
 * Returns how two sentences disagree about the only quantity of each, although one is put as a condition or a rule and
 * the other as a fact, or each has a verb of its own: "runs on port 4723", "listens on port 4725". Undefined when they
 * may speak of two things.
 */
export const numbersApart = (one: Statement, other: Statement, idf: Idf): Disagreement | undefined => {
  if (quantities(one) > quantitiesMax || quantities(other) > quantitiesMax) return undefined
  const clash = clashOf(one, other)
  if (clash === undefined || !areOfOneThing(one, other, clash.a, clash.b)) return undefined
  if (nameOtherProperties(one.read, other.read) || areOfTwoPages(one, other) || areNumberedApart(one, other))
    return undefined
  if (
    areApartIfStated(one, other) ||
    arePeriodsApart(one, other) ||
    namesApart(one, undefined, other, undefined)
  )
    return undefined
  const weigh = ({ terms }: Statement, isHeld: (term: string) => boolean) =>
    terms.reduce((sum, { term }) => sum + (isHeld(term) ? Math.max(0.05, idf(term)) : 0), 0)
  const held = (side: Statement, rival: Statement) =>
    weigh(side, (term) => rival.set.match(term, side.language) >= matchMin)
  const all = weigh(one, () => true) + weigh(other, () => true)
  const share = (held(one, other) + held(other, one)) / all
  const common = one.terms.filter(({ term }) => other.set.match(term, one.language) >= matchMin)
  if (share < shareMin || common.length < wordsMin) return undefined
  return {
    kind: "number",
    subject: common[0]?.surface ?? "",
    attribute: common
      .slice(1)
      .map(({ surface }) => surface)
      .join(" "),
    a: one.text.slice(clash.a.start, clash.a.end),
    b: other.text.slice(clash.b.start, clash.b.end),
    overlap: share
  }
}

const quantities = ({ values }: Statement): number => values.filter(({ kind }) => kind === "quantity").length

/** Whether the same word stands beside both numbers: "port 4723", "5 arguments", "within 900 ms". */
const areOfOneThing = (
  one: Statement,
  other: Statement,
  a: { readonly start: number; readonly end: number },
  b: { readonly start: number; readonly end: number }
): boolean => {
  const [left, right] = [wordsBeside(one.text, a), wordsBeside(other.text, b)]
  return left.some((word) => right.includes(word))
}

const wordsBeside = (
  text: string,
  { end, start }: { readonly start: number; readonly end: number }
): ReadonlyArray<string> => {
  const ahead = /(\p{L}{3,})\s+$/u.exec(text.slice(Math.max(0, start - 24), start))?.[1]
  const behind = /^\s+(\p{L}{3,})/u.exec(text.slice(end, end + 24))?.[1]
  const inside = /(\p{L}{2,})$/u.exec(text.slice(start, end))?.[1]
  return [ahead, behind, inside].flatMap((word) =>
    word === undefined ? [] : [word.toLowerCase().replace(/s$/u, "")]
  )
}
