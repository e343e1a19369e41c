import type { ReactNode } from "react"
import { approvalOf } from "../../../../react/approval.js"
import { englishRun, RunTimeline } from "../../../../react/run-timeline.js"
import type { RunStep } from "../../../../server/client/index.js"
import { Person, Time } from "../../components/text.js"
import { runText as text } from "../../strings/runs.js"
import { ApprovalCard } from "./approval.js"

const words = {
  ...englishRun,
  title: text.timeline,
  kinds: text.steps,
  statuses: text.stepStatuses,
  tokens: (input: number, output: number) => text.stepTokens(input + output),
  cost: (usd: string) => `${usd} USD`,
  duration: text.ms,
  input: text.input,
  output: text.output
}

/** The journal of a run, in order. Steps open to show what went in and came out. */
export const RunSteps = ({
  runId,
  steps
}: {
  readonly runId: string
  readonly steps: ReadonlyArray<RunStep>
}): ReactNode =>
  steps.length === 0 ? (
    <p className="muted">{text.noSteps}</p>
  ) : (
    <RunTimeline
      steps={steps}
      words={words}
      renderStep={(step) =>
        step.kind === "approval" ? <Approval runId={runId} step={step} /> : <Said step={step} />
      }
    />
  )

/** The text of a model's step, in one line. */
const Said = ({ step: { output } }: { readonly step: RunStep }): ReactNode => {
  const said = output?.["text"]
  return typeof said === "string" && said !== "" ? (
    <p className="step-said" dir="auto">
      {said}
    </p>
  ) : null
}

const Approval = ({ runId, step }: { readonly runId: string; readonly step: RunStep }): ReactNode => {
  const approval = approvalOf(step)
  if (step.status === "pending" && approval !== null)
    return <ApprovalCard runId={runId} approval={approval} />
  const { decidedAt, decidedBy, decision, note } = step.output ?? {}
  return (
    <>
      <p className="muted">
        {typeof decision === "string" && text.approval.decided(decision)}{" "}
        {typeof decidedBy === "string" && <Person id={decidedBy} />}{" "}
        {typeof decidedAt === "string" && <Time at={decidedAt} />}
      </p>
      {typeof note === "string" && note !== "" && <blockquote dir="auto">{note}</blockquote>}
    </>
  )
}
