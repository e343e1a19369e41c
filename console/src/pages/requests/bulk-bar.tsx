import { type ReactNode, useState } from "react"
import { callOperation, useRefresh } from "../../api/hooks.js"
import { Button } from "../../components/button.js"
import { useConfirm } from "../../components/dialog.js"
import { describeError } from "../../components/error.js"
import { useToast } from "../../components/toast.js"
import { requestText } from "../../strings/requests.js"
import { entityStale } from "../entities/stale.js"

const text = requestText.bulk

/** Decides several requests. Each is its own transaction; those that fail are told with the reason and stay open. */
export const BulkBar = ({
  onSelect,
  reason,
  selected,
  shown
}: {
  readonly selected: ReadonlySet<string>
  readonly onSelect: (ids: ReadonlySet<string>) => void
  /** Open requests that can be selected together. */
  readonly shown: ReadonlyArray<string>
  readonly reason: string | undefined
}): ReactNode => {
  const confirm = useConfirm()
  const toast = useToast()
  const refresh = useRefresh()
  const [failures, setFailures] = useState<ReadonlyArray<{ readonly id: string; readonly why: string }>>([])
  const ids = [...selected]
  const decide = (name: "approveChangeRequest" | "rejectChangeRequest") => async () => {
    const failed: Array<{ readonly id: string; readonly why: string }> = []
    for (const id of ids)
      try {
        await callOperation(name, { id })
      } catch (error) {
        failed.push({ id, why: describeError(error).text })
      }
    setFailures(failed)
    onSelect(new Set(failed.map(({ id }) => id)))
    await refresh(entityStale)
    toast({ text: text.result(ids.length - failed.length, ids.length) })
  }
  if (ids.length === 0 && failures.length === 0)
    return shown.length < 2 ? null : (
      <p className="bulk-bar">
        <Button size="small" kind="quiet" onClick={() => onSelect(new Set(shown))}>
          {text.all}
        </Button>
      </p>
    )
  return (
    <div className="bulk-bar" role="status">
      <span>{text.selected(ids.length)}</span>
      <Button
        size="small"
        kind="primary"
        reason={reason}
        onClick={() =>
          confirm({
            title: text.confirmApprove(ids.length),
            text: text.text,
            action: text.approve(ids.length),
            run: decide("approveChangeRequest")
          })
        }
      >
        {text.approve(ids.length)}
      </Button>
      <Button
        size="small"
        reason={reason}
        onClick={() =>
          confirm({
            title: text.confirmReject(ids.length),
            text: text.text,
            action: text.reject(ids.length),
            danger: true,
            run: decide("rejectChangeRequest")
          })
        }
      >
        {text.reject(ids.length)}
      </Button>
      <Button
        size="small"
        kind="quiet"
        onClick={() => {
          onSelect(new Set())
          setFailures([])
        }}
      >
        {text.none}
      </Button>
      {failures.length > 0 && (
        <ul className="error-note">
          {failures.map(({ id, why }) => (
            <li key={id}>
              {text.failed} <code>{id}</code>: {why}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
