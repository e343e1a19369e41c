import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { z } from "zod"
import { Caller, operation } from "../../core/platform/kernel/index.js"
import {
  type ModelFailed,
  type ModelRole,
  modelRoles,
  type Usage,
  type WorkspaceModels
} from "../../core/platform/models/index.js"
import { counted, countUses, modelsIn } from "../../core/platform/workspace/index.js"
import { Toolbox } from "../../core/work/agent-runs/index.js"
import { type Row, row } from "../catalog/row.js"

/** The shortest question whose reply shows that a chat model answers in the asked form. */
const question = {
  messages: [{ role: "user" as const, content: 'Reply with the JSON object {"ok": true} and nothing else.' }],
  schema: {
    name: "reply",
    json: {
      type: "object",
      properties: { ok: { type: "boolean" } },
      required: ["ok"],
      additionalProperties: false
    }
  },
  maxOutputTokens: 200
}
const sentence = "Ten is more than two."

/** A call of the model of a role, with the usage that its reply tells; none where nobody chose a model. */
const callOf = (
  models: WorkspaceModels,
  role: ModelRole
): Option.Option<{
  readonly modelId: string
  readonly call: Effect.Effect<Usage | undefined, ModelFailed>
}> => {
  const { chat, embedder, extraction = Option.none(), judge, reranker } = models
  switch (role) {
    case "chat":
    case "extraction":
      return Option.map(role === "chat" ? chat : extraction, ({ generate, modelId }) => ({
        modelId,
        call: Effect.map(generate(question), ({ usage }) => usage)
      }))
    case "judge":
      return Option.map(judge, ({ judge: ask, modelId }) => ({
        modelId,
        call: Effect.map(
          ask([{ text: sentence, evidence: [{ id: "S1", text: sentence }] }]),
          ({ usage }) => usage
        )
      }))
    case "embedding":
      return Option.map(embedder, ({ embed, modelId }) => ({
        modelId,
        call: Effect.as(embed([sentence], "query"), undefined)
      }))
    case "reranker":
      return Option.map(reranker, ({ modelId, rerank }) => ({
        modelId,
        call: Effect.as(rerank(sentence, [sentence, "Something else."]), undefined)
      }))
  }
}

const testModel = operation({
  name: "testModel",
  summary: "Call the model of a role once and report its duration or error.",
  scopes: ["workspace:admin"],
  effect: "write",
  input: z.object({ role: z.enum(modelRoles) }),
  output: z.object({
    /** Null where the built-in one works. */
    modelId: z.string().nullable(),
    ms: z.int(),
    error: z.string().nullable()
  }),
  faults: [],
  run: ({ role }) =>
    Effect.gen(function* () {
      const { workspace } = yield* Caller
      const chosen = callOf(yield* modelsIn(workspace), role)
      if (Option.isNone(chosen)) return { modelId: null, ms: 0, error: null }
      const { call, modelId } = chosen.value
      const trial = call.pipe(
        Effect.map((usage) => ({ usage, error: null })),
        Effect.catchAll(({ message, usage }) => Effect.succeed({ usage, error: message })),
        Effect.timed
      )
      const [took, { error, usage }] = yield* counted(workspace, trial)
      yield* countUses(workspace, usage === undefined ? [] : [usage])
      return { modelId, ms: Math.round(Duration.toMillis(took)), error }
    })
})

const listTools = operation({
  name: "listTools",
  summary: "List the tools that agents of the workspace may use, by name.",
  scopes: ["kb:read", "agents:run"],
  effect: "read",
  input: z.object({}),
  output: z.object({
    items: z.array(z.object({ name: z.string(), description: z.string(), effect: z.string() }))
  }),
  faults: [],
  run: () =>
    Effect.gen(function* () {
      const { workspace } = yield* Caller
      const tools = yield* (yield* Toolbox).list(workspace)
      const items = tools.map(({ description, effect, name }) => ({ name, description, effect }))
      return { items: items.sort((a, b) => (a.name < b.name ? -1 : 1)) }
    })
})

/** Endpoints that the pages of models and agents need beside the operations. */
export const modelRows: ReadonlyArray<Row> = [
  row(testModel, "POST", "/console/models/{role}/test"),
  row(listTools, "GET", "/console/tools")
]
