import { type ReactNode, useState } from "react"
import { useLocation } from "wouter"
import type { RequestKind } from "../../../../server/client/index.js"
import { useChange } from "../../api/hooks.js"
import { Button } from "../../components/button.js"
import { Dialog } from "../../components/dialog.js"
import { EntityPicker, type PickedEntity } from "../../components/entity-picker.js"
import { ErrorNote } from "../../components/error.js"
import { Field } from "../../components/page.js"
import { useToast } from "../../components/toast.js"
import { requestText } from "../../strings/requests.js"
import { strings } from "../../strings.js"

const text = requestText.form

/** Proposes a change of an entity, or a new one. */
export const ProposeDialog = ({
  entity: given = null,
  onClose
}: {
  readonly entity?: PickedEntity | null
  readonly onClose: () => void
}): ReactNode => {
  const [kind, setKind] = useState<RequestKind>(given === null ? "create" : "update")
  const [entity, setEntity] = useState(given)
  const [successor, setSuccessor] = useState<PickedEntity | null>(null)
  const [, navigate] = useLocation()
  const toast = useToast()
  const propose = useChange("proposeChange", ["listChangeRequests", "inbox"])
  const hasFields = kind === "create" || kind === "update"
  const missing =
    kind !== "create" && entity === null
      ? text.pickEntity
      : kind === "supersede" && successor === null
        ? text.pickSuccessor
        : undefined
  const submit = async (form: FormData) => {
    const fields = Object.fromEntries(
      ["name", "type", "description"].flatMap((name) => {
        const value = String(form.get(name) ?? "").trim()
        return value === "" ? [] : [[name, value]]
      })
    )
    const note = String(form.get("note") ?? "").trim()
    const made = await propose
      .mutateAsync({
        kind,
        ...(kind === "create" || entity === null ? {} : { entityId: entity.id }),
        payload: hasFields
          ? fields
          : successor !== null && kind === "supersede"
            ? { supersededBy: successor.id }
            : {},
        ...(note === "" ? {} : { note })
      })
      .catch(() => null)
    if (made === null) return
    onClose()
    toast({ text: requestText.done.proposed })
    navigate(`/requests/${made.id}`)
  }
  return (
    <Dialog title={requestText.propose} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (missing === undefined) void submit(new FormData(event.currentTarget))
        }}
      >
        <Field label={text.kind}>
          <select value={kind} onChange={(event) => setKind(event.target.value as RequestKind)}>
            {Object.entries(requestText.kinds).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </Field>
        {kind !== "create" && <EntityPicker label={text.entity} picked={entity} onPick={setEntity} />}
        {kind === "supersede" && (
          <EntityPicker
            label={text.successor}
            picked={successor}
            onPick={setSuccessor}
            exclude={entity === null ? [] : [entity.id]}
          />
        )}
        {hasFields && (
          <>
            <Field label={text.name} {...(kind === "update" ? { hint: text.keep } : {})}>
              <input name="name" dir="auto" required={kind === "create"} maxLength={400} />
            </Field>
            <Field label={text.type}>
              <input name="type" dir="auto" required={kind === "create"} maxLength={120} />
            </Field>
            <Field label={text.description}>
              <textarea name="description" rows={4} dir="auto" />
            </Field>
          </>
        )}
        <Field label={text.note}>
          <textarea name="note" rows={2} maxLength={4000} dir="auto" />
        </Field>
        <ErrorNote error={propose.error} />
        <div className="dialog-actions">
          <Button onClick={onClose}>{strings.actions.cancel}</Button>
          <Button kind="primary" type="submit" reason={missing} busy={propose.isPending}>
            {text.submit}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
