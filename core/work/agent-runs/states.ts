import { z } from "zod"

/** Status of a run. */
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
