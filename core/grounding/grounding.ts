import { memoize } from "../caching/index.js"
import type { Claim, ClaimStatus, Evidence } from "../evidence/index.js"
import { followingOf, type Replacement, replacedIn } from "./replacement.js"
import { type Finding, isOfPast, type Veto, vetoOf } from "./vetoes.js"
import { ClaimReader, type Piece, type Window } from "./windows.js"

/**
 * Name and version of the built-in verifier, stored with each answer that it checked. The version changes whenever
 * verdicts can.
 */
export const verifierId = "builtin/lexical-2"

/** Verdict of the built-in verifier on one claim. `supported` when the claim is fully supported. */
export interface ClaimCheck {
  readonly supported: boolean
  readonly status: ClaimStatus
  /** Alignment of the best window, 0 to 1; 0 under a veto or without a known citation. */
  readonly support: number
  readonly veto?: Veto
}

/** Minimum share of a claim's words, weighted by rarity, that its window must contain. */
const alignmentMin = 0.6
/**
 * Another window may support a claim that the best one contradicts, if its alignment is at least this share of the
 * best.
 */
const rivalMin = 0.8
/** Minimum alignment of a partly supported claim. */
const partMin = 0.3

/**
 * Returns the sets of cited sources that support a claim by the built-in verifier: each source that does so alone, else
 * the set that is left when every source that is not needed is taken out. Empty when the sources together do not.
 */
export const supportingSets = (claim: Claim, evidence: Evidence): ReadonlyArray<ReadonlyArray<string>> => {
  const isSupported = (citations: ReadonlyArray<string>): boolean =>
    checkClaim({ ...claim, citations: [...citations] }, evidence).supported
  const cited = [...new Set(claim.citations)]
  const alone = cited.filter((id) => isSupported([id]))
  if (alone.length > 0) return alone.map((id) => [id])
  if (cited.length === 0 || !isSupported(cited)) return []
  let needed: ReadonlyArray<string> = cited
  for (const id of cited) {
    const rest = needed.filter((other) => other !== id)
    if (isSupported(rest)) needed = rest
  }
  return [needed]
}

/**
 * Checks one claim against what it cites: windows of one to three neighbouring units of each cited source, and
 * the best window of each joined. Pure; blind to paraphrase beyond stems, listed synonyms and normalised values.
 */
export const checkClaim = (claim: Claim, evidence: Evidence): ClaimCheck => {
  const known = checksOf(evidence)
  const key = JSON.stringify([claim.text, ...claim.citations])
  const made = known.get(key) ?? checkOnce(claim, evidence)
  known.set(key, made)
  return made
}

/** The built-in model checks what it quotes before it is checked with everything else. */
const checksOf = memoize((_: Evidence) => new Map<string, ClaimCheck>())

const checkOnce = (claim: Claim, evidence: Evidence): ClaimCheck => {
  const whole = checkWhole(claim, evidence)
  if (whole.status !== "unsupported" || whole.veto === "truncated") return whole
  const parts = partsOf(claim.text)
  // The evidence may support one part of a compound sentence.
  const isPart = parts.some((text) => checkWhole({ ...claim, text }, evidence).supported)
  return isPart || (whole.veto === undefined && whole.support >= partMin)
    ? { ...whole, status: "partly" }
    : whole
}

/** Checks every claim, in order, and returns the contract's counts. */
export const checkGrounding = (
  claims: ReadonlyArray<Claim>,
  evidence: Evidence
): { readonly verified: number; readonly total: number; readonly checks: ReadonlyArray<ClaimCheck> } => {
  const checks = claims.map((claim) => checkClaim(claim, evidence))
  return { verified: checks.filter(({ supported }) => supported).length, total: claims.length, checks }
}

/** A judge's verdict on a claim, valid only if its quote occurs in the cited sources. */
export type Opinion = "yes" | "partial" | "no"

/** Minimum alignment of a claim that a judge neither confirms nor denies. */
const certainMin = 0.8

/**
 * Checks a claim with a judge's verdict: supported when there is no veto, and the judge says yes, or nearly all words
 * align and it does not say no. Vetoes apply even when the judge's quote was found: a missing number stays missing.
 */
export const checkJudged = (
  claim: Claim,
  evidence: Evidence,
  opinion: Opinion,
  quote: string
): ClaimCheck => {
  const lexical = checkClaim(claim, evidence)
  if (lexical.veto !== undefined) return lexical
  if (opinion === "no")
    return { supported: false, status: "unsupported", support: Math.min(lexical.support, alignmentMin) }
  if (opinion === "partial")
    return lexical.support >= certainMin ? lexical : { ...lexical, supported: false, status: "partly" }
  if (lexical.supported) return lexical
  const found = quotedVeto(claim, evidence, quote)
  return found === undefined
    ? { supported: true, status: "supported", support: lexical.support }
    : {
        supported: false,
        status: found.isContradiction ? "contradicted" : "unsupported",
        support: 0,
        veto: found.veto
      }
}

const quotedVeto = ({ citations, text }: Claim, evidence: Evidence, quote: string): Finding | undefined => {
  const reader = new ClaimReader(text, evidence)
  const windows = byAlignment(citations.flatMap((id) => reader.windowsOf(id)))
  const window = windows.find(({ pieces }) =>
    folded(pieces.map((piece) => piece.text).join(" ")).includes(folded(quote))
  )
  return window === undefined ? undefined : vetoOf(reader, window, evidence)
}

const folded = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()

const checkWhole = ({ citations, text }: Claim, evidence: Evidence): ClaimCheck => {
  const reader = new ClaimReader(text, evidence)
  const groups = [...new Set(citations)].map((id) => reader.windowsOf(id)).filter((group) => group.length > 0)
  if (groups.length === 0) return { supported: false, status: "unsupported", support: 0 }
  const best = byAlignment(groups.flat())
  const joined =
    groups.length > 1 ? [reader.join(groups.flatMap((group) => byAlignment(group).slice(0, 1)))] : []
  const elsewhere = contraryTo(reader, groups.flat())
  let against: (Finding & { readonly alignment: number }) | undefined
  for (const window of [...best, ...joined]) {
    if (window.alignment < alignmentMin) continue
    if (against?.isContradiction === true && window.alignment < rivalMin * against.alignment) break
    const found = vetoOf(reader, window, evidence) ?? elsewhere(window)
    if (found === undefined) return { supported: true, status: "supported", support: window.alignment }
    against ??= { ...found, alignment: window.alignment }
  }
  if (against === undefined) {
    const support = Math.max(...best.map(({ alignment }) => alignment))
    return { supported: false, status: "unsupported", support }
  }
  const status = against.isContradiction ? "contradicted" : "unsupported"
  return { supported: false, status, support: 0, veto: against.veto }
}

/**
 * Returns what contradicts a window with full alignment: a sentence elsewhere in the cited sources that the claim
 * follows at least as closely, except for one different name, value or opposite.
 */
const contraryTo = (reader: ClaimReader, windows: ReadonlyArray<Window>) => {
  let replacements: ReadonlyArray<Replacement> | undefined
  const find = () => {
    const pieces = new Set<Piece>(windows.flatMap((window) => window.pieces))
    return [...pieces].flatMap((piece) => (isOfPast(reader, piece) ? [] : (replacedIn(reader, piece) ?? [])))
  }
  return (window: Window): Finding | undefined => {
    if (window.verbatim) return undefined
    replacements ??= find()
    if (replacements.length === 0) return undefined
    const follows = Math.max(...window.pieces.map((piece) => followingOf(reader, piece)))
    const nearer = replacements.find((one) => one.follows >= follows)
    return nearer === undefined ? undefined : { veto: nearer.kind, isContradiction: true }
  }
}

/** Sorts by alignment, best first; of equal windows the shortest, which is the most direct. */
const byAlignment = (windows: ReadonlyArray<Window>): ReadonlyArray<Window> =>
  [...windows].sort((a, b) => b.alignment - a.alignment || a.pieces.length - b.pieces.length)

const partsOf = (text: string): ReadonlyArray<string> => {
  const parts = text.split(/;\s|,?\s(?:and|but|whereas|while|und|aber|während|et|mais|y|pero)\s/u)
  return parts.length < 2 ? [] : parts.filter((part) => part.split(/\s+/u).length >= 3)
}
