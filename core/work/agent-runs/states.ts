import { z } from "zod"

/** Where a run stands. */
export const RunStatus = z.enum([
  "queued",
  "running",
  "succeeded",
  "failed",
  "budget_exceeded",
  "interrupted",
  "suspended"
])
export type RunStatus = z.infer<typeof RunStatus>
