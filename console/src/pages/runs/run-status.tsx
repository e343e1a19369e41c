import type { ReactNode } from "react"
import type { RunStatus } from "../../../../server/client/index.js"
import { Badge } from "../../components/text.js"
import { runText } from "../../strings/runs.js"

/** Colour of each state of an agent run. */
const tones = {
  queued: "neutral",
  running: "info",
  succeeded: "good",
  failed: "bad",
  budget_exceeded: "bad",
  interrupted: "warn",
  suspended: "warn"
} as const

export const RunStatusBadge = ({ status }: { readonly status: RunStatus }): ReactNode => (
  <Badge tone={tones[status]} data-testid="run-status" data-status={status}>
    {runText.statuses[status]}
  </Badge>
)
