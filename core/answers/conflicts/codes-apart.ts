import type { Idf, Term } from "../../language/text-analysis/index.js"
import { memoize } from "../../platform/caching/index.js"
import type { Disagreement } from "./compare.js"
import { areNumberedApart, areOfTwoPages, matchMin, namesUnknownTo } from "./other-subject.js"
import { areApart, arePeriodsApart } from "./qualifiers.js"
import type { Statement } from "./statements.js"

/** Words beside the code that both sentences must have, and the share of all of them. */
const [wordsMin, shareMin] = [3, 0.8]

/** A command, a default or a path in a code span, as the value of a sentence. */
interface StatedCode {
  readonly code: string
  /** The word before it: "run", "is", "path". */
  readonly before: string
}

/** What introduces a value: "run `npm ci`", "defaults to `keep`", "on the path `/health`", "is `false`". */
const introduction =
  /\b(run|runs|running|execute|type|call|is|are|to|at|value|path|port|named|called|under|set|with|command|default)[:,]?\s$/iu

const codesOf = memoize((statement: Statement): ReadonlyArray<StatedCode> => {
  const { quote } = statement
  const found: Array<StatedCode> = []
  for (const match of quote.matchAll(/`([^`\n]{1,60})`/gu)) {
    const [, code = ""] = match
    const before = introduction.exec(quote.slice(Math.max(0, match.index - 24), match.index))?.[1] ?? ""
    found.push({ code, before: before.toLowerCase() })
  }
  return found
})

/** Whether a sentence states a command, a default or a path in a code span. */
export const statesCode = (statement: Statement): boolean =>
  statement.row === null && codesOf(statement).some(({ before }) => before !== "")

/**
 * Returns how two sentences with the same words state another code: "run `npm ci`", "run `npm install`". Undefined when
 * the code is what they are about, when more than one differs, or when one may be short for the other.
 */
export const codesApart = (one: Statement, other: Statement, idf: Idf): Disagreement | undefined => {
  if (!statesCode(one) || !statesCode(other)) return undefined
  const [a, b] = [onlyIn(one, other), onlyIn(other, one)]
  const [left, right] = [a[0], b[0]]
  if (left === undefined || right === undefined || a.length + b.length > 2) return undefined
  if (left.before === "" || left.before !== right.before || isPartOf(left.code, right.code)) return undefined
  if (!one.text.includes(left.code) || !other.text.includes(right.code)) return undefined
  if (areOfTwoPages(one, other) || areNumberedApart(one, other)) return undefined
  if (areApart(one, other) || arePeriodsApart(one, other)) return undefined
  const [spanA, spanB] = [spanOf(one, left), spanOf(other, right)]
  if (namesUnknownTo(one, spanA, other).length + namesUnknownTo(other, spanB, one).length > 0)
    return undefined
  const [wordsA, wordsB] = [outside(one, spanA), outside(other, spanB)]
  const isIn =
    (to: Statement, of: Statement) =>
    ({ term }: Term) =>
      to.set.match(term, of.language) >= matchMin
  const weigh = (terms: ReadonlyArray<Term>) =>
    terms.reduce((sum, { term }) => sum + Math.max(0.05, idf(term)), 0)
  const common = wordsA.filter(isIn(other, one))
  const share = (weigh(common) + weigh(wordsB.filter(isIn(one, other)))) / (weigh(wordsA) + weigh(wordsB))
  if (common.length < wordsMin || share < shareMin) return undefined
  return {
    kind: "category",
    subject: common[0]?.surface ?? "",
    attribute: common
      .slice(1)
      .map(({ surface }) => surface)
      .join(" "),
    a: left.code,
    b: right.code,
    overlap: share
  }
}

const onlyIn = (one: Statement, other: Statement): ReadonlyArray<StatedCode> => {
  const theirs = new Set(codesOf(other).map(({ code }) => packed(code)))
  return codesOf(one).filter(({ code }) => !theirs.has(packed(code)))
}

/** "/dashboard" and "/dashboard/" are one. */
const packed = (code: string): string => code.toLowerCase().replace(/[\s"']+|\/$/gu, "")

const isPartOf = (one: string, other: string): boolean => {
  const [a, b] = [packed(one), packed(other)]
  return a === "" || b === "" || a.includes(b) || b.includes(a)
}

const spanOf = ({ text }: Statement, { code }: StatedCode) => {
  const start = text.indexOf(code)
  return { start, end: start + code.length }
}

const outside = ({ terms }: Statement, { end, start }: { readonly start: number; readonly end: number }) =>
  terms.filter((term) => term.end <= start || term.start >= end)
