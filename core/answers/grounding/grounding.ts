import { AnchorField } from "../../language/text-analysis/index.js"
import { valueEntails } from "../../language/values/index.js"
import { memoize } from "../../platform/caching/index.js"
import type { Claim, ClaimStatus, Evidence, Span } from "../evidence/index.js"
import {
  isPossible,
  type ReadWindow,
  readWindow,
  replacementIn,
  sameOrderShare,
  sharedWithSources
} from "./claim-features.js"
import { probabilityOf, supportedMin } from "./claim-model.js"
import { firstNamesIn } from "./first-names.js"
import { substitutedIn } from "./substitution.js"
import { unmatchedIn } from "./unmatched.js"
import { type Finding, findingsOf, type Veto } from "./vetoes.js"
import { ClaimReader, isQuotedFrom, type Window } from "./windows.js"

/**
 * Name and version of the built-in verifier, stored with each answer that it checked. The version changes whenever
 * verdicts can.
 */
export const verifierId = "builtin/lexical-5"

/** Verdict of the built-in verifier on one claim. `supported` when the claim is fully supported. */
export interface ClaimCheck {
  readonly supported: boolean
  readonly status: ClaimStatus
  /** Estimated probability that its sources support it, 0 to 1; 0 under a veto or without a known citation. */
  readonly support: number
  readonly veto?: Veto
  /** The words of the claim that no source carries; absent where the check knows none. */
  readonly unmatched?: ReadonlyArray<Span>
}

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
 * the best window of each joined. Pure; blind to paraphrase beyond stems, related words and normalised values.
 */
export const checkClaim = (claim: Claim, evidence: Evidence): ClaimCheck => {
  const known = checksOf(evidence)
  const key = keyOf(claim)
  const check = known.get(key) ?? checkOnce(claim, evidence)
  known.set(key, check)
  return check
}

/** Notes checks of claims that were made elsewhere on the same evidence. */
export const noteChecks = (
  evidence: Evidence,
  claims: ReadonlyArray<Claim>,
  checks: ReadonlyArray<ClaimCheck>
): void => {
  const known = checksOf(evidence)
  for (const [at, check] of checks.entries()) {
    const claim = claims[at]
    if (claim !== undefined) known.set(keyOf(claim), check)
  }
}

const keyOf = ({ citations, text }: Claim): string => JSON.stringify([text, ...citations])

/** The built-in model checks what it quotes before it is checked with everything else. */
const checksOf = memoize((_: Evidence) => new Map<string, ClaimCheck>())

const checkOnce = (claim: Claim, evidence: Evidence): ClaimCheck => {
  const whole = checkWhole(claim, evidence)
  if (whole.status === "supported" || whole.veto === "truncated") return whole.check
  // The evidence may support a compound sentence part by part, or one part of it.
  const parts = partsOf(claim.text).map((text) => checkPart({ ...claim, text }, evidence))
  // A source contradicts a compound sentence in one of its parts, not by what the other part adds.
  const isContradicted = parts.length < 2 || parts.some(({ status }) => status === "contradicted")
  if (whole.status === "contradicted" && isContradicted) return whole.check
  if (whole.isForeign) return { ...whole.check, status: "unsupported" }
  if (parts.length > 1 && parts.every(({ supported }) => supported))
    return { supported: true, status: "supported", support: Math.min(...parts.map(({ support }) => support)) }
  if (whole.status === "partly") return whole.check
  const isPart =
    (whole.check.support >= partMin && whole.alignment >= partWordsMin) ||
    parts.some(({ supported }) => supported)
  return isPart ? { ...whole.check, status: "partly" } : whole.check
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

/** Minimum support of a claim that a judge neither confirms nor denies. */
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
  // Whether another word means the same is what a judge is asked for.
  if (lexical.veto !== undefined && lexical.veto !== "word") return lexical
  if (opinion === "no")
    return {
      supported: false,
      status: "unsupported",
      support: Math.min(lexical.support, supportedMin)
    }
  if (opinion === "partial")
    return lexical.support >= certainMin ? lexical : { ...lexical, supported: false, status: "partly" }
  if (lexical.supported) return lexical
  const found = quotedVeto(claim, evidence, quote)
  return found === undefined
    ? {
        supported: true,
        status: "supported",
        support: lexical.veto === "word" ? supportedMin : lexical.support
      }
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
  return window === undefined ? undefined : findingsOf(reader, window)[0]
}

const folded = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()

interface WholeCheck {
  readonly check: ClaimCheck
  readonly status: ClaimStatus
  readonly veto?: Veto
  /** A name or value of the claim stands nowhere in what it cites. */
  readonly isForeign: boolean
  /** Share of the claim's words in the window that supports it most. */
  readonly alignment: number
}

/** Minimum probability of a partly supported claim, and of its words that one window has. */
const [partMin, partWordsMin] = [0.25, 0.3]
/** Minimum alignment of a window that supports a claim: three fifths of what the claim says stand there. */
const alignedMin = 0.6
/** Minimum alignment of a window that contradicts a claim. */
const contradictsMin = 0.55

const checkWhole = (claim: Claim, evidence: Evidence): WholeCheck => {
  if (claim.citations.some((id) => isQuotedFrom(claim.text, id, evidence)))
    return { check: quoted, status: "supported", isForeign: false, alignment: 1 }
  const read = readClaim(claim, evidence)
  if (read === null) return refused("unsupported", 0, undefined, false, 0, [])
  const { best, firstNames, foreign, reader, windows } = read
  const support = scoreOf(best)
  const isForeign = foreign !== undefined
  const { alignment } = best.window
  // Another sentence may say the same with another name or value, and be nearer.
  const rivalOf = (one: ReadWindow): ReadWindow | undefined =>
    one.window.verbatim
      ? undefined
      : windows.find(
          (other) => replacementIn(other) !== undefined && sameOrderShare(other) >= sameOrderShare(one)
        )
  const isCarrying = (one: ReadWindow): boolean =>
    isPossible(one) &&
    one.window.alignment >= alignedMin &&
    scoreOf(one) >= supportedMin &&
    rivalOf(one) === undefined
  const rival = rivalOf(best)
  if (!isForeign && isCarrying(best)) {
    // Beside the best, only a window that has every value and name of the claim.
    const others = windows.filter((one) => one !== best && isCarrying(one) && !lacksAnchor(one))
    const carrying = [best, ...others].find(
      ({ window }) =>
        window.verbatim || (firstNames.length === 0 && substitutedIn(reader, window).length === 0)
    )
    return carrying === undefined
      ? refused("partly", 0, "word", isForeign, alignment, [
          ...firstNames,
          ...substitutedIn(reader, best.window).filter((word) =>
            firstNames.every(({ end, start }) => word.end <= start || end <= word.start)
          )
        ])
      : {
          check: { supported: true, status: "supported", support: scoreOf(carrying) },
          status: "supported",
          isForeign,
          alignment
        }
  }
  const isNear = ({ window }: ReadWindow): boolean => window.alignment >= contradictsMin
  const replacement = rival === undefined || !isNear(rival) ? undefined : replacementIn(rival)
  const contradicting = replacement === undefined ? [windows[0] ?? best, best].find(isNear) : rival
  const contradiction = replacement ?? contradicting?.findings.find(({ isContradiction }) => isContradiction)
  // A contradicting sentence may have every word of the claim; then none is marked.
  const compared = contradiction === undefined || contradicting === undefined ? best : contradicting
  const unmatched = unmatchedIn(reader, compared.window, windows)
  if (contradiction !== undefined)
    return refused("contradicted", 0, contradiction.veto, isForeign, alignment, unmatched)
  const veto = foreign ?? best.findings[0]?.veto
  return refused("unsupported", veto === undefined ? support : 0, veto, isForeign, alignment, unmatched)
}

const lacksAnchor = ({ findings }: ReadWindow): boolean =>
  findings.some(({ veto }) => veto === "value" || veto === "name")

const quoted: ClaimCheck = { supported: true, status: "supported", support: 1 }

const refused = (
  status: "unsupported" | "contradicted" | "partly",
  support: number,
  veto: Veto | undefined,
  isForeign: boolean,
  alignment: number,
  unmatched: ReadonlyArray<Span>
): WholeCheck => ({
  check: {
    supported: false,
    status,
    support,
    ...(veto === undefined ? {} : { veto }),
    ...(unmatched.length === 0 ? {} : { unmatched })
  },
  status,
  ...(veto === undefined ? {} : { veto }),
  isForeign,
  alignment
})

/** Windows that are read closely. */
const readMax = 6

/** A claim with the windows that may support it. */
export interface ReadClaim {
  readonly reader: ClaimReader
  /** The nearest first. */
  readonly windows: ReadonlyArray<ReadWindow>
  /** The one that supports it most. */
  readonly best: ReadWindow
  /** Kind of anchor in the claim (value or name) that occurs nowhere in the sources it cites. */
  readonly foreign: "value" | "name" | undefined
  /** First names in the claim of whom these sources name by the last name alone. */
  readonly firstNames: ReadonlyArray<Span>
}

/** Reads a claim with the nearest windows of what it cites, and of several sources together; null without any. */
export const readClaim = ({ citations, text }: Claim, evidence: Evidence): ReadClaim | null => {
  const reader = new ClaimReader(text, evidence)
  const groups = [...new Set(citations)].map((id) => reader.windowsOf(id)).filter((group) => group.length > 0)
  if (groups.length === 0) return null
  const all = groups.flat()
  const joined =
    groups.length > 1 ? [reader.join(groups.flatMap((group) => byAlignment(group).slice(0, 1)))] : []
  const anywhere = sharedWithSources(reader, all)
  const windows = [...byAlignment(all).slice(0, readMax), ...joined].map((window) =>
    readWindow(reader, window, anywhere)
  )
  const best = windows.reduce((a, b) => (scoreOf(b) > scoreOf(a) ? b : a))
  return {
    reader,
    windows,
    best,
    ...(best.window.verbatim ? { foreign: undefined, firstNames: [] } : foreignIn(reader, all))
  }
}

const scoreOf = (read: ReadWindow): number =>
  read.window.verbatim ? 1 : isPossible(read) ? probabilityOf(read.features) : 0

/** Returns whether a value or name of the claim stands nowhere in what it cites, or only the last word of a name does. */
const foreignIn = (
  claim: ClaimReader,
  windows: ReadonlyArray<Window>
): Pick<ReadClaim, "foreign" | "firstNames"> => {
  const pieces = [...new Set(windows.flatMap((window) => window.pieces))]
  const around = [...new Set(windows.map((window) => window.around))]
  const given = [
    ...pieces.flatMap(({ values }) => values),
    ...around.flatMap((text) => claim.readOf(text).values)
  ]
  if (claim.values.some((value) => !given.some((other) => valueEntails(other, value))))
    return { foreign: "value", firstNames: [] }
  const text = [...pieces.map((piece) => piece.text), ...around].join(" | ")
  const field = new AnchorField(text)
  const missing = claim.names
    .filter((name) => !field.has(name))
    .map((name) => firstNamesIn(claim, name, text))
  return missing.some((spans) => spans.length === 0)
    ? { foreign: "name", firstNames: [] }
    : { foreign: undefined, firstNames: missing.flat() }
}

/** Sorts by alignment, best first; of equal windows the shortest, which is the most direct. */
const byAlignment = (windows: ReadonlyArray<Window>): ReadonlyArray<Window> =>
  [...windows].sort((a, b) => b.alignment - a.alignment || a.pieces.length - b.pieces.length)

/** A part, or the item of a list without the words that introduce the list, which may be the writer's own. */
const checkPart = (part: Claim, evidence: Evidence): ClaimCheck => {
  const { check } = checkWhole(part, evidence)
  const item = /^[^:]{1,120}:\s(?=\S+\s+\S+\s+\S)(.+)$/su.exec(part.text)?.[1]
  return check.supported || item === undefined ? check : checkWhole({ ...part, text: item }, evidence).check
}

/** A statement of more parts is checked as a whole: each part costs about as much as a claim, and all are one turn. */
const partsMax = 16

const partsOf = (text: string): ReadonlyArray<string> => {
  const parts = text.split(/;\s|,?\s(?:and|but|whereas|while|und|aber|während|et|mais|y|pero)\s/u)
  if (parts.length < 2 || parts.length > partsMax) return []
  return parts.filter((part) => part.split(/\s+/u).length >= 3)
}
