import type * as Effect from "effect/Effect"
import type { Option } from "effect/Option"
import type { WorkspaceScope } from "../../platform/kernel/index.js"
import type { Artefact } from "./model.js"

/** A stored calibration. Its content never changes, only whether it is active. */
export interface StoredCalibration {
  readonly version: string
  readonly artefact: Artefact
  readonly createdBy: string
  readonly createdAt: string
  readonly active: boolean
}

/** Stores the calibrations of workspaces, at most one of them active. */
export interface CalibrationStore {
  /** Adds calibrations in the caller's unit of work; existing ones do not change. */
  readonly add: (
    workspace: WorkspaceScope,
    calibrations: ReadonlyArray<StoredCalibration>
  ) => Effect.Effect<void>
  /**
   * Activates one calibration and deactivates all others, in the caller's unit of work; does nothing if it is not
   * stored.
   */
  readonly activate: (workspace: WorkspaceScope, version: string) => Effect.Effect<void>
  /** Returns the active calibration. */
  readonly active: (workspace: WorkspaceScope) => Effect.Effect<Option<StoredCalibration>>
}
