import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { WorkspaceScope } from "../kernel/index.js"
import { Models } from "../models/index.js"
import { extractiveModelId } from "./extractive.js"
import { verifierId } from "./grounding.js"
import { promptVersion } from "./prompt.js"

/** Names and versions of all that answers of the workspace follow at present. */
export const answerVersions = (_workspace: WorkspaceScope) =>
  Effect.map(Models, ({ chat }) => ({
    chat: Option.match(chat, { onNone: () => extractiveModelId, onSome: ({ modelId }) => modelId }),
    judge: verifierId,
    prompt: promptVersion
  }))
