/** The frozen set of claims: what it holds, and how verdicts on it are counted. */
import { createHash } from "node:crypto"
import { describe, expect, it } from "vitest"
import {
  type ClaimVerdict,
  claimSet,
  claimSetId,
  measureClaimCheck,
  scoreClaims
} from "../../../../core/answers/measures/index.js"

const claims = claimSet()

describe("the frozen set of claims", () => {
  it("has true and false claims in three languages, each about one document", () => {
    expect(claims.length).toBeGreaterThanOrEqual(200)
    expect(new Set(claims.map(({ id }) => id)).size).toBe(claims.length)
    for (const language of ["en", "de", "es"])
      for (const isTrue of [true, false])
        expect(
          claims.filter((claim) => claim.language === language && claim.isTrue === isTrue).length
        ).toBeGreaterThan(10)
    expect(
      claims.filter(({ document, kind, text }) => kind === "" || text === "" || document.text === "")
    ).toEqual([])
  })

  it("has claims as written that stand in their documents, and no false claim that does", () => {
    const standing = (isTrue: boolean) =>
      claims
        .filter((claim) => claim.isTrue === isTrue && claim.document.text.includes(claim.text))
        .map(({ kind }) => kind)
    expect(new Set(standing(true))).toEqual(new Set(["as written"]))
    expect(standing(false)).toEqual([])
  })

  it("is frozen under its id", () => {
    const digest = createHash("sha256").update(JSON.stringify(claims)).digest("hex").slice(0, 16)
    expect([claimSetId, digest]).toEqual(["kanon-claims-1", "856e42d9a0d4ec98"])
  })
})

describe("the score of a check", () => {
  it("counts what a reader would believe wrongly and what a reader would miss", async () => {
    const all = await measureClaimCheck(() => "supported")
    expect(all).toMatchObject({ falseSupported: 1, trueSupported: 1, trueRefused: 0 })
    const none = await measureClaimCheck(async () => "contradicted" as const)
    expect(none).toMatchObject({ falseSupported: 0, trueSupported: 0, trueRefused: 1 })
    const right = await measureClaimCheck(({ isTrue }) => (isTrue ? "supported" : "partly"))
    expect(right).toMatchObject({ set: claimSetId, falseSupported: 0, trueSupported: 1, trueRefused: 0 })
    expect(right.kinds.reduce((sum, kind) => sum + kind.claims, 0)).toBe(claims.length)
  })

  it("puts the false claims first and the worst kind at the top", () => {
    const verdicts = new Map<string, ClaimVerdict>(
      claims.map(({ id, isTrue, kind }) => [id, isTrue || kind === "sign" ? "supported" : "unsupported"])
    )
    const { kinds } = scoreClaims(verdicts)
    expect(kinds[0]).toMatchObject({ isTrue: false, kind: "sign" })
    expect(kinds.at(-1)).toMatchObject({ isTrue: true })
  })

  it("refuses verdicts on a part of the set", () => {
    expect(() => scoreClaims(new Map([["en-1", "supported"]]))).toThrow("has no verdict")
  })
})
