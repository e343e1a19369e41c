import { type ReactNode, useState } from "react"
import { useLocation } from "wouter"
import { callOperation, useOperation, useRefresh } from "../../api/hooks.js"
import { Button } from "../../components/button.js"
import { AuthorityBadge } from "../../components/curation-badges.js"
import { Dialog } from "../../components/dialog.js"
import { EntityPicker, type PickedEntity } from "../../components/entity-picker.js"
import { ErrorNote } from "../../components/error.js"
import { Field } from "../../components/page.js"
import { Loading } from "../../components/states.js"
import { Content } from "../../components/text.js"
import { useToast } from "../../components/toast.js"
import { entityText } from "../../strings/entities.js"
import { strings } from "../../strings.js"
import { entityStale } from "./stale.js"

const text = entityText.merge

/** Merges an entity into another, in either direction. A dry run shows the exact effect before anything changes. */
export const MergeDialog = ({
  from: givenFrom,
  into: givenInto = null,
  onClose,
  onMerged
}: {
  readonly from: PickedEntity
  readonly into?: PickedEntity | null
  readonly onClose: () => void
  /** Left out, the page of the remaining entity opens. */
  readonly onMerged?: () => void
}): ReactNode => {
  const [from, setFrom] = useState(givenFrom)
  const [into, setInto] = useState(givenInto)
  const [note, setNote] = useState("")
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const toast = useToast()
  const refresh = useRefresh()
  const [, navigate] = useLocation()
  const preview = useOperation(
    "mergeEntity",
    { id: from.id, intoId: into?.id ?? from.id, dryRun: true },
    { enabled: into !== null }
  )
  const merge = async () => {
    if (into === null) return
    setBusy(true)
    setError(null)
    try {
      await callOperation("mergeEntity", {
        id: from.id,
        intoId: into.id,
        ...(note.trim() === "" ? {} : { note: note.trim() })
      })
      onClose()
      if (onMerged === undefined) navigate(`/entities/${into.id}`)
      else onMerged()
      await refresh(entityStale)
      toast({
        text: entityText.done.merged(from.name, into.name),
        undo: async () => {
          await callOperation("restoreFromTrash", { id: from.id })
          await refresh(entityStale)
        }
      })
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }
  const blocked =
    into === null ? entityText.picker.placeholder : preview.isPending ? strings.loading : undefined
  return (
    <Dialog title={text.title(from.name)} onClose={onClose}>
      <EntityPicker label={text.into} picked={into} onPick={setInto} exclude={[from.id]} />
      {into !== null && (
        <>
          <div className="two-sides" data-testid="merge-sides">
            <Side id={from.id} title={text.goes} />
            <Side id={into.id} title={text.stays} />
          </div>
          <p>
            <Button
              size="small"
              data-testid="merge-turn"
              onClick={() => {
                setFrom(into)
                setInto(from)
              }}
            >
              {text.turn}
            </Button>
          </p>
        </>
      )}
      {into !== null && (
        <section className="callout" data-testid="merge-preview">
          <h3>{text.preview}</h3>
          {preview.isPending && <Loading />}
          <ErrorNote error={preview.error} />
          {preview.data !== undefined && (
            <ul>
              <li>{text.mentions(preview.data.movedMentions)}</li>
              <li>{text.relations(preview.data.movedRelations)}</li>
              <li>{text.dropped(preview.data.droppedDuplicateEdges)}</li>
              <li dir="auto">
                {preview.data.aliasesAdded.length === 0
                  ? text.noAliases
                  : text.aliases(preview.data.aliasesAdded.join(", "))}
              </li>
            </ul>
          )}
          <p className="muted">{text.undo}</p>
        </section>
      )}
      <Field label={text.note}>
        <textarea rows={2} dir="auto" value={note} onChange={(event) => setNote(event.target.value)} />
      </Field>
      <ErrorNote error={error} />
      <div className="dialog-actions">
        <Button onClick={onClose}>{strings.actions.cancel}</Button>
        <Button kind="primary" busy={busy} reason={blocked} onClick={() => void merge()}>
          {text.action}
        </Button>
      </div>
    </Dialog>
  )
}

/** One of the two entities, so that both can be compared. */
const Side = ({ id, title }: { readonly id: string; readonly title: string }): ReactNode => {
  const { data } = useOperation("getEntity", { id })
  return (
    <section className="side-of-two">
      <h3>{title}</h3>
      {data !== undefined && (
        <>
          <p>
            <strong>
              <Content>{data.name}</Content>
            </strong>{" "}
            <span className="muted" dir="auto">
              {data.type}
            </span>{" "}
            <AuthorityBadge value={data.curation.authority} />
          </p>
          <p dir="auto">{data.description ?? entityText.about.noDescription}</p>
          {data.aliases.length > 0 && (
            <p className="muted" dir="auto">
              {entityText.about.aliases}: {data.aliases.join(", ")}
            </p>
          )}
        </>
      )}
    </section>
  )
}
