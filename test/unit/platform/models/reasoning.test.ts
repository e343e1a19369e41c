import { describe, expect, it } from "vitest"
import { withoutReasoning } from "../../../../core/platform/models/reasoning.js"

describe("withoutReasoning", () => {
  it.each([
    ["<think>4711 tonnes?</think>The crane lifts 40 tonnes.", "The crane lifts 40 tonnes."],
    ["<THINKING>\na\n</THINKING>\n\n40 tonnes.", "40 tonnes."],
    ["Perhaps 4711.\n</think>\n40 tonnes.", "40 tonnes."],
    ["It lifts <think>how much?</think>40 tonnes.", "It lifts 40 tonnes."],
    ["<think>a</think>It <think>b</think>is.", "It is."],
    ["<think>a <think>b</think> 40.", "40."],
    ['<think>{"answer": 1}</think>{"answer": 2}', '{"answer": 2}'],
    ["◁think▷hm◁/think▷40.", "40."],
    ["[THINK]hm[/THINK]40.", "40."],
    [
      "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>40.<|return|>",
      "40."
    ],
    ["<think>never closed", ""],
    ["The tag <think> opens a thought.", "The tag <think> opens a thought."],
    ["Write `<think>` before and `</think>` behind.", "Write `<think>` before and `</think>` behind."],
    ["If a < b, then [S1].", "If a < b, then [S1]."],
    ["  plain", "  plain"]
  ])("%j is %j", (reply, shown) => {
    expect(withoutReasoning(reply, false)).toBe(shown)
  })

  it("hides an open thought of a reply that is not complete, and holds back a tag that is coming", () => {
    expect(withoutReasoning("It is 40. <think>or 41", true)).toBe("It is 40. ")
    expect(withoutReasoning("It is 40. <thi", true)).toBe("It is 40. ")
    expect(withoutReasoning("<think>a</think>It is", true)).toBe("It is")
  })

  it("takes linear time", () => {
    for (const piece of ["<think>", "</think>", "`<think>", "<|channel|>final", "```"])
      expect(withoutReasoning(piece.repeat(20_000), false).length).toBeLessThan(200_001)
  })
})
