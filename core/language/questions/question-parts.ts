import { wordwise } from "../languages/index.js"
import type { Anchor } from "../text-analysis/index.js"

/** Links between several subjects of one question: "A and B", "A, B and of C", "A gearbox and of B". */
const link = wordwise(
  () =>
    /^(?<own>(?: (?!(?:and|und|et|y) )[\p{L}-]+){0,3})(?<join>,? (?:and|und|et|y|sowie)|,)(?: (?<preposition>\p{L}+))??(?: (?:the|an?|der|die|das|dem|den|le|la|les|el|los|las))? $/iu
)
const prepositions =
  "of|for|at|in|on|by|from|to|with|per|von|für|bei|auf|aus|mit|de|du|pour|chez|à|para|en|con|do|does|is|are"
const prepositionBefore = new RegExp(
  `(?:^| )(${prepositions})(?: (?:the|an?|der|die|das|dem|den|le|la|les|el|los|las))? $`,
  "iu"
)
/** Words that continue the question after its subjects. */
const goesOn = new RegExp(
  ` (?:${prepositions}|when|if|during|before|after|under|since)(?= )|\\s*[?？.!]*$`,
  "iu"
)

/** Words that ask about all subjects together instead of each. */
const together =
  /\b(?:between|both|differ\w*|compar\w+|versus|vs|either|together|sum|total|combined|relat\w+|interact\w*|unterschied\w*|zwischen|beide[ns]?|zusammen|différence|entre|ensemble|diferencia|juntos)\b/iu

/** Maximum number of parts. */
const partsMax = 4

interface Placed {
  readonly start: number
  readonly end: number
  readonly isCode: boolean
}

/**
 * Returns the parts of a compound question: one for each of the coordinated names ("What is the mass of the KT-1500
 * and of the KT-2200?"), or for several attributes of one thing; empty for a simple question. Pure.
 */
export const partsOf = (text: string, anchors: ReadonlyArray<Anchor>): ReadonlyArray<string> => {
  if (together.test(text)) return []
  const things = ofThings(text, anchors)
  return things.length > 0 ? things : ([clausesOf(text, anchors), attributesOf(text)].find(hasSome) ?? [])
}

/** Returns one question for each of two compared things; empty for other questions. */
export const comparedIn = (text: string): ReadonlyArray<string> => {
  const [, one, other] = comparison.exec(text) ?? []
  return one === undefined || other === undefined ? [] : [`What is ${one}?`, `What is ${other}?`]
}
const comparison =
  /^(?:what(?: is|['’]s) the differences? between|compare|what distinguishes) (?:the )?(.{2,60}?) (?:and|with|to|from|vs\.?|versus) (?:the )?(.{2,60}?)[?.!\s]*$/iu

const hasSome = ({ length }: ReadonlyArray<string>): boolean => length > 0

/** "When was Orlin launched and who owns it?" */
const clausesOf = (text: string, anchors: ReadonlyArray<Anchor>): ReadonlyArray<string> => {
  const [, first, second] = twoClauses.exec(text) ?? []
  if (first === undefined || second === undefined) return []
  if (!pronoun().test(second)) return [`${first}?`, second]
  const [only, ...others] = placesOf(first, anchors)
  if (only === undefined || others.length > 0) return []
  return [`${first}?`, second.replace(pronoun(), first.slice(only.start, only.end))]
}
const questionWord =
  "who|whom|when|where|how|why|what|which|wer|wann|wo|wie|warum|was|qui|quand|où|comment|combien|pourquoi"
const twoClauses = new RegExp(
  `^((?:${questionWord}) .{6,160}?),? (?:and|und|et) ((?:${questionWord}) (?=\\S+ \\S).{4,160})$`,
  "iu"
)
const pronoun = wordwise(() => /(?<!\p{L})(?:it|they|them|es|il|elle)(?!\p{L})/iu)

/** "What are the timeout and the largest batch of ledger-api?" */
const attributesOf = (text: string): ReadonlyArray<string> => {
  const [, opening, one, other, of] = twoAttributes.exec(text) ?? []
  return opening === undefined ? [] : [`${opening} ${one} ${of}`, `${opening} ${other} ${of}`]
}
const twoAttributes =
  /^((?:what|which) (?:is|are|was|were) the) ((?:(?! (?:of|for) ).){3,60}?) and (?:the )?((?:(?! (?:of|for) ).){3,60}?) ((?:of|for) .{2,80})$/iu

const ofThings = (text: string, anchors: ReadonlyArray<Anchor>): ReadonlyArray<string> => {
  const places = placesOf(text, anchors)
  // "The SLO of A and of B": the attribute may be capitalised like a name.
  const isOfNext =
    places.length > 2 && / (?:of|for)(?: the)? $/iu.test(text.slice(places[0]?.end, places[1]?.start))
  const [first, ...others] = isOfNext ? places.slice(1) : places
  if (first === undefined || others.length === 0) return []
  const before = prepositionBefore.exec(text.slice(0, first.start))?.[1]?.toLowerCase()
  let run: ReadonlyArray<Placed> = [first]
  let isRepeated = false
  for (const next of others) {
    const last = run.at(-1) ?? first
    const groups = link().exec(text.slice(last.end, next.start))?.groups
    const preposition = groups?.["preposition"]?.toLowerCase()
    const own = groups?.["own"] ?? ""
    if (next === others.at(-1) && groups?.["join"]?.trim() === ",") return []
    if (groups === undefined || (preposition !== undefined && preposition !== before)) return []
    // "The gearbox of A and B" is ambiguous; "of A gearbox and of B" is not.
    if (own !== "" && preposition === undefined) return []
    isRepeated ||= preposition !== undefined
    run = [...run.slice(0, -1), { ...last, end: last.end + own.length }, next]
  }
  // "Romeo and Juliet" is one thing; two codes are two.
  if (!isRepeated && !run.every(({ isCode }) => isCode)) return []
  const last = run.at(-1) ?? first
  const rest = text.slice(last.end)
  const end = last.end + (isRepeated ? (goesOn.exec(rest)?.index ?? 0) : 0)
  const things = [...run.slice(0, -1), { ...last, end }]
  return things.length > partsMax
    ? []
    : things.map((one) => text.slice(0, first.start) + text.slice(one.start, one.end) + text.slice(end))
}

/** Returns the positions of the named things in order; values and quoted phrases are conditions, not things. */
const placesOf = (text: string, anchors: ReadonlyArray<Anchor>): ReadonlyArray<Placed> =>
  anchors
    .flatMap((anchor) => {
      if (anchor.kind !== "name" && anchor.kind !== "code") return []
      const start = text.indexOf(anchor.text)
      return start < 0 ? [] : [{ start, end: start + anchor.text.length, isCode: anchor.kind === "code" }]
    })
    .sort((a, b) => a.start - b.start)
