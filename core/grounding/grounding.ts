import type { Claim, Evidence } from "../evidence/index.js"
import { followingOf, type Replacement, replacedIn } from "./replacement.js"
import { type Finding, type Veto, vetoOf } from "./vetoes.js"
import { ClaimReader, type Piece, type Window } from "./windows.js"

/**
 * The built-in verifier by name and version: another number, other verdicts. Kept with each answer that it
 * checked.
 */
export const verifierId = "builtin/lexical-1"

/** How far the evidence carries a claim. */
export type ClaimStatus = "supported" | "partly" | "contradicted" | "unsupported"

/** What the built-in verifier says of one claim. `supported` where it is wholly carried. */
export interface ClaimCheck {
  readonly supported: boolean
  readonly status: ClaimStatus
  /** Alignment of the best window, 0 to 1; 0 under a veto or without a known citation. */
  readonly support: number
  readonly veto?: Veto
}

/** Share of a claim's words, weighted by rarity, that its window must hold. */
const alignmentMin = 0.6
/** Another place may carry what the nearest speaks against, but it must be about as near. */
const rivalMin = 0.8
/** Part of a claim is carried from here on. */
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
  const whole = checkWhole(claim, evidence)
  if (whole.status !== "unsupported" || whole.veto === "truncated") return whole
  const parts = partsOf(claim.text)
  // Of a sentence that says two things, the evidence may carry one.
  const isPart = parts.some((text) => checkWhole({ ...claim, text }, evidence).supported)
  return isPart || (whole.veto === undefined && whole.support >= partMin)
    ? { ...whole, status: "partly" }
    : whole
}

/** Every claim checked, in order, with the contract's count. */
export const checkGrounding = (
  claims: ReadonlyArray<Claim>,
  evidence: Evidence
): { readonly verified: number; readonly total: number; readonly checks: ReadonlyArray<ClaimCheck> } => {
  const checks = claims.map((claim) => checkClaim(claim, evidence))
  return { verified: checks.filter(({ supported }) => supported).length, total: claims.length, checks }
}

/** What a judge says of a claim, its quote found where the claim cites. */
export type Opinion = "yes" | "partial" | "no"

/** From here on words alone carry a claim that a judge is not sure of. */
const certainMin = 0.8

/**
 * The same with a judge's opinion: no veto, and either the judge says yes or nearly all words are there and it does
 * not say no. A veto is looked for where the judge found its quote, too: a number that is not there stays missing.
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
 * What speaks against a window that carries all words: a sentence elsewhere in what is cited that the claim follows
 * no less closely than any of the window's, but for a name, a value or an opposite in the place of a word.
 */
const contraryTo = (reader: ClaimReader, windows: ReadonlyArray<Window>) => {
  let held: ReadonlyArray<Replacement> | undefined
  const find = () => {
    const pieces = new Set<Piece>(windows.flatMap((window) => window.pieces))
    return [...pieces].flatMap((piece) => replacedIn(reader, piece) ?? [])
  }
  return (window: Window): Finding | undefined => {
    if (window.verbatim) return undefined
    held ??= find()
    if (held.length === 0) return undefined
    const follows = Math.max(...window.pieces.map((piece) => followingOf(reader, piece)))
    const nearer = held.find((one) => one.follows >= follows)
    return nearer === undefined ? undefined : { veto: nearer.kind, isContradiction: true }
  }
}

/** The nearest first; of equals the shortest, which says it most directly. */
const byAlignment = (windows: ReadonlyArray<Window>): ReadonlyArray<Window> =>
  [...windows].sort((a, b) => b.alignment - a.alignment || a.pieces.length - b.pieces.length)

const partsOf = (text: string): ReadonlyArray<string> => {
  const parts = text.split(/;\s|,?\s(?:and|but|whereas|while|und|aber|während|et|mais|y|pero)\s/u)
  return parts.length < 2 ? [] : parts.filter((part) => part.split(/\s+/u).length >= 3)
}
