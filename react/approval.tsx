import { type ReactNode, useState } from "react"
import type { RunStep } from "../server/client/index.js"

/** A tool call that waits for a decision. */
export interface PendingCall {
  readonly approvalId: string
  readonly toolName: string
  readonly arguments: unknown
  readonly reason: string | null
  readonly expiresAt: string | null
  /** A unified diff of what the call would change; null where the tool tells none. */
  readonly diff: string | null
}

/** A decision about a tool call, as `approveRunStep` takes it. */
export interface RunDecision {
  readonly approvalId: string
  readonly decision: "allow" | "deny"
  readonly note?: string
}

/** Reads the approval of a step; null for one that holds none. */
export const approvalOf = ({ input, name }: RunStep): PendingCall | null => {
  const approvalId = input?.["approvalId"]
  if (input === null || typeof approvalId !== "string") return null
  const preview = input["preview"]
  const diff = typeof preview === "object" && preview !== null && "diff" in preview ? preview.diff : null
  const [reason, expiresAt, toolName] = [input["reason"], input["expiresAt"], input["toolName"]]
  return {
    approvalId,
    toolName: typeof toolName === "string" ? toolName : (name ?? ""),
    arguments: input["arguments"],
    reason: typeof reason === "string" ? reason : null,
    expiresAt: typeof expiresAt === "string" ? expiresAt : null,
    diff: typeof diff === "string" && diff !== "" ? diff : null
  }
}

/** Texts of the decision about a tool call. */
export interface DecisionWords {
  readonly ask: (toolName: string) => string
  readonly allow: string
  readonly deny: string
  readonly change: string
  readonly arguments: string
}

/** What would be called and what it would change, with the buttons that decide. */
export const Decision = ({
  call,
  onDecide,
  words
}: {
  readonly call: PendingCall
  readonly onDecide: (decision: RunDecision) => Promise<void> | void
  readonly words: DecisionWords
}): ReactNode => {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const decide = (decision: RunDecision["decision"]) => async () => {
    setBusy(true)
    setError(null)
    try {
      await onDecide({ approvalId: call.approvalId, decision })
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : String(failure))
    } finally {
      setBusy(false)
    }
  }
  return (
    <div data-testid="approval">
      <p dir="auto">{call.reason ?? words.ask(call.toolName)}</p>
      <figure aria-label={call.diff === null ? words.arguments : words.change}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls has to be reachable by keyboard. */}
        <pre tabIndex={0} dir="auto" data-testid={call.diff === null ? undefined : "approval-diff"}>
          {call.diff ?? JSON.stringify(call.arguments, undefined, 2)}
        </pre>
      </figure>
      {error !== null && (
        <p className="kanon-error" role="alert">
          {error}
        </p>
      )}
      <p className="kanon-decision">
        <button type="button" data-testid="approval-allow" disabled={isBusy} onClick={decide("allow")}>
          {words.allow}
        </button>
        <button type="button" data-testid="approval-deny" disabled={isBusy} onClick={decide("deny")}>
          {words.deny}
        </button>
      </p>
    </div>
  )
}
