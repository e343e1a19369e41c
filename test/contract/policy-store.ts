import type * as Layer from "effect/Layer"
import type { PolicyStore } from "../../core/answers/policy/index.js"
import type { Atomic, Ids } from "../../core/platform/kernel/index.js"
import type { WorkspaceStore } from "../../core/platform/workspace/index.js"
import { calibrationStoreLaws } from "./calibration-store.js"
import { decisionLogLaws } from "./decision-log.js"

/** The laws of `PolicyStore`. `layer` gives an empty store each time. */
export const policyStoreContract = <E>(
  name: string,
  layer: () => Layer.Layer<PolicyStore | WorkspaceStore | Atomic | Ids, E>
): void => {
  decisionLogLaws(name, layer)
  calibrationStoreLaws(name, layer)
}
