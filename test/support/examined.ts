import type { Engine } from "../../core/index.js"
import type { Patient } from "./patient.js"

/** Opens a workspace and has it examined. */
export const examine = ({ using }: Patient, repair = false) => using((engine) => engine.doctor({ repair }))

/** What was met that must agree and does not. */
export const differences = ({ findings }: Awaited<ReturnType<Engine["doctor"]>>) =>
  findings.flatMap(({ code, repaired, severity, subject }) =>
    severity === "difference" ? [{ code, subject, repaired }] : []
  )
