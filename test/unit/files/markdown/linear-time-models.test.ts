import { describe, expect, it } from "vitest"
import { attemptFailed } from "../../../../adapters/models/failure.js"
import { claimsOfText } from "../../../../core/answers/answering/grounding-check-claims.js"
import { markersIn } from "../../../../core/answers/generation/markers.js"
import { cleanEvidence } from "../../../../core/answers/generation/prompt.js"
import { claimsOfProse, parseReply, replyFromProse } from "../../../../core/answers/generation/reply.js"
import { safeProse } from "../../../../core/answers/generation/safe-prose.js"
import { repeated, superLinear } from "../../../support/linear.js"

describe("a reply of a model is read in time that grows with its length", () => {
  it.each([
    ["a fence and line breaks", repeated("\n", "```")],
    ["a fence, line breaks and letters", repeated("\n\n\n\n\n\n\n\n a", "```json")],
    ["fences that open", repeated("```json\n")],
    ["fences in a line", repeated("```")],
    ["a fence and a line", repeated("``` ", "```\n")],
    ["spaces behind a fence", repeated(" ", "```json")],
    ["braces", repeated("{")],
    ["braces in pairs", repeated("{}")],
    ["quotes", repeated('"', "{")],
    ["backslashes", repeated("\\", '{"')],
    ["brackets", repeated("[")],
    ["JSON that is cut off", repeated('{"claims":[', '{"answer":"')],
    ["a citation of many letters", repeated("S1", '{"answer":"","claims":[{"text":"","citations":"', '"}]}')]
  ])("%s", (_, lengthened) => {
    expect(superLinear((text) => parseReply(text, false), lengthened)).toBeNull()
  })
})

const prose = [
  ["full stops", repeated(".", "A ", " b")],
  ["full stops and blanks", repeated(". ")],
  ["blanks", repeated(" ", "A", "b")],
  ["line breaks", repeated("\n", "A", "b")],
  ["markers", repeated("[S1]")],
  ["markers that never end", repeated("[S1, ")],
  ["one long marker", repeated("S1,", "[", "]")],
  ["defused markers", repeated("((D0)")],
  ["blanks in markers", repeated(" ", "[S1", ",S2]")],
  ["brackets", repeated("[")],
  ["links", repeated("[a](")],
  ["blanks in a link", repeated(" ", "[a](")],
  ["an address in a link", repeated("b", "[a](<")],
  ["images", repeated("![")],
  ["tags", repeated("<a ")],
  ["addresses", repeated("a+.")],
  ["marks behind an address", repeated("!", "https://a.example/", "a")],
  ["schemes", repeated("a+")],
  ["a link of marks", repeated(`[](${"!".repeat(4390)}`)]
] as const

describe("the prose of a model is read in time that grows with its length", () => {
  const rules = { registry: new Set(["S1"]), boundary: "b0undary" }
  it.each(prose)("%s", (_, lengthened) => {
    expect(superLinear(claimsOfProse, lengthened)).toBeNull()
    expect(superLinear(claimsOfText, lengthened)).toBeNull()
    expect(superLinear(replyFromProse, lengthened)).toBeNull()
    expect(superLinear(markersIn, lengthened)).toBeNull()
    expect(superLinear((text) => cleanEvidence(text, "b0undary"), lengthened)).toBeNull()
    expect(superLinear((text) => safeProse(text, { ...rules, evidenceTexts: [] }), lengthened)).toBeNull()
    // Found once for each text of the evidence.
    const asEvidence = (text: string) => safeProse("https://a.example", { ...rules, evidenceTexts: [text] })
    expect(superLinear(asEvidence, lengthened)).toBeNull()
  })
})

describe("an error of a provider is told in time that grows with its length", () => {
  const secrets = ["sk-VeryPrivate-0123456789abcdef", "aaaa"]
  const told = (message: string) => attemptFailed({ statusCode: 500, message }, secrets, 0)
  it.each([
    ["letters and hyphens", repeated("a-")],
    ["hyphens", repeated("-", "a")],
    ["a word", repeated("b")],
    ["digits", repeated("1")],
    ["slashes", repeated("/")],
    ["an address without a name", repeated("a", "//")],
    ["names of addresses", repeated("//a")],
    ["words of a key", repeated("Bearer ")],
    ["keys", repeated("sk-")],
    ["secrets", repeated("aaaa")]
  ])("%s", (_, lengthened) => {
    expect(superLinear(told, lengthened)).toBeNull()
  })
})
