import { createElement } from "react"
import { renderToStaticMarkup } from "react-dom/server"
import { describe, expect, it } from "vitest"
import { Answer } from "../../../react/answer.js"
import type { StructuredAnswer } from "../../../server/client/index.js"

const answer = (policy: Partial<StructuredAnswer["policy"]>, claims = 1): StructuredAnswer => ({
  answer: claims === 0 ? "There is nothing about it." : "Six months.",
  claims: claims === 0 ? [] : [{ text: "Six months.", citations: [], status: "supported" }],
  sources: [],
  dataCalls: [],
  entities: [],
  groundedness: { verified: claims, total: claims },
  policy: {
    mode: "shadow",
    verdict: "abstain_with_pointers",
    confidence: 0.2,
    calibrationVersion: "none",
    reasons: [],
    caveats: [],
    conflicts: [],
    ...policy
  },
  model: { chat: "m", judge: "m" },
  usage: { inputTokens: 0, outputTokens: 0, costUsd: 0 },
  generatedAt: "2026-01-01T00:00:00.000Z"
})

const shown = (given: StructuredAnswer) => {
  const html = renderToStaticMarkup(createElement(Answer, { answer: given }))
  return { html, verdict: /data-verdict="(\w+)"/.exec(html)?.[1] }
}

describe("Answer", () => {
  it("has the verdict of the text that is shown where the gate only watches, and notes what the gate would do", () => {
    const { html, verdict } = shown(answer({}))
    expect(verdict).toBe("answer_with_caveats")
    expect(html).toContain("An enforcing gate would have abstained")
    expect(html).not.toContain("The documents do not answer this")
    expect(shown(answer({ verdict: "clarify" })).html).toContain("An enforcing gate would have asked back")
  })

  it("has the verdict of the gate where it enforces, or where nothing was written", () => {
    for (const given of [answer({ mode: "enforce" }), answer({}, 0)]) {
      const { html, verdict } = shown(given)
      expect(verdict).toBe("abstain_with_pointers")
      expect(html).not.toContain("would have")
    }
    expect(shown(answer({ verdict: "answer" })).html).not.toContain("would have")
  })

  it("says in one line that the built-in model answers in the place of a chat model", () => {
    const line = "The chat model could not be used"
    expect(shown(answer({ reasons: ["chat_model_unavailable"] })).html).toContain(line)
    expect(shown(answer({})).html).not.toContain(line)
  })
})
