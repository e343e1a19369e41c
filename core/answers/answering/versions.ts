import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { WorkspaceScope } from "../../platform/kernel/index.js"
import { modelsFor, type WorkspaceModels } from "../../platform/models/index.js"
import { type Settings, WorkspaceStore } from "../../platform/workspace/index.js"
import { extractiveModelId } from "../extractive/index.js"
import { promptVersion } from "../generation/index.js"
import { verifierId } from "../grounding/index.js"
import { Calibrations, type RunningPipeline } from "../policy/index.js"

/** Raised when the pipeline changes in a way that moves confidences: a calibration was fitted for one of them. */
export const pipelineVersion = "pipeline-2"

/** Names and versions of what answers of the workspace follow. */
const runningPipeline = ({ chat, embedder, judge, reranker }: WorkspaceModels): RunningPipeline => ({
  chat: idOf(chat) ?? extractiveModelId,
  embedder: idOf(embedder),
  reranker: idOf(reranker),
  judge: idOf(judge) ?? verifierId,
  prompt: promptVersion,
  verifier: verifierId,
  pipeline: pipelineVersion
})

const idOf = (model: Option.Option<{ readonly modelId: string }>): string | null =>
  Option.match(model, { onNone: () => null, onSome: ({ modelId }) => modelId })

/** The same with the calibration that judges them, as answers that are given again must share it. */
export const versionsOf = (running: RunningPipeline, calibration: { readonly version: string }) => ({
  ...running,
  calibration: calibration.version
})

/** Returns the models, the pipeline and the calibration that answer the questions of a workspace. */
export const answeringSetup = (workspace: WorkspaceScope, settings: Settings) =>
  Effect.gen(function* () {
    const models = yield* modelsFor(workspace, settings.models)
    const running = runningPipeline(models)
    const calibration = yield* (yield* Calibrations).active(workspace, running, settings.policy.risk)
    return { models, running, calibration }
  })

/** Names and versions of all that answers of the workspace follow at present. */
export const answerVersions = (workspace: WorkspaceScope) =>
  Effect.gen(function* () {
    const { settings } = yield* (yield* WorkspaceStore).get(workspace)
    const { calibration, running } = yield* answeringSetup(workspace, settings)
    return versionsOf(running, calibration)
  })
