import type { ReactNode } from "react"
import type { RunStep } from "../../../../server/client/index.js"
import { JsonView } from "../../components/json-view.js"
import { Badge, Person, Time } from "../../components/text.js"
import { runText as text } from "../../strings/runs.js"
import { ApprovalCard, approvalOf } from "./approval.js"

const tones = { pending: "info", ok: "good", error: "bad", denied: "warn", skipped: "neutral" } as const

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
    <ol className="timeline">
      {steps.map((step) => (
        <li key={step.id} data-testid="run-step" data-kind={step.kind} data-status={step.status}>
          {step.kind === "approval" ? <ApprovalStep runId={runId} step={step} /> : <PlainStep step={step} />}
        </li>
      ))}
    </ol>
  )

const StepHead = ({ step }: { readonly step: RunStep }): ReactNode => (
  <span className="row">
    <strong>{text.steps[step.kind]}</strong>
    {step.name !== null && <code>{step.name}</code>}
    {step.kind === "model_call" && step.modelId !== null && <span className="muted">{step.modelId}</span>}
    <Badge tone={tones[step.status]}>{text.stepStatuses[step.status]}</Badge>
    <span className="muted small">
      {[
        ...(step.latencyMs === null ? [] : [text.ms(step.latencyMs)]),
        ...(step.tokensIn + step.tokensOut === 0 ? [] : [text.stepTokens(step.tokensIn + step.tokensOut)]),
        ...(Number(step.costUsd) === 0 ? [] : [`${step.costUsd} USD`])
      ].join(" · ")}
    </span>
  </span>
)

const PlainStep = ({ step }: { readonly step: RunStep }): ReactNode => (
  <details>
    <summary>
      <StepHead step={step} />
      {step.error !== null && (
        <span className="step-error" dir="auto">
          {step.error.message}
        </span>
      )}
      <Said output={step.output} />
    </summary>
    {step.input !== null && (
      <>
        <h4>{text.input}</h4>
        <JsonView label={text.input} value={step.input} />
      </>
    )}
    {step.output !== null && (
      <>
        <h4>{text.output}</h4>
        <JsonView label={text.output} value={step.output} />
      </>
    )}
  </details>
)

/** The text of a model's step, in one line. */
const Said = ({ output }: { readonly output: RunStep["output"] }): ReactNode => {
  const said = output?.["text"]
  return typeof said === "string" && said !== "" ? (
    <span className="step-said clip" dir="auto">
      {said}
    </span>
  ) : null
}

const ApprovalStep = ({ runId, step }: { readonly runId: string; readonly step: RunStep }): ReactNode => {
  const approval = approvalOf(step)
  const decision = step.output?.["decision"]
  const decidedBy = step.output?.["decidedBy"]
  const decidedAt = step.output?.["decidedAt"]
  const note = step.output?.["note"]
  return (
    <>
      <StepHead step={step} />
      {step.status === "pending" && approval !== null ? (
        <ApprovalCard runId={runId} approval={approval} />
      ) : (
        <>
          <p className="muted">
            {typeof decision === "string" && text.approval.decided(decision)}{" "}
            {typeof decidedBy === "string" && <Person id={decidedBy} />}{" "}
            {typeof decidedAt === "string" && <Time at={decidedAt} />}
          </p>
          {typeof note === "string" && <blockquote dir="auto">{note}</blockquote>}
          {approval !== null && (
            <details>
              <summary>{text.approval.arguments}</summary>
              <JsonView label={text.approval.arguments} value={approval.arguments} />
            </details>
          )}
        </>
      )}
    </>
  )
}
