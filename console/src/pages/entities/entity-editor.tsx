import { type ReactNode, useState } from "react"
import { useLocation } from "wouter"
import { type EntityWithCuration, KanonApiError } from "../../../../server/client/index.js"
import { callOperation, useOperation, useRefresh } from "../../api/hooks.js"
import { Button } from "../../components/button.js"
import { ErrorNote } from "../../components/error.js"
import { FieldsDiff } from "../../components/fields-diff.js"
import { Field } from "../../components/page.js"
import { useToast } from "../../components/toast.js"
import { entityText as text } from "../../strings/entities.js"
import { strings } from "../../strings.js"
import { entityStale } from "./stale.js"

/** Fields of an entity as the form holds them; aliases are one a line. */
interface Draft {
  readonly name: string
  readonly type: string
  readonly aliases: string
  readonly description: string
  readonly editorialNote: string
}

const draftOf = ({ aliases, curation, description, name, type }: EntityWithCuration): Draft => ({
  name,
  type,
  aliases: aliases.join("\n"),
  description: description ?? "",
  editorialNote: curation.editorialNote
})

const linesOf = (value: string): ReadonlyArray<string> =>
  value.split("\n").flatMap((line) => line.trim() || [])

/** Only what was changed is sent, so that fields of others stay as they are. */
const changesOf = (draft: Draft, before: Draft) => ({
  ...(draft.name === before.name ? {} : { name: draft.name }),
  ...(draft.type === before.type ? {} : { type: draft.type }),
  ...(draft.aliases === before.aliases ? {} : { aliases: linesOf(draft.aliases) }),
  ...(draft.description === before.description ? {} : { description: draft.description }),
  ...(draft.editorialNote === before.editorialNote ? {} : { editorialNote: draft.editorialNote })
})

/** The editor of an entity. A save over somebody else's change is refused, and shows both. */
export const EntityEditor = ({
  entity,
  isProposal,
  onClose
}: {
  readonly entity: EntityWithCuration
  /** Somebody else answers for it: what is typed is proposed. */
  readonly isProposal: boolean
  readonly onClose: () => void
}): ReactNode => {
  const { id } = entity
  // Entity that the draft began from; refreshed data of the page must not change it.
  const [base, setBase] = useState(entity)
  const [draft, setDraft] = useState(() => draftOf(entity))
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const [reason, setReason] = useState("")
  const [, navigate] = useLocation()
  const present = useOperation("getEntity", { id })
  const refresh = useRefresh()
  const toast = useToast()
  const isStale = error instanceof KanonApiError && error.code === "conflict" && error.existingId === null
  const theirs = present.data ?? entity
  const set = (field: keyof Draft) => (event: { readonly target: { readonly value: string } }) =>
    setDraft({ ...draft, [field]: event.target.value })
  const save = async (expectVersion: number) => {
    setBusy(true)
    setError(null)
    const before = draftOf(base)
    const changes = changesOf(draft, before)
    try {
      if (Object.keys(changes).length > 0)
        await callOperation("updateEntity", { id, ...changes, expectVersion })
      await refresh(entityStale)
      onClose()
      toast({
        text: text.done.saved,
        undo: async () => {
          await callOperation("updateEntity", { id, ...changesOf(before, draft) })
          await refresh(entityStale)
        }
      })
    } catch (failure) {
      setError(failure)
      await refresh(["getEntity"])
    } finally {
      setBusy(false)
    }
  }
  const propose = async () => {
    const payload = changesOf(draft, draftOf(base))
    if (Object.keys(payload).length === 0) return onClose()
    setBusy(true)
    setError(null)
    try {
      const note = reason.trim()
      const made = await callOperation("proposeChange", {
        kind: "update",
        entityId: id,
        payload,
        ...(note === "" ? {} : { note })
      })
      await refresh(entityStale)
      toast({ text: text.done.proposed })
      navigate(`/requests/${made.id}`)
    } catch (failure) {
      setError(failure)
      setBusy(false)
    }
  }
  return (
    <form
      className="entity-editor"
      onSubmit={(event) => {
        event.preventDefault()
        void (isProposal ? propose() : save(base.curation.version))
      }}
    >
      <Field label={text.form.name}>
        <input required maxLength={400} dir="auto" value={draft.name} onChange={set("name")} />
      </Field>
      <Field label={text.form.type} hint={text.form.typeHint}>
        <input required maxLength={120} dir="auto" value={draft.type} onChange={set("type")} />
      </Field>
      <Field label={text.about.aliases} hint={text.about.aliasesHint}>
        <textarea rows={3} dir="auto" value={draft.aliases} onChange={set("aliases")} />
      </Field>
      <Field label={text.about.description}>
        <textarea rows={6} dir="auto" value={draft.description} onChange={set("description")} />
      </Field>
      {isProposal ? (
        <Field label={text.care.noteFor}>
          <textarea
            rows={3}
            maxLength={4000}
            dir="auto"
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        </Field>
      ) : (
        <Field label={text.about.note} hint={text.about.noteHint}>
          <textarea
            rows={3}
            maxLength={4000}
            dir="auto"
            value={draft.editorialNote}
            onChange={set("editorialNote")}
          />
        </Field>
      )}
      {isStale ? (
        <section className="edit-conflict" data-testid="edit-conflict" role="alert">
          <h2>{text.conflict.title}</h2>
          <p>{text.conflict.text}</p>
          <FieldsDiff diff={conflictOf(draftOf(theirs), draft)} />
          <p className="dialog-actions">
            <Button
              onClick={() => {
                setBase(theirs)
                setDraft(draftOf(theirs))
                setError(null)
              }}
            >
              {text.conflict.theirs}
            </Button>
            <Button
              kind="primary"
              busy={busy}
              onClick={() => {
                setBase(theirs)
                void save(theirs.curation.version)
              }}
            >
              {text.conflict.mine}
            </Button>
          </p>
        </section>
      ) : (
        <>
          <ErrorNote error={error} />
          <p className="dialog-actions">
            <Button onClick={onClose}>{strings.actions.cancel}</Button>
            <Button kind="primary" type="submit" busy={busy}>
              {isProposal ? text.care.submit : strings.actions.save}
            </Button>
          </p>
        </>
      )}
    </form>
  )
}

/** From what is stored to what was typed. */
const conflictOf = (stored: Draft, typed: Draft) =>
  Object.fromEntries(
    (Object.keys(typed) as ReadonlyArray<keyof Draft>).flatMap((field) =>
      stored[field] === typed[field]
        ? []
        : [
            [
              field,
              field === "aliases"
                ? { from: linesOf(stored[field]), to: linesOf(typed[field]) }
                : { from: stored[field], to: typed[field] }
            ]
          ]
    )
  )
