import * as Option from "effect/Option"
import { addUsd, type ModelUse, type Usage } from "../models/index.js"
import type { ModelCost } from "./explain.js"

/** What a chat model or a judge used for one question. */
interface Told {
  readonly model: Option.Option<{ readonly modelId: string }>
  readonly usage: Usage
  readonly calls: number
}

/** What each model used for one question, those that were not called left out. Pure. */
export const modelCosts = (
  uses: ReadonlyArray<ModelUse>,
  chat: Told,
  judge: Told
): ReadonlyArray<ModelCost> => {
  const calls = [
    ...uses.map(({ modelId: model, role, ...usage }) => ({ role, model, calls: 1, ...usage })),
    ...told("chat", chat),
    ...told("judge", judge)
  ]
  const byModel = new Map<string, ModelCost>()
  for (const one of calls) {
    const key = JSON.stringify([one.role, one.model])
    const held = byModel.get(key)
    byModel.set(key, held === undefined ? one : together(held, one))
  }
  return [...byModel.values()]
}

const together = (a: ModelCost, b: ModelCost): ModelCost => ({
  role: a.role,
  model: a.model,
  calls: a.calls + b.calls,
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
  costUsd: addUsd(a.costUsd, b.costUsd),
  estimated: a.estimated || b.estimated
})

const told = (role: "chat" | "judge", { calls, model, usage }: Told): ReadonlyArray<ModelCost> =>
  Option.isNone(model) || (calls === 0 && usage.inputTokens + usage.outputTokens === 0)
    ? []
    : // A model that failed in the end was called all the same.
      [{ role, model: model.value.modelId, calls: Math.max(1, calls), ...usage }]
