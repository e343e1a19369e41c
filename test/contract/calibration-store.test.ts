import * as Layer from "effect/Layer"
import { sqlCalibrationStore } from "../../adapters/sql/answers/calibration/calibration-store.js"
import { postgresBase } from "../support/postgres.js"
import { baseLayer } from "../support/run.js"
import { calibrationStoreContract } from "./calibration-store.js"

calibrationStoreContract("SQLite", () => Layer.provideMerge(sqlCalibrationStore, baseLayer()))
calibrationStoreContract("Postgres", () => Layer.provideMerge(sqlCalibrationStore, postgresBase()))
