import * as Effect from "effect/Effect"
import type { WorkspaceScope } from "../kernel/index.js"
import { WorkspaceStore } from "../workspace/index.js"
import type { DataLimits } from "./live-databases.js"
import type { ConnectorLimits } from "./model.js"

/** The caps of the workspace, lowered by those of the connector. */
export const effectiveLimits = (
  workspace: WorkspaceScope,
  { rowCap, timeoutMs }: ConnectorLimits
): Effect.Effect<DataLimits, never, WorkspaceStore> =>
  Effect.gen(function* () {
    const { caps } = (yield* (yield* WorkspaceStore).get(workspace)).settings
    return {
      rowCap: Math.min(caps.dataRows, rowCap ?? caps.dataRows),
      maxBytes: caps.dataBytes,
      timeoutMs: Math.min(caps.dataTimeoutMs, timeoutMs ?? caps.dataTimeoutMs)
    }
  })
