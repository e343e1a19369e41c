import { type ReactNode, useState } from "react"
import { useLocation } from "wouter"
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

const text = entityText.merge

/** Proposes that another entity takes the place of one that somebody else answers for. */
export const ProposeMergeDialog = ({
  from,
  onClose
}: {
  readonly from: PickedEntity
  readonly onClose: () => void
}): ReactNode => {
  const [into, setInto] = useState<PickedEntity | null>(null)
  const [note, setNote] = useState("")
  const [, navigate] = useLocation()
  const toast = useToast()
  const propose = useChange("proposeChange", entityStale)
  const send = () => {
    if (into === null) return
    propose.mutate(
      {
        kind: "supersede",
        entityId: from.id,
        payload: { supersededBy: into.id },
        ...(note.trim() === "" ? {} : { note: note.trim() })
      },
      {
        onSuccess: ({ id }) => {
          onClose()
          toast({ text: entityText.done.proposed })
          navigate(`/requests/${id}`)
        }
      }
    )
  }
  return (
    <Dialog title={text.title(from.name)} onClose={onClose}>
      <p>{entityText.care.mergeText}</p>
      <EntityPicker label={text.into} picked={into} onPick={setInto} exclude={[from.id]} />
      <Field label={entityText.care.noteFor}>
        <textarea rows={2} dir="auto" value={note} onChange={(event) => setNote(event.target.value)} />
      </Field>
      <ErrorNote error={propose.error} />
      <div className="dialog-actions">
        <Button onClick={onClose}>{strings.actions.cancel}</Button>
        <Button
          kind="primary"
          busy={propose.isPending}
          reason={into === null ? entityText.picker.placeholder : undefined}
          onClick={send}
        >
          {entityText.care.submit}
        </Button>
      </div>
    </Dialog>
  )
}
