import * as Effect from "effect/Effect"
import { PolicyStore } from "../../../../core/answers/policy/index.js"
import { serviceLayer } from "../../../../core/platform/kernel/index.js"
import { calibrations } from "../calibration/calibration-store.js"
import { decisions } from "./decision-log.js"

/** Stores decisions of the policy gate and calibrations in SQL. */
export const sqlPolicyStore = serviceLayer(PolicyStore, Effect.all({ decisions, calibrations }))
