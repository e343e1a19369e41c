import { describe, expect, it } from "vitest"
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
