import { claimSetTexts } from "./claim-set-texts.js"

/** Id of the claims below; a change of any claim gives another one. */
export const claimSetId = "kanon-claims-1"

/** What a check says of a claim. */
export type ClaimVerdict = "supported" | "partly" | "unsupported" | "contradicted"

/** All verdicts, from the best to the worst. */
export const claimVerdicts: ReadonlyArray<ClaimVerdict> = [
  "supported",
  "partly",
  "unsupported",
  "contradicted"
]

/** A claim about one document of the set. */
export interface SetClaim {
  /** `en-1`, `de-12`; the same in every release of the set. */
  readonly id: string
  readonly language: keyof typeof claimSetTexts
  readonly kind: string
  /** Whether the document carries the claim. */
  readonly isTrue: boolean
  readonly text: string
  readonly document: { readonly title: string; readonly text: string }
}

/** Reads the frozen set: 210 claims in English, German and Spanish about invented handbooks. */
export const claimSet = (): ReadonlyArray<SetClaim> =>
  languages.flatMap((language) => {
    const claims: Array<SetClaim> = []
    let document = { title: "", text: "" }
    for (const line of claimSetTexts[language].split("\n")) {
      const rest = line.slice(2)
      if (line.startsWith("# ")) document = { title: rest, text: "" }
      else if (line.startsWith("> ")) document = { ...document, text: rest }
      else {
        const [kind = "", text = ""] = rest.split(" | ")
        claims.push({
          id: `${language}-${claims.length + 1}`,
          language,
          kind,
          isTrue: line.startsWith("+"),
          text,
          document
        })
      }
    }
    return claims
  })

const languages: ReadonlyArray<SetClaim["language"]> = ["en", "de", "es"]

/** Verdicts on the claims of one language, kind and truth. */
export interface ClaimKindScore {
  readonly language: SetClaim["language"]
  readonly kind: string
  readonly isTrue: boolean
  readonly claims: number
  readonly verdicts: Readonly<Record<ClaimVerdict, number>>
}

/** Result of a check on the whole set. */
export interface ClaimSetScore {
  readonly set: string
  /** Share of the false claims that are called supported: what a reader would believe wrongly. */
  readonly falseSupported: number
  /** Share of the true claims that are called supported. */
  readonly trueSupported: number
  /** Share of the true claims that are called unsupported or contradicted: what a reader would miss. */
  readonly trueRefused: number
  /** False claims first, the worst kinds at the top. */
  readonly kinds: ReadonlyArray<ClaimKindScore>
}

/**
 * Counts the verdicts of a check on the claims of the set, by id.
 *
 * @throws Error when a claim has no verdict: a share over a part of the set is no figure of the set.
 */
export const scoreClaims = (verdicts: ReadonlyMap<string, ClaimVerdict>): ClaimSetScore => {
  const judged = claimSet().map((claim) => {
    const verdict = verdicts.get(claim.id)
    if (verdict === undefined) throw new Error(`The claim ${claim.id} has no verdict.`)
    return { ...claim, verdict }
  })
  type Judged = (typeof judged)[number]
  const share = (isTrue: boolean, test: (claim: Judged) => boolean): number => {
    const own = judged.filter((claim) => claim.isTrue === isTrue)
    return own.filter(test).length / own.length
  }
  const groups = new Map<string, Array<Judged>>()
  for (const claim of judged) {
    const key = [claim.isTrue, claim.kind, claim.language].join("|")
    groups.set(key, [...(groups.get(key) ?? []), claim])
  }
  const kinds = [...groups.values()].flatMap((own): ReadonlyArray<ClaimKindScore> => {
    const [first] = own
    if (first === undefined) return []
    const { isTrue, kind, language } = first
    const count = (verdict: ClaimVerdict) => own.filter((claim) => claim.verdict === verdict).length
    return [
      {
        language,
        kind,
        isTrue,
        claims: own.length,
        verdicts: {
          supported: count("supported"),
          partly: count("partly"),
          unsupported: count("unsupported"),
          contradicted: count("contradicted")
        }
      }
    ]
  })
  return {
    set: claimSetId,
    falseSupported: share(false, ({ verdict }) => verdict === "supported"),
    trueSupported: share(true, ({ verdict }) => verdict === "supported"),
    trueRefused: share(true, ({ verdict }) => verdict === "unsupported" || verdict === "contradicted"),
    kinds: kinds.sort((a, b) => Number(a.isTrue) - Number(b.isTrue) || wrongShare(b) - wrongShare(a))
  }
}

const wrongShare = ({ claims, isTrue, verdicts }: ClaimKindScore): number =>
  (isTrue ? claims - verdicts.supported : verdicts.supported) / claims

/**
 * Asks a check about every claim of the set, one after the other, and counts its verdicts. `check` gets the claim and
 * the one document that it may rest on.
 */
export const measureClaimCheck = async (
  check: (claim: SetClaim) => ClaimVerdict | Promise<ClaimVerdict>
): Promise<ClaimSetScore> => {
  const verdicts = new Map<string, ClaimVerdict>()
  for (const claim of claimSet()) verdicts.set(claim.id, await check(claim))
  return scoreClaims(verdicts)
}
