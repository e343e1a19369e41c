import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Option } from "effect/Option"
import type { WorkspaceScope } from "../kernel/index.js"
import type { Artefact } from "./model.js"

/** A calibration as it is kept: what it is never changes, only whether it is the one in use. */
export interface StoredCalibration {
  readonly version: string
  readonly artefact: Artefact
  readonly createdBy: string
  readonly createdAt: string
  readonly active: boolean
}

/** The calibrations of workspaces, one of them in use or none. */
export class CalibrationStore extends Context.Tag("kanon/CalibrationStore")<
  CalibrationStore,
  {
    /** Keeps calibrations in the caller's unit of work, as they are; of those that stand already nothing changes. */
    readonly add: (
      workspace: WorkspaceScope,
      calibrations: ReadonlyArray<StoredCalibration>
    ) => Effect.Effect<void>
    /** Puts one in use and every other out of it, in the caller's unit of work; nothing where it is not kept. */
    readonly activate: (workspace: WorkspaceScope, version: string) => Effect.Effect<void>
    /** The one in use. */
    readonly active: (workspace: WorkspaceScope) => Effect.Effect<Option<StoredCalibration>>
  }
>() {}
