import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { attemptFailed } from "../../../../adapters/models/failure.js"
import { runs } from "../../../support/runs.js"

const told = (message: string, secrets: ReadonlyArray<string>) =>
  attemptFailed({ statusCode: 500, message }, secrets, 0).message

describe("what is told of a failure of a provider", () => {
  it("leaves out of a short text what it always left out", () => {
    const pieces = ["Bearer ", "sk-", "key_", "abc", "a1-", "-", "_", "é", "//", "@", "/", ":", " ", "."]
    const long = ["0123456789abcdefghijklmnop", "abcdefghijklmnopqrstuvwxyz", "a-".repeat(20), "secret one"]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces, ...long), { minLength: 1, maxLength: 20 }), (parts) => {
        const message = parts.join("")
        const expected = `The provider answered 500: ${message}`
          .replaceAll("secret one", "[redacted]")
          .replace(/\b(?:sk|pk|key|Bearer|Basic)[-_ ][A-Za-z0-9_\-+/=.*]{6,}/gu, "[redacted]")
          .replace(/\b(?=[A-Za-z_-]*\d)[A-Za-z0-9_-]{24,}\b/gu, "[redacted]")
          .replace(/\/\/[^\s/@]+@/gu, "//[redacted]@")
          .slice(0, 500)
        expect(told(message, ["secret one"])).toBe(expected)
      }),
      { numRuns: runs(1000) }
    )
  })

  it.each([
    ["a known secret of several words", "qwertz uiopas dfghjk", ["qwertz uiopas dfghjk"]],
    ["a key that nobody named", "sk-qwertz-uiopas-dfghjk-1", []],
    ["a token", "Bearer=qwertzuiopasdfghjk0123456789", []],
    ["the user of an address", "https://qwertz:uiopas-dfghjk@example.org/a", []]
  ])("shows no part of %s, wherever a long text is cut", (_, secret, secrets) => {
    // Long tokens become short, so that what stands at the cut is within what is told.
    const filler = `${"b1".repeat(200)} `.repeat(18)
    for (let at = 8100; at < 8200; at++) {
      const message = `${filler}${"1".repeat(at - filler.length - 1)} ${secret} ${"c ".repeat(4000)}`
      const said = told(message, secrets)
      expect(said).toMatch(/\[redacted\]$|c $/u)
      expect(said).not.toMatch(/qwe|uio|dfg/u)
    }
  })

  it("is the beginning of a text of megabytes, in a moment", () => {
    const message = `Model not found. ${"<p>Gateway</p> ".repeat(2_000_000)}`
    expect(told(message, [])).toMatch(
      /^The provider answered 500: Model not found\. (?:<p>Gateway<\/p> ){20}/u
    )
    expect(told("x".repeat(32 * 1024 * 1024), [])).toBe("The provider answered 500: [redacted]")
  })
})
