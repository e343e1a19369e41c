import { type ReactNode, useState } from "react"
import type { PendingCall } from "../../../../react/approval.js"
import { useChange } from "../../api/hooks.js"
import { useScopeReason } from "../../api/session.js"
import { Button } from "../../components/button.js"
import { ErrorNote } from "../../components/error.js"
import { JsonView, UnifiedDiff } from "../../components/json-view.js"
import { useKeys } from "../../components/keyboard.js"
import { Field } from "../../components/page.js"
import { Time } from "../../components/text.js"
import { useToast } from "../../components/toast.js"
import { runText } from "../../strings/runs.js"

const text = runText.approval

/** Shows exactly what would be called and what it would change, and takes the decision. */
export const ApprovalCard = ({
  approval,
  onDecided,
  runId
}: {
  readonly runId: string
  readonly approval: PendingCall
  readonly onDecided?: () => void
}): ReactNode => {
  const scopeReason = useScopeReason("agents:run")
  const [note, setNote] = useState("")
  const toast = useToast()
  const decide = useChange("approveRunStep", ["getRun", "listRuns", "inbox"])
  const run = (decision: "allow" | "deny") =>
    decide.mutate(
      {
        id: runId,
        approvalId: approval.approvalId,
        decision,
        ...(note.trim() === "" ? {} : { note: note.trim() })
      },
      {
        onSuccess: () => {
          toast({ text: decision === "allow" ? text.allowed : text.denied })
          onDecided?.()
        }
      }
    )
  const isFree = scopeReason === undefined && !decide.isPending
  useKeys({
    a: () => {
      if (isFree) run("allow")
    },
    r: () => {
      if (isFree) run("deny")
    }
  })
  return (
    <section className="panel approval" aria-label={text.title}>
      <h3>{text.title}</h3>
      <p dir="auto">{approval.reason ?? text.tool(approval.toolName)}</p>
      <p>
        <code>{approval.toolName}</code>
        {approval.expiresAt !== null && (
          <span className="muted">
            {" "}
            · {text.expires} <Time at={approval.expiresAt} form="exact" />
          </span>
        )}
      </p>
      <h4>{text.diff}</h4>
      {approval.diff === null ? (
        <p className="muted" data-testid="approval-diff">
          {text.noDiff}
        </p>
      ) : (
        <UnifiedDiff label={text.diff} text={approval.diff} testId="approval-diff" />
      )}
      <h4>{text.arguments}</h4>
      <JsonView label={text.arguments} value={approval.arguments} />
      <Field label={text.note}>
        <input dir="auto" maxLength={4000} value={note} onChange={(event) => setNote(event.target.value)} />
      </Field>
      <ErrorNote error={decide.error} />
      <p className="button-row">
        <Button
          kind="primary"
          data-testid="approval-allow"
          reason={scopeReason}
          busy={decide.isPending}
          onClick={() => run("allow")}
        >
          {text.allow}
        </Button>
        <Button
          data-testid="approval-deny"
          reason={scopeReason}
          busy={decide.isPending}
          onClick={() => run("deny")}
        >
          {text.deny}
        </Button>
      </p>
    </section>
  )
}
