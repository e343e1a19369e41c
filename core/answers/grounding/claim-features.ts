import { wordwise } from "../../language/languages/index.js"
import { followingOf } from "./replacement.js"
import { type Finding, findingsOf } from "./vetoes.js"
import { type ClaimReader, perPiece, type Window } from "./windows.js"

/** Features of a claim and a window of its sources, each 0 to 1, in this order. */
export const claimFeatureNames = [
  /** Share of the claim's words in the window, by rarity; and in all that is cited, with titles and headings. */
  "aligned",
  "alignedAnywhere",
  /** The same, every word counting alike. */
  "alignedWords",
  /** The same in the best unit of the window alone. */
  "alignedUnit",
  /** Share of the claim's words that stand in one unit in the same order. */
  "following",
  /** Rarity of the rarest word that the window lacks, relative to the rarest of the claim. */
  "missingRarest",
  /** Share of the claim's neighbouring words that are neighbours in a unit. */
  "pairs",
  /** Window of several units of which one does not refer to the one before it, or of several sources. */
  "joined",
  /** Length of the claim in words, 20 and more as 1. */
  "length",
  /** Features that contradict the claim. */
  "value",
  "name",
  "subject",
  "tense",
  "negation",
  "opposite",
  "direction",
  "quantifier",
  "replacedValue",
  "replacedName",
  "order"
] as const
type ClaimFeature = (typeof claimFeatureNames)[number]

/** A window as the claim check sees it. */
export interface ReadWindow {
  readonly window: Window
  readonly findings: ReadonlyArray<Finding>
  readonly features: ReadonlyArray<number>
}

/** Reads a window; `anywhere` is the share of the claim's words in all that it cites. */
export const readWindow = (claim: ClaimReader, window: Window, anywhere: number): ReadWindow => {
  const findings = findingsOf(claim, window)
  const values: Record<ClaimFeature, number> = {
    aligned: window.alignment,
    alignedAnywhere: anywhere,
    ...wordsOf(claim, window),
    following: Math.max(0, ...window.pieces.map((piece) => followingOf(claim, piece))),
    joined: window.pieces.slice(1).every(({ text }) => refersBack().test(text)) ? 0 : 1,
    length: Math.min(1, claim.terms.length / 20),
    value: has(findings, "value", false),
    name: has(findings, "name", false),
    subject: has(findings, "subject", false),
    tense: has(findings, "tense", false),
    negation: has(findings, "negation", true),
    opposite: has(findings, "opposite", true),
    direction: has(findings, "opposite", false),
    quantifier: has(findings, "quantifier", false),
    replacedValue: has(findings, "value", true),
    replacedName: has(findings, "name", true),
    order: has(findings, "order", true)
  }
  return { window, findings, features: claimFeatureNames.map((name) => values[name]) }
}

/** "It was destroyed", "The fort was destroyed": the sentence before says of what. */
const refersBack = wordwise(
  () =>
    /^\P{L}*(?:the|this|that|these|those|it|its|he|she|his|her|they|their|der|die|das|dies\w*|er|sie|es|ihr\w*|sein\w*|le|la|les|ce\w*|il|elle|el|los|las|est[aeo]s?|su)\b/iu
)

/** Findings under which a window supports nothing, whatever its words. */
const isDecisive = ({ isContradiction, veto }: Finding): boolean =>
  isContradiction || veto === "opposite" || veto === "quantifier" || veto === "order" || veto === "truncated"

/** Whether the window may support the claim at all. */
export const isPossible = ({ findings }: ReadWindow): boolean => !findings.some(isDecisive)

/** A name, value or opposite that stands in the place of another one, in a sentence that the claim follows. */
export const replacementIn = ({ findings }: ReadWindow): Finding | undefined =>
  findings.some(({ veto }) => veto === "tense")
    ? undefined
    : findings.find(({ isContradiction, veto }) => isContradiction && replacing.has(veto))

const replacing: ReadonlySet<Finding["veto"]> = new Set(["name", "value", "opposite"])

/** Share of the claim's words that stand in one unit of the window in the same order. */
export const sameOrderShare = ({ features }: ReadWindow): number =>
  features[claimFeatureNames.indexOf("following")] ?? 0

const has = (findings: ReadonlyArray<Finding>, veto: Finding["veto"], isContradiction: boolean): number =>
  findings.some((one) => one.veto === veto && one.isContradiction === isContradiction) ? 1 : 0

const wordsOf = (
  claim: ClaimReader,
  { pieces }: Window
): Record<"alignedWords" | "alignedUnit" | "missingRarest" | "pairs", number> => {
  const { terms } = claim
  let [covered, rarest, missing, pairs] = [0, 0, 0, 0]
  const units = pieces.map(() => 0)
  const places = pieces.map((piece) => placesOf(claim, piece))
  for (const [at, { term }] of terms.entries()) {
    const weight = claim.weight(term)
    const matches = pieces.map(({ set }) => set.match(term, claim.language))
    const match = Math.max(0, ...matches)
    for (const [unit, one] of matches.entries()) units[unit] = (units[unit] ?? 0) + one
    covered += match
    rarest = Math.max(rarest, weight)
    missing = Math.max(missing, weight * (1 - match))
    const next = terms[at + 1]
    if (next !== undefined && places.some((known) => areNeighbours(known.get(term), known.get(next.term))))
      pairs += 1
  }
  return {
    alignedWords: terms.length === 0 ? 0 : covered / terms.length,
    alignedUnit: terms.length === 0 ? 0 : Math.max(0, ...units) / terms.length,
    missingRarest: rarest === 0 ? 0 : missing / rarest,
    pairs: terms.length < 2 ? 1 : pairs / (terms.length - 1)
  }
}

const nearby = 2

const areNeighbours = (a: ReadonlyArray<number> = [], b: ReadonlyArray<number> = []): boolean =>
  a.some((one) => b.some((other) => Math.abs(one - other) <= nearby))

/** The places of the words of a unit, by term. */
const placesOf = perPiece((claim, { text }): ReadonlyMap<string, ReadonlyArray<number>> => {
  const places = new Map<string, Array<number>>()
  for (const [at, { term }] of claim.termsOf(text).entries()) {
    const known = places.get(term)
    if (known === undefined) places.set(term, [at])
    else if (known.length < 8) known.push(at)
  }
  return places
})

/** The share of the claim's words in all that it cites, with titles and headings. */
export const sharedWithSources = (claim: ClaimReader, windows: ReadonlyArray<Window>): number => {
  const pieces = new Set(windows.flatMap((window) => window.pieces))
  const around = new Set(windows.map((window) => window.around))
  return claim.share(claim.terms, [
    ...[...pieces].map(({ set }) => set),
    ...[...around].map((text) => claim.setOf(text))
  ])
}
