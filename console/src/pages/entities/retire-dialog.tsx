import { type ReactNode, useState } from "react"
import { useLocation } from "wouter"
import type { EntityWithCuration } from "../../../../server/client/index.js"
import { useChange } from "../../api/hooks.js"
import { Button } from "../../components/button.js"
import { Dialog } from "../../components/dialog.js"
import { EntityPicker, type PickedEntity } from "../../components/entity-picker.js"
import { ErrorNote } from "../../components/error.js"
import { Field } from "../../components/page.js"
import { useToast } from "../../components/toast.js"
import { entityText } from "../../strings/entities.js"
import { strings } from "../../strings.js"
import { entityStale } from "./stale.js"

const text = entityText.retire

/** Retires an entity, in favour of a successor if one is named. */
export const RetireDialog = ({
  entity: { id, name },
  isProposal,
  onClose
}: {
  readonly entity: EntityWithCuration
  /** Somebody else answers for it: this is proposed. */
  readonly isProposal: boolean
  readonly onClose: () => void
}): ReactNode => {
  const [successor, setSuccessor] = useState<PickedEntity | null>(null)
  const [note, setNote] = useState("")
  const toast = useToast()
  const change = useChange("deprecateEntity", entityStale)
  const propose = useChange("proposeChange", entityStale)
  const [, navigate] = useLocation()
  const reason = note.trim() === "" ? {} : { note: note.trim() }
  const runProposal = () =>
    propose.mutate(
      successor === null
        ? { kind: "deprecate", entityId: id, payload: reason, ...reason }
        : { kind: "supersede", entityId: id, payload: { supersededBy: successor.id, ...reason }, ...reason },
      {
        onSuccess: (made) => {
          onClose()
          toast({ text: entityText.done.proposed })
          navigate(`/requests/${made.id}`)
        }
      }
    )
  const run = () =>
    change.mutate(
      {
        id,
        ...(successor === null ? {} : { supersededBy: successor.id }),
        ...reason
      },
      {
        onSuccess: () => {
          onClose()
          toast({ text: entityText.done.retired(name) })
        }
      }
    )
  return (
    <Dialog title={text.title(name)} onClose={onClose}>
      <p>{text.text}</p>
      <EntityPicker
        label={text.successor}
        hint={text.successorHint}
        picked={successor}
        onPick={setSuccessor}
        exclude={[id]}
      />
      <Field label={text.note}>
        <textarea rows={2} dir="auto" value={note} onChange={(event) => setNote(event.target.value)} />
      </Field>
      <ErrorNote error={change.error ?? propose.error} />
      <div className="dialog-actions">
        <Button onClick={onClose}>{strings.actions.cancel}</Button>
        <span data-testid="confirm">
          {isProposal ? (
            <Button kind="primary" busy={propose.isPending} onClick={runProposal}>
              {entityText.care.submit}
            </Button>
          ) : (
            <Button kind="danger" busy={change.isPending} onClick={run}>
              {text.action}
            </Button>
          )}
        </span>
      </div>
    </Dialog>
  )
}
