import type { ReactNode } from "react"
import type { RunStep } from "../server/client/index.js"
import { approvalOf, Decision, type DecisionWords, type RunDecision } from "./approval.js"

/** Texts of `RunTimeline`, for translation. */
export interface RunWords {
  readonly title: string
  readonly kinds: Readonly<Record<RunStep["kind"], string>>
  readonly statuses: Readonly<Record<RunStep["status"], string>>
  readonly tokens: (input: number, output: number) => string
  readonly cost: (usd: string) => string
  readonly duration: (ms: number) => string
  readonly input: string
  readonly output: string
  readonly decision: DecisionWords
}

export const englishRun: RunWords = {
  title: "Steps",
  kinds: {
    model_call: "Model",
    tool_call: "Tool",
    mcp_call: "MCP tool",
    guardrail: "Guardrail",
    approval: "Approval",
    retry: "Retry"
  },
  statuses: { pending: "under way", ok: "done", error: "failed", denied: "denied", skipped: "skipped" },
  tokens: (input, output) => `${input} + ${output} tokens`,
  cost: (usd) => `$${usd}`,
  duration: (ms) => (ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`),
  input: "Input",
  output: "Output",
  decision: {
    ask: (toolName) => `The agent asks to call ${toolName}.`,
    allow: "Allow",
    deny: "Deny",
    change: "What it would change",
    arguments: "Arguments"
  }
}

/**
 * The steps of a run in order. With `onDecide` a call that waits is shown with the buttons that allow and deny it;
 * `renderStep` adds to a step.
 */
export const RunTimeline = ({
  steps,
  words = englishRun,
  onDecide,
  renderStep
}: {
  readonly steps: ReadonlyArray<RunStep>
  readonly words?: RunWords
  /** Takes a decision about a waiting call: `decide` of `useRun`. */
  readonly onDecide?: ((decision: RunDecision) => Promise<void> | void) | undefined
  readonly renderStep?: ((step: RunStep) => ReactNode) | undefined
}): ReactNode => (
  <ol className="kanon-timeline" aria-label={words.title}>
    {steps.map((step) => (
      <li key={step.id} data-testid="run-step" data-kind={step.kind} data-status={step.status}>
        <p className="kanon-step-head">
          <strong>{words.kinds[step.kind]}</strong>
          {step.name !== null && <bdi dir="auto">{step.name}</bdi>}
          <span className="kanon-step-status">{words.statuses[step.status]}</span>
          {step.latencyMs !== null && <span>{words.duration(step.latencyMs)}</span>}
          {step.tokensIn + step.tokensOut > 0 && <span>{words.tokens(step.tokensIn, step.tokensOut)}</span>}
          {Number(step.costUsd) > 0 && <span>{words.cost(step.costUsd)}</span>}
        </p>
        {step.error !== null && (
          <p className="kanon-step-error" dir="auto">
            {step.error.message}
          </p>
        )}
        {onDecide !== undefined && <Waiting step={step} onDecide={onDecide} words={words.decision} />}
        {renderStep?.(step)}
        <StepData label={words.input} value={step.input} />
        <StepData label={words.output} value={step.output} />
      </li>
    ))}
  </ol>
)

const Waiting = ({
  onDecide,
  step,
  words
}: {
  readonly step: RunStep
  readonly onDecide: (decision: RunDecision) => Promise<void> | void
  readonly words: DecisionWords
}): ReactNode => {
  const call = step.kind === "approval" && step.status === "pending" ? approvalOf(step) : null
  return call === null ? null : <Decision call={call} onDecide={onDecide} words={words} />
}

const StepData = ({ label, value }: { readonly label: string; readonly value: unknown }): ReactNode => {
  if (value === null || value === undefined) return null
  return (
    <details>
      <summary>{label}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls has to be reachable by keyboard. */}
      <pre tabIndex={0} dir="auto">
        {JSON.stringify(value, undefined, 2)}
      </pre>
    </details>
  )
}
