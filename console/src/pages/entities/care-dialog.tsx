import { type ReactNode, useState } from "react"
import type { EntityWithCuration } from "../../../../server/client/index.js"
import { callOperation, useChange, useRefresh } from "../../api/hooks.js"
import { Button } from "../../components/button.js"
import { Dialog } from "../../components/dialog.js"
import { ErrorNote } from "../../components/error.js"
import { PersonSelect, useMembers } from "../../components/person-picker.js"
import { useToast } from "../../components/toast.js"
import { entityText as text } from "../../strings/entities.js"
import { strings } from "../../strings.js"
import { entityStale } from "./stale.js"

/** Owner and stewards; they alone then decide about proposed changes. */
export const CareDialog = ({
  entity: { curation, id },
  onClose
}: {
  readonly entity: EntityWithCuration
  readonly onClose: () => void
}): ReactNode => {
  const toast = useToast()
  const refresh = useRefresh()
  const members = useMembers()
  const [ownerId, setOwnerId] = useState(curation.ownerId ?? "")
  const [stewards, setStewards] = useState<ReadonlySet<string>>(new Set(curation.stewardIds))
  const change = useChange("setOwner", entityStale)
  const choices = [
    ...members,
    ...curation.stewardIds
      .filter((steward) => !members.some((member) => member.id === steward))
      .map((steward) => ({ id: steward, name: steward }))
  ]
  const save = () =>
    change.mutate(
      { id, ownerId: ownerId === "" ? null : ownerId, stewardIds: [...stewards] },
      {
        onSuccess: () => {
          onClose()
          toast({
            text: text.done.care,
            undo: async () => {
              await callOperation("setOwner", {
                id,
                ownerId: curation.ownerId,
                stewardIds: curation.stewardIds
              })
              await refresh(entityStale)
            }
          })
        }
      }
    )
  return (
    <Dialog title={text.verbs.care} onClose={onClose}>
      <PersonSelect
        label={text.curation.owner}
        value={ownerId}
        onChange={setOwnerId}
        nobody={text.curation.nobody}
      />
      <fieldset className="checks">
        <legend>{text.curation.stewards}</legend>
        {choices.map(({ id: one, name }) => (
          <label key={one}>
            <input
              type="checkbox"
              checked={stewards.has(one)}
              onChange={(event) => {
                const next = new Set(stewards)
                if (event.target.checked) next.add(one)
                else next.delete(one)
                setStewards(next)
              }}
            />
            <span dir="auto">{name}</span>
          </label>
        ))}
      </fieldset>
      <ErrorNote error={change.error} />
      <div className="dialog-actions">
        <Button onClick={onClose}>{strings.actions.cancel}</Button>
        <Button kind="primary" busy={change.isPending} onClick={save}>
          {strings.actions.save}
        </Button>
      </div>
    </Dialog>
  )
}
