import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { WorkspaceScope } from "../../platform/kernel/index.js"
import { type ChatModel, modelsFor } from "../../platform/models/index.js"
import { type Settings, WorkspaceStore } from "../../platform/workspace/index.js"
import { planModel } from "./plan-model.js"

/**
 * The model that runs agents: the workspace's chat model, else the built-in plan. None where there is no chat model and
 * the built-in models are switched off, or the chat role is.
 */
export const agentsModel = (
  workspace: WorkspaceScope
): Effect.Effect<
  { readonly model: Option.Option<Context.Tag.Service<ChatModel>>; readonly settings: Settings },
  never,
  WorkspaceStore | Effect.Effect.Context<ReturnType<typeof modelsFor>>
> =>
  Effect.gen(function* () {
    const { settings } = yield* (yield* WorkspaceStore).get(workspace)
    const { builtIn, chat } = yield* modelsFor(workspace, settings.models)
    const { chat: choice, chatEnabled } = settings.models
    const isSwitchedOff = choice?.enabled === false || !chatEnabled
    return {
      settings,
      model: Option.isNone(chat) && builtIn && !isSwitchedOff ? Option.some(planModel) : chat
    }
  })
