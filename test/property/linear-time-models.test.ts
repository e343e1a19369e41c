import { describe, expect, it } from "vitest"
import { attemptFailed } from "../../adapters/models/failure.js"
import { parseReply } from "../../core/answering/reply.js"
import { repeated, superLinear } from "../support/linear.js"

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
