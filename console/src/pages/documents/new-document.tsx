import { type FormEvent, type ReactNode, useState } from "react"
import { useChange } from "../../api/hooks.js"
import { Button } from "../../components/button.js"
import { Dialog } from "../../components/dialog.js"
import { ErrorNote } from "../../components/error.js"
import { Field } from "../../components/page.js"
import { strings } from "../../strings.js"

const texts = strings.documents

/** Makes a document with a title, and opens it. */
export const NewDocument = ({
  folder,
  onClose,
  onMade
}: {
  readonly folder: string | null
  readonly onClose: () => void
  readonly onMade: (id: string) => void
}): ReactNode => {
  const [title, setTitle] = useState("")
  const [path, setPath] = useState(folder === null || folder === "" ? "" : `${folder}/`)
  const create = useChange("createDocument", ["listDocuments"])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const isFolder = path === "" || path.endsWith("/")
    create.mutate(
      { title, ...(isFolder ? {} : { path: path.endsWith(".md") ? path : `${path}.md` }) },
      {
        onSuccess: ({ docId }) => {
          onClose()
          onMade(docId)
        }
      }
    )
  }
  return (
    <Dialog title={texts.new} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <Field label={texts.newTitle}>
          <input
            type="text"
            required
            dir="auto"
            value={title}
            onChange={(event) => setTitle(event.target.value)}
          />
        </Field>
        <Field label={texts.newPath} hint={texts.newPathHint}>
          <input type="text" dir="auto" value={path} onChange={(event) => setPath(event.target.value)} />
        </Field>
        <ErrorNote error={create.error} />
        <div className="dialog-actions">
          <Button onClick={onClose}>{strings.actions.cancel}</Button>
          <Button type="submit" kind="primary" busy={create.isPending}>
            {strings.actions.create}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
