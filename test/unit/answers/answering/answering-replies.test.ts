import { describe, expect, it } from "vitest"
import { isInOtherLanguage } from "../../../../core/language/text-analysis/other-language.js"
import { ModelFailed } from "../../../../core/platform/models/index.js"
import { reply, scriptedQuestions } from "../../../support/scripted-questions.js"

const { answered, asked } = scriptedQuestions()

describe("replies that are no plain answer, and models that fail", () => {
  it.each([
    "I'm sorry, but I cannot answer that question.",
    "No idea.",
    "The provided documents do not contain any information about this. Please ask the archivist.",
    "There is no information on the retention of invoices in the sources [S1].",
    "Leider kann ich diese Frage nicht beantworten.",
    "Je ne peux pas répondre à cette question.",
    "Lo siento, no puedo responder a esa pregunta.",
    JSON.stringify({ answerable: true, sentences: [{ text: "I don't know.", citations: [] }] })
  ])("abstains where the model declines: %s", async (refusal) => {
    const { answer, trace } = await answered({ script: () => refusal })
    expect(answer).toMatchObject({
      claims: [],
      policy: { verdict: "abstain_with_pointers", reasons: expect.arrayContaining(["model_declined"]) },
      model: { chat: "test/chat" }
    })
    expect(trace.reasons).not.toContain("chat_model_unavailable")
  })

  it.each([
    "The contract does not mention penalties [S1].",
    "The archive cannot keep invoices for more than ten years [S1].",
    "I could not find the fee, but the archive keeps invoices for ten years [S1]."
  ])("takes %j for an answer", async (text) => {
    expect((await answered({ script: () => text })).trace.reasons).not.toContain("model_declined")
  })

  it("never shows what a model thinks, keeps its Markdown, and reads its citations in any form", async () => {
    const { answer } = await answered({
      script: () =>
        "<think>Maybe 4711 years?</think>## Retention\n\n- **Invoices** are kept for 10 years 【S1】.\n- They are kept in the archive [1]."
    })
    expect(answer.answer).toBe(
      "## Retention\n\n- **Invoices** are kept for 10 years [S1].\n- They are kept in the archive [S1]."
    )
    expect(answer.claims).toMatchObject([
      { text: "Invoices are kept for 10 years.", citations: ["S1"], status: "supported" },
      { text: "They are kept in the archive.", citations: ["S1"] }
    ])
    const json = await answered({ script: () => `<think>{"answerable": false}</think>${reply({})}` })
    expect(json.answer.answer).toBe("The archive keeps invoices for ten years. [S1]")
  })

  it("says that a reply was cut off", async () => {
    const { answer } = await answered({
      script: () => ({
        text: "The archive keeps invoices for 10 years [S1]. It",
        finishReason: "length" as const
      })
    })
    expect(answer.answer).toBe("The archive keeps invoices for 10 years [S1]. It")
    expect(answer.policy.verdict).toBe("answer_with_caveats")
    expect(answer.policy.caveats.map(({ code }) => code)).toContain("reply_truncated")
  })

  it("never passes an empty answer for one: the built-in model answers", async () => {
    for (const text of ["", "<b></b>[S1]\u200b"]) {
      const none = await answered({
        script: () => reply({ sentences: [{ text, citations: ["S1"] }] })
      })
      expect(none.answer.answer).toContain("10 years")
      expect(none.trace.reasons).toContain("chat_model_unavailable")
      expect(none.answer.usage.inputTokens).toBeGreaterThan(0)
    }
    expect(await asked({ script: () => reply({ sentences: [] }), fallback: false })).toMatchObject({
      left: { _tag: "ModelUnavailable" }
    })
  })

  it("asks once more for the language of the question, and says so where it is not had", async () => {
    const french = reply({
      sentences: [
        {
          text: "Les archives gardent les factures pendant dix ans, et pas plus longtemps que cela.",
          citations: ["S1"]
        }
      ]
    })
    const mended = await answered({ script: (_, call) => (call === 0 ? french : reply({})) })
    expect(mended.answer.answer).toBe("The archive keeps invoices for ten years. [S1]")
    expect(mended.trace.reasons).toEqual(["reply_repaired", "usage_estimated"])
    const kept = await answered({ script: () => french })
    expect(kept.answer.answer).toContain("dix ans")
    expect(kept.answer.policy.reasons).toContain("reply_other_language")
    expect(kept.answer).toMatchObject({ groundedness: { verified: 0, total: 1 } })
    expect(kept.answer.policy.reasons).toContain("ungrounded")
    const asked = "Combien de temps les archives gardent-elles les factures ?"
    expect((await answered({ script: () => french }, asked)).trace.reasons).not.toContain("reply_repaired")
  })

  it.each([
    ["Архив хранит счета в течение десяти лет.", "How long are invoices kept?", true],
    ["发票在档案馆保存十年。", "How long are invoices kept?", true],
    ["Die Rechnungen werden im Archiv zehn Jahre lang aufbewahrt.", "How long are invoices kept?", true],
    ["The invoices are kept in the archive for ten years.", "Wie lange werden Rechnungen aufbewahrt?", true],
    ["The invoices are kept in the archive for ten years.", "How long are invoices kept?", false],
    ["Das Boot, Der Spiegel, Die Zeit", "Which of the names are known?", false],
    ["Kestrel 40 kg, Merrow 55 kg.", "Wie schwer ist er?", false],
    ["10 Jahre", "How long?", false],
    ["发票保存十年。", "发票保存多久?", false]
  ])("%j is in another language than %j: %s", (text, question, is) => {
    expect(isInOtherLanguage(text, question)).toBe(is)
  })

  it.each([
    ["fails", () => new ModelFailed({ modelId: "test/chat", message: "Down.", retryable: true })],
    ["says nothing that can be read", () => '{"sentences": 5}'],
    ["is cut off", () => ({ text: '{"answerable": tr', finishReason: "length" as const })]
  ])("falls back to the built-in model when the chat model %s", async (_, script) => {
    const { answer, trace } = await answered({ script })
    expect(answer.model.chat).toBe("builtin/extractive-5")
    expect(answer.answer).toContain("10 years")
    expect(trace.reasons).toContain("chat_model_unavailable")
  })

  it("tells what the chat model used though the built-in one answers", async () => {
    const usage = { inputTokens: 100, outputTokens: 20, costUsd: "0.0003", estimated: false }
    const babble = { text: '{"sentences": 5}', usage }
    const down = new ModelFailed({ modelId: "test/chat", message: "Down.", retryable: true })
    const twice = await answered({ script: () => babble })
    expect(twice.answer.model.chat).toBe("builtin/extractive-5")
    expect(twice.answer.usage).toEqual({ inputTokens: 200, outputTokens: 40, costUsd: 0.0006 })
    expect([twice.trace.costUsd, twice.trace.reasons]).toEqual(["0.0006", ["chat_model_unavailable"]])
    const once = await answered({ script: (_, call) => (call === 0 ? babble : down) })
    expect(once.answer.usage).toEqual({ inputTokens: 100, outputTokens: 20, costUsd: 0.0003 })
    expect((await answered({ script: () => down })).answer.usage.costUsd).toBe(0)
  })

  it("fails where the workspace allows no fall-back, and says when to come back", async () => {
    const down = new ModelFailed({
      modelId: "test/chat",
      message: "Down.",
      retryable: true,
      retryAfterSeconds: 7
    })
    expect(await asked({ script: () => down, fallback: false })).toMatchObject({
      left: { _tag: "ModelUnavailable", retryAfterSeconds: 7 }
    })
    expect(await asked({ fallback: false })).toMatchObject({ left: { _tag: "NoModelConfigured" } })
  })
})
