import { negationSpans, opensWithPronoun, wordwise } from "../../language/languages/index.js"
import {
  type Anchor,
  AnchorField,
  hasDirection,
  holdsAntonym,
  isArgumentTurned,
  isOver,
  isPastOnly,
  isPresent,
  opposes,
  overstates,
  polarityDiffers,
  type Term
} from "../../language/text-analysis/index.js"
import { type Value, valueEntails } from "../../language/values/index.js"
import { firstNamesIn } from "./first-names.js"
import { bindingsOf, conjunction, isLike } from "./like-values.js"
import { type ReplacedOpening, replacedIn, replacedOpening } from "./replacement.js"
import { type ClaimReader, perPiece, type Window, type WindowUnit } from "./windows.js"

/** Reason why a claim that shares its words with the evidence is not supported by it. */
export type Veto =
  | "value"
  | "name"
  | "subject"
  | "tense"
  | "negation"
  | "opposite"
  | "quantifier"
  | "order"
  | "word"
  | "truncated"

export interface Finding {
  readonly veto: Veto
  /** True when the evidence contradicts the claim; false when it merely does not state it. */
  readonly isContradiction: boolean
}

/** Returns everything that speaks against a window as support of the claim, the gravest first; nothing for a quote. */
export const findingsOf = (claim: ClaimReader, window: Window): ReadonlyArray<Finding> => {
  if (window.truncated && total().test(claim.text)) return [{ veto: "truncated", isContradiction: false }]
  // A verbatim quote of a whole unit cannot be wrong; only a part of one may lose its "not".
  if (window.verbatim) return []
  const nearest = nearestPiece(claim, window)
  if (nearest === undefined) return []
  const field = new AnchorField(`${window.pieces.map(({ text }) => text).join(" ")} | ${window.around}`)
  const found = [
    valueVeto(claim, window, nearest),
    nameVeto(claim, window, nearest, field),
    ...wordingFindings(claim, window, nearest),
    subjectVeto(claim, window, nearest),
    tenseVeto(claim, nearest)
  ]
  return found.filter((one) => one !== undefined)
}

const total = wordwise(
  () =>
    /\b(?:total|sum|all|every|maximum|minimum|highest|lowest|most|least|average|count|overall|insgesamt|summe|alle|höchste|niedrigste|durchschnitt|total|somme|tous|toutes|maximal|moyenne|todos|suma|máximo|mínimo|promedio)\b/iu
)

/** Returns the unit that shares most words, values and names with the claim. */
const nearestPiece = (claim: ClaimReader, { pieces }: Window): WindowUnit | undefined => {
  const best = pieces
    .map((piece) => ({ piece, share: closeness(claim, piece) }))
    .reduce<{ readonly piece: WindowUnit; readonly share: number } | undefined>(
      (best, one) => (best === undefined || one.share > best.share ? one : best),
      undefined
    )?.piece
  // "The fee was 120 euros. It is now 150 euros.": the second sentence says it of the subject of the first.
  const after = best === undefined ? undefined : pieces[pieces.indexOf(best) + 1]
  return after !== undefined && opensWithPronoun(after.text) && holdsMore(claim, after, best) ? after : best
}

const closeness = perPiece(
  (claim, { set, values }) =>
    claim.terms.reduce((sum, { term }) => sum + claim.weight(term) * set.match(term, claim.language), 0) +
    claim.values.filter((value) => values.some((other) => valueEntails(other, value))).length
)

const holdsMore = ({ values }: ClaimReader, after: WindowUnit, best: WindowUnit | undefined): boolean => {
  const isIn = (value: Value, piece: WindowUnit) => piece.values.some((other) => valueEntails(other, value))
  return (
    values.length > 0 &&
    values.every((value) => isIn(value, after)) &&
    values.some((value) => best !== undefined && !isIn(value, best))
  )
}

/** The unit with a value or name must contain at least this share of the surrounding words found in the best unit. */
const boundMin = 0.5

/**
 * A value must occur in a unit that also contains what the claim states about it. A number of counted things must
 * count the same thing.
 */
const valueVeto = (claim: ClaimReader, window: Window, nearest: WindowUnit): Finding | undefined => {
  if ([...bindingsOf(claim, nearest).values()].includes("crossed"))
    return { veto: "value", isContradiction: true }
  for (const value of claim.values) {
    const hosts = window.pieces.filter(({ values }) => values.some((other) => valueEntails(other, value)))
    const terms = termsNear(claim, value, window)
    const isBound = hosts.some(
      (host) => !countsOther(claim, value, host) && isNear(claim, terms, host, window)
    )
    if (isBound) continue
    const isRival = nearest.values.some((other) => isLike(other, value) && !valueEntails(other, value))
    return { veto: "value", isContradiction: isRival }
  }
  return undefined
}

/** Returns the words of the claim's clause around a value, without those in the title and headings. */
const termsNear = (claim: ClaimReader, { end, start }: Value, window: Window): ReadonlyArray<Term> => {
  const breaks = [...claim.text.matchAll(clauseBreak)].map(({ index }) => index)
  const from = Math.max(0, ...breaks.filter((at) => at < start))
  const to = Math.min(claim.text.length, ...breaks.filter((at) => at >= end))
  const inside = claim.terms.filter((term) => term.start >= from && term.end <= to)
  return unsaid(inside.length >= 2 ? inside : claim.terms, claim, window)
}

const clauseBreak = new RegExp(`[,:—–]\\s|${conjunction.source}`, "gu")

const unsaid = (terms: ReadonlyArray<Term>, claim: ClaimReader, { around }: Window): ReadonlyArray<Term> => {
  const set = claim.setOf(around)
  const rest = terms.filter(({ term }) => set.match(term, claim.language) === 0)
  return rest.length > 0 ? rest : terms
}

const isNear = (
  claim: ClaimReader,
  terms: ReadonlyArray<Term>,
  host: WindowUnit,
  { pieces }: Window
): boolean => {
  const best = Math.max(...pieces.map(({ set }) => claim.share(terms, [set])))
  const before = opensWithPronoun(host.text) ? pieces[pieces.indexOf(host) - 1] : undefined
  const sets = before === undefined ? [host.set] : [before.set, host.set]
  return claim.share(terms, sets) >= boundMin * best
}

/** "40 servers" is not carried by "40 users and 65 servers". */
const countsOther = (claim: ClaimReader, value: Value, host: WindowUnit): boolean => {
  if (value.kind !== "quantity" || value.dimension !== "count") return false
  const counted = countedIn(claim, claim.text, value)
  if (counted === undefined) return false
  const others = host.values.filter((other) => other.kind === "quantity" && other.dimension === "count")
  const of = (other: Value) => countedIn(claim, host.text, other)
  const carrying = others.filter((other) => valueEntails(other, value))
  return (
    carrying.every((other) => ![undefined, counted].includes(of(other))) &&
    others.some((other) => of(other) === counted)
  )
}

const countedIn = (claim: ClaimReader, text: string, { end }: Value): string | undefined =>
  claim.termsOf(text.slice(end, end + 40)).find(({ start }) => start <= 2)?.term

/** A name must occur in the window, in a unit that also contains the rest of the statement. */
const nameVeto = (
  claim: ClaimReader,
  window: Window,
  nearest: WindowUnit,
  field: AnchorField
): Finding | undefined => {
  const opening = openingName(claim, window)
  const all = opening === undefined ? claim.names : [...claim.names, opening]
  const names = all.filter((name) => field.has(name))
  const text = [...window.pieces.map((piece) => piece.text), window.around].join(" | ")
  // A first name more is an added word, not another name.
  if (all.some((name) => !names.includes(name) && firstNamesIn(claim, name, text).length === 0))
    return { veto: "name", isContradiction: false }
  const around = new AnchorField(window.around)
  for (const name of names) {
    if (name.kind === "phrase" || nearest.field.has(name) || around.has(name)) continue
    const words = new Set(name.norm.split(/[^\p{L}\p{N}]+/u))
    const terms = unsaid(
      claim.terms.filter(({ surface }) => !words.has(surface.toLowerCase())),
      claim,
      window
    )
    const hosts = window.pieces.filter((piece) => piece.field.has(name))
    if (hosts.some((host) => isNear(claim, terms, host, window))) continue
    // "The fort was destroyed in 1560", two sentences after the fort was named.
    const isReferred = hosts.some((host) => window.pieces.indexOf(host) < window.pieces.indexOf(nearest))
    if (isReferred && pointsBack(nearest.text, words)) continue
    return { veto: "name", isContradiction: false }
  }
  return undefined
}

/**
 * A claim must not join the subject of one sentence with the statement of another: "Children take 5 ml. Adults take it
 * as directed." does not support "Adults take 5 ml".
 */
const subjectVeto = (
  claim: ClaimReader,
  { around, pieces }: Window,
  nearest: WindowUnit
): Finding | undefined => {
  const hosts = pieces.filter(
    (piece) =>
      piece === nearest ||
      claim.values.some((value) => piece.values.some((other) => valueEntails(other, value)))
  )
  // "The Falcon is a lamp. The lamp weighs 2 kg.": the sentence before says that both are one.
  const areOne = (host: WindowUnit, { ours, theirs }: ReplacedOpening) =>
    pieces
      .slice(0, Math.max(0, pieces.indexOf(host)))
      .some((before) =>
        [...ours, ...theirs].every(({ term }) => before.set.match(term, claim.language) >= sameWord)
      )
  // "You can spend up to 200 euros" below the heading "Stipend" names no other subject.
  const isAddressed = ({ text }: WindowUnit, { ours }: ReplacedOpening) =>
    address.test(text) &&
    ours.every(({ term }) => claim.setOf(around).match(term, claim.language) >= sameWord)
  const [first] = claim.termsOf(claim.text)
  const isGlued = hosts.some((host) => {
    // A statement about a list holds for its members.
    if (host.kind === "list" && first !== undefined && host.set.match(first.term, claim.language) < sameWord)
      return claim.setOf(around).match(first.term, claim.language) < sameWord
    const replaced = opensWithPronoun(host.text) ? undefined : replacedOpening(claim, host)
    return replaced !== undefined && !areOne(host, replaced) && !isAddressed(host, replaced)
  })
  return isGlued ? { veto: "subject", isContradiction: false } : undefined
}
const sameWord = 0.6
const address = /^\P{L}*(?:you|we|one|sie|du|ihr|wir|man|usted(?:es)?|vous|on)\s/iu

/** Vetoes a claim about the present, without a date, that rests on a dated or ended past. */
const tenseVeto = (claim: ClaimReader, nearest: WindowUnit): Finding | undefined =>
  isOfPast(claim, nearest) ? { veto: "tense", isContradiction: false } : undefined

/** Whether a sentence speaks of a dated or ended past and the claim of the present. */
const isOfPast = (claim: ClaimReader, { text, values }: WindowUnit): boolean => {
  const readPiece = claim.readOf(text)
  return (
    isPastOnly(readPiece) &&
    (values.some(({ kind }) => kind === "date") || isOver(readPiece)) &&
    isPresent(claim.readOf(claim.text)) &&
    !claim.values.some(({ kind }) => kind === "date")
  )
}

const pointsBack = (text: string, words: ReadonlySet<string>): boolean => {
  if (opensWithReference().test(text)) return true
  const noun =
    /^(?:the|this|that|der|die|das|dieser|diese|dieses|le|la|cette|ce|el|este|esta)\s+(\p{L}+)/iu.exec(
      text
    )?.[1]
  return noun !== undefined && words.has(noun.toLowerCase())
}

const opensWithReference = wordwise(
  () =>
    /^\P{L}*(?:(?:however|later|then|also|in \d{4}|afterwards|there),? )?(?:he|she|it|they|his|her|its|their|this|these|both|er|sie|es|dieser|diese|dieses|ihr|ihre|sein|seine|il|elle|ils|elles|ce|cela|él|ella|ellos)\b/iu
)

/**
 * The first word of a claim counts as a name where the evidence writes it as one, or where only a name is grammatical.
 */
const openingName = (
  claim: ClaimReader,
  window: Window
): (Anchor & { readonly kind: "name" }) | undefined => {
  const word = /^[\s"'“„«(]*(\p{Lu}[\p{L}\p{N}'’-]*)(?=[\s,.])/u.exec(claim.text)?.[1]?.replace(/['’]s$/u, "")
  if (word === undefined || !claim.isContent(word)) return undefined
  const text = window.pieces.map((piece) => piece.text).join(" ")
  const isWritten = claim.language !== "de" && standsInside(text, word)
  const isBare = claim.language === "en" && bareOpening.test(claim.text)
  return isWritten || isBare ? { kind: "name", text: word, norm: word.toLowerCase() } : undefined
}

/** Whether the word, as written, occurs elsewhere than at the start of a sentence. */
const standsInside = (text: string, word: string): boolean => {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (
      /[\p{Ll},;(] $/u.test(text.slice(Math.max(0, at - 2), at)) &&
      !/[\p{L}\p{N}]/u.test(text.charAt(at + word.length))
    )
      return true
  return false
}

/** A bare singular word before a verb at the start of a claim is a name in English ("Merrow was retired"). */
const bareOpening =
  /^\p{Lu}[\p{L}\p{N}-]*[^s\s]\s+(?:is|was|has|had|will|can|must|does|did|may|should|\p{Ll}{2,}(?:ed|es|[^s]s))\b/u

const wordingFindings = (
  claim: ClaimReader,
  window: Window,
  nearest: WindowUnit
): ReadonlyArray<Finding | undefined> => {
  const text = window.pieces.map((piece) => piece.text).join(" ")
  const when = (holds: boolean, veto: Veto, isContradiction: boolean): Finding | undefined =>
    holds ? { veto, isContradiction } : undefined
  const { hasAntonym, isDenied, isOpposed, isTurned, overstated, replaced } = wordingOf(claim, nearest)
  const isOpposite = (window.isRecord ? opposes(claim.text, text) : isOpposed) || hasAntonym
  return [
    when(isDenied, "negation", true),
    when(isOpposite, "opposite", true),
    when(hasDirection(claim.text) && !hasDirection(text), "opposite", false),
    when(replaced !== undefined, replaced?.kind ?? "value", true),
    when(isTurned, "order", true),
    when(overstated, "quantifier", false)
  ]
}

/** Compares the wording of a claim with that of a unit: negations, opposites, replaced words, order, quantifiers. */
const wordingOf = perPiece((claim, nearest) => {
  const { clause, run } = alignedClause(claim, nearest)
  return {
    isDenied: isDenied(claim, nearest.text, run),
    isOpposed: opposes(claim.text, clause),
    hasAntonym: holdsAntonym(claim.text, nearest.text),
    replaced: replacedIn(claim, nearest),
    isTurned: isArgumentTurned(
      claim.text,
      nearest.text,
      namesIn(claim, nearest),
      claim.evidence.analyse,
      claim.language
    ),
    overstated: overstates(claim.text, clause)
  }
})

/** A negation in brackets that the claim leaves out denies nothing of it. */
const isDenied = (claim: ClaimReader, text: string, run: string): boolean => {
  const differs = (given: string, near: string) =>
    polarityDiffers(claim.readOf(claim.text), claim.readOf(given), claim.readOf(near), claim.language)
  if (!differs(text, run)) return false
  const bare = withoutBrackets(text)
  const isOfWhole = claim.text.includes("(") || bare === text || differs(bare, bare)
  const relative = isOfWhole ? relativeClause(claim, text) : undefined
  return isOfWhole && (relative === undefined || differs(relative, relative))
}

/**
 * Returns the relative clause behind a negation if the claim repeats it: "this is not the atomic number, which denotes
 * the number of protons" does not negate what the relative clause says. Undefined otherwise.
 */
const relativeClause = (claim: ClaimReader, text: string): string | undefined => {
  const [negation] = negationSpans(text)
  if (negation === undefined || relativePronoun.test(claim.text)) return undefined
  const behind = text.slice(negation.end)
  const pronoun = relativePronoun.exec(behind)
  if (pronoun === null || closenessTo(claim, behind) < keptMin * closenessTo(claim, text)) return undefined
  const [before, clause] = [text.slice(0, negation.end + pronoun.index), behind.slice(pronoun.index)]
  const own = claim.terms.filter(
    ({ term }) =>
      claim.setOf(clause).match(term, claim.language) >= sameWord &&
      claim.setOf(before).match(term, claim.language) < sameWord
  )
  return own.length >= ownMin * claim.terms.length ? behind : undefined
}
/** Least share of the claim's words that only the relative clause has. */
const ownMin = 0.5
const relativePronoun = /\b(?:which|who|whose|whom|welche[mnrs]?|qui|dont|quien(?:es)?)\b/iu
const withoutBrackets = (text: string): string => text.replace(/[\s\u00a0]?\([^()]{1,400}\)/gu, "")

const namesIn = (claim: ClaimReader, nearest: WindowUnit): ReadonlyArray<string> => [
  ...new Set(
    [...claim.anchorsOf(nearest.text), ...claim.names].flatMap(({ kind, text }) =>
      kind === "name" && claim.text.includes(text) && nearest.text.includes(text) ? [text] : []
    )
  )
]

/**
 * Returns the nearest unit, reduced to its nearest clause and trimmed at both ends without losing alignment: a
 * negation further away concerns something else.
 */
const alignedClause = (
  claim: ClaimReader,
  { text }: WindowUnit
): { readonly clause: string; readonly run: string } => {
  const breaks = [...text.matchAll(clauseEnd)]
  if (breaks.length === 0) return { clause: text, run: text }
  const starts = [0, ...breaks.map(({ 0: { length }, index }) => index + length)]
  const ends = [...breaks.map(({ index }) => index), text.length]
  const closeness = (part: string) => closenessTo(claim, part)
  const least = keptMin * closeness(text)
  const best = starts
    .map((start, at) => text.slice(start, ends[at]))
    .map((part) => ({ part, share: closeness(part) }))
    .reduce((a, b) => (b.share > a.share ? b : a), { part: text, share: -1 })
  if (best.share >= least) return { clause: best.part, run: best.part }
  const run = (from: number, to: number) => text.slice(starts[from], ends[to])
  let [from, to] = [0, ends.length - 1]
  while (from < to && closeness(run(from + 1, to)) >= least) from += 1
  while (from < to && closeness(run(from, to - 1)) >= least) to -= 1
  return { clause: text, run: run(from, to) }
}

/** How many words and values of the claim a text holds. */
const closenessTo = (claim: ClaimReader, text: string): number =>
  claim.share(claim.terms, [claim.setOf(text)]) * claim.terms.length +
  claim.values.filter((value) => claim.readOf(text).values.some((other) => valueEntails(other, value))).length

/** A unit of several sentences, such as a quotation, ends a clause with each of them. */
const clauseEnd =
  /[,;:—–]\s|(?<=[\p{L}\p{N})]{3} ?)[.!?]\s(?=[^\p{L}\p{N}]{0,3}\p{Lu})|\s(?:but|whereas|while|because|so that|aber|sondern|während|weil|mais|pero|sino|porque)\s/gu
const keptMin = 0.95
