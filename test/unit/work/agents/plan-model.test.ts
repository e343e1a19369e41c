import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { policyOff } from "../../../../core/answers/policy/index.js"
import type { TurnMessage } from "../../../../core/platform/models/index.js"
import { planAnswerOf, planModel } from "../../../../core/work/agent-runs/plan-model.js"

const tools = ["svc_resolve_entity", "svc_search", "svc_query"].map((name) => ({
  name,
  description: name,
  inputSchema: {}
}))

const turn = (messages: ReadonlyArray<TurnMessage>) => {
  const { converse } = planModel
  if (converse === undefined) throw new Error("The plan takes turns.")
  return Effect.runPromise(converse({ messages, tools, maxOutputTokens: 100 }))
}

const history: ReadonlyArray<TurnMessage> = [
  { role: "user", content: "Who is the harbour master?" },
  { role: "assistant", content: "Olle Brink [S1].", toolCalls: [] }
]
const asked: TurnMessage = { role: "user", content: "Who is his deputy?" }

/** The result of `svc_query` as a model reads it. */
const resultOf = (answer: string): TurnMessage => ({
  role: "tool",
  callId: "plan_0_1",
  name: "svc_query",
  isError: false,
  content: `<content tool="svc_query">\n${JSON.stringify({
    answer,
    claims: [],
    sources: [{ id: "S1", cite: "S4" }, { id: "S2" }],
    groundedness: { verified: 0, total: 0 },
    policy: { ...policyOff, mode: "enforce", verdict: "abstain_with_pointers", reasons: ["no_evidence"] }
  })}\n</content>`
})

it("the built-in plan asks the question with the earlier ones, like POST /query", async () => {
  const { text, toolCalls } = await turn([...history, asked])
  expect(text).toBe("")
  expect(toolCalls).toContainEqual(
    expect.objectContaining({
      name: "svc_query",
      arguments: {
        question: "Who is his deputy?",
        turns: [{ question: "Who is the harbour master?", answer: "Olle Brink [S1]." }]
      }
    })
  )
})

it("the built-in plan gives that answer, under the numbers of the run, with its verdict", async () => {
  const messages = [...history, asked, resultOf("Agda Rehn is his deputy. [S1] [S2]")]
  expect((await turn(messages)).text).toBe("Agda Rehn is his deputy. [S4] ")
  expect(planAnswerOf(messages)?.policy.verdict).toBe("abstain_with_pointers")
})

it("the built-in plan says that it found nothing where it may not ask", async () => {
  const { converse } = planModel
  const said = await Effect.runPromise(
    converse?.({ messages: [asked], tools: [], maxOutputTokens: 100 }) ?? Effect.die("The plan takes turns.")
  )
  expect(said.text).toBe("Nothing in the workspace was found that answers this.")
})
