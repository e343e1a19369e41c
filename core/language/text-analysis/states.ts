import { memoize } from "../../platform/caching/index.js"
import { wordwise } from "../languages/index.js"
import { areOpposites, sidesOf } from "./oppositions.js"
import type { ReadText } from "./read-text.js"

/** A word for the state of a thing ("is *active*", "Pump: *off*"), with its position. */
export interface State {
  readonly word: string
  readonly start: number
  readonly end: number
}

/** A predicate, whatever separates it from its verb; all words of "in service" and "out of use". */
const predicate = wordwise(
  () =>
    /(?:\b(?:is|are|was|were|be|been|remains?|remained|stays?|stayed|set to|listed as|ist|sind|war|waren|bleibt|bleiben|est|sont|reste|restent|está|están|es|son)\s+(?:(?:now|currently|always|still|already|fully|again|not|nicht|jetzt|derzeit|pas|no|\p{L}+ly)\s+){0,2}(?:(?:switched|turned|powered|kept|set to|marked(?: as)?)\s+)?|:\s*)(?<state>(?:in|out of)\s\p{L}+|[\p{L}-]+)/giu
)

const statesOf = memoize(({ text }: ReadText) =>
  [...text.matchAll(predicate())].flatMap((match) => {
    const word = (match.groups?.["state"] ?? "").toLowerCase()
    const end = match.index + match[0].length
    return word === "" || isLink(word, text.slice(end))
      ? []
      : [{ word, start: end - word.length, end, sides: sidesOf(word) }]
  })
)

/** "Is on the roof" states a place, "is on" a state. */
const isLink = (word: string, rest: string): boolean =>
  (word === "on" || word === "off") &&
  !/^\s*(?:$|[.,;:!?)]|(?:by default|and|but|when|while|if|during)\s)/u.test(rest)

/** Returns the words by which two texts state opposite states; undefined when they do not. Symmetric. */
export const statesApart = (one: ReadText, other: ReadText): readonly [State, State] | undefined => {
  const [ours, theirs] = [statesOf(one), statesOf(other)]
  for (const a of ours)
    for (const b of theirs) {
      const isOpposite =
        areOpposites(a.word, b.word) ||
        outOf(a.word) === b.word ||
        outOf(b.word) === a.word ||
        a.sides.some(([at, side]) => b.sides.some(([to, far]) => at === to && side !== far))
      if (isOpposite && !wordsOf(other).has(a.word) && !wordsOf(one).has(b.word)) return [a, b]
    }
  return undefined
}

/** Returns the words by which two texts state the same state; undefined when they do not. */
export const statesAlike = (one: ReadText, other: ReadText): readonly [State, State] | undefined => {
  for (const a of statesOf(one)) for (const b of statesOf(other)) if (a.word === b.word) return [a, b]
  return undefined
}

/** A text with both states ("invalid, whereas before it was valid") counts as neither. */
const wordsOf = memoize(
  ({ text }: ReadText): ReadonlySet<string> => new Set(text.toLowerCase().match(/[\p{L}\p{M}-]+/gu) ?? [])
)

/** Pairs "on" with "off", "in service" with "out of service". */
const outOf = (word: string): string | undefined =>
  word === "on" ? "off" : word.startsWith("in ") ? `out of ${word.slice(3)}` : undefined
