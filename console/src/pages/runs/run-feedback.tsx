import { type ReactNode, useState } from "react"
import type { Feedback } from "../../../../server/client/index.js"
import { useChange } from "../../api/hooks.js"
import { useScopeReason } from "../../api/session.js"
import { Button } from "../../components/button.js"
import { ErrorNote } from "../../components/error.js"
import { Field } from "../../components/page.js"
import { Person, Time } from "../../components/text.js"
import { useToast } from "../../components/toast.js"
import { runText } from "../../strings/runs.js"

const text = runText.feedback

/** Says what a run was worth; what was said before stands above. */
export const RunFeedback = ({
  given,
  runId
}: {
  readonly runId: string
  readonly given: ReadonlyArray<Feedback>
}): ReactNode => {
  const scopeReason = useScopeReason("agents:run")
  const toast = useToast()
  const [correction, setCorrection] = useState<string | null>(null)
  const add = useChange("addRunFeedback", ["listRuns", "inbox", "proposeQrels"])
  const thank = { onSuccess: () => toast({ text: text.thanks }) }
  return (
    <section className="panel" data-testid="feedback">
      <h2>{text.title}</h2>
      {given.length > 0 && (
        <ul className="stack tight">
          {given.map((one) => (
            <li key={one.id}>
              {text.kinds[one.kind]}: <span dir="auto">{feedbackValue(one.value)}</span>{" "}
              <span className="muted">
                <Person id={one.createdBy} />, <Time at={one.createdAt} />
              </span>
            </li>
          ))}
        </ul>
      )}
      <p className="button-row">
        <Button
          reason={scopeReason}
          busy={add.isPending}
          onClick={() => add.mutate({ id: runId, kind: "thumb", value: { thumb: "up" } }, thank)}
        >
          {text.up}
        </Button>
        <Button
          reason={scopeReason}
          busy={add.isPending}
          onClick={() => add.mutate({ id: runId, kind: "thumb", value: { thumb: "down" } }, thank)}
        >
          {text.down}
        </Button>
        <Button reason={scopeReason} onClick={() => setCorrection(correction === null ? "" : null)}>
          {text.correct}
        </Button>
      </p>
      {correction !== null && (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            add.mutate(
              { id: runId, kind: "correction", value: { text: correction.trim() } },
              {
                onSuccess: () => {
                  setCorrection(null)
                  thank.onSuccess()
                }
              }
            )
          }}
        >
          <Field label={text.correction}>
            <textarea
              required
              rows={3}
              dir="auto"
              value={correction}
              onChange={(event) => setCorrection(event.target.value)}
            />
          </Field>
          <Button type="submit" kind="primary" busy={add.isPending}>
            {text.send}
          </Button>
        </form>
      )}
      <ErrorNote error={add.error} />
    </section>
  )
}

/** A value of feedback in words. */
export const feedbackValue = (value: unknown): string => {
  if (typeof value !== "object" || value === null) return String(value)
  return Object.values(value)
    .map((part) =>
      typeof part === "string" || typeof part === "number" ? String(part) : JSON.stringify(part)
    )
    .join(" → ")
}
