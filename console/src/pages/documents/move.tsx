import { type ReactNode, useState } from "react"
import type { RenderedDocument } from "../../../../react/index.js"
import { useChange } from "../../api/hooks.js"
import { Button } from "../../components/button.js"
import { Dialog } from "../../components/dialog.js"
import { ErrorNote } from "../../components/error.js"
import { Field } from "../../components/page.js"
import { useToast } from "../../components/toast.js"
import { strings } from "../../strings.js"

const texts = strings.documents

/** Moves a document; links to it follow if that is wanted. */
export const MoveDialog = ({
  document: { id, path },
  onClose
}: {
  readonly document: Pick<RenderedDocument, "id" | "path">
  readonly onClose: () => void
}): ReactNode => {
  const [target, setTarget] = useState(path)
  const [rewriteLinks, setRewrite] = useState(true)
  const toast = useToast()
  const move = useChange("moveDocument", ["getDocument", "listDocuments", "getDocumentLineage", "search"])
  return (
    <Dialog title={texts.moveTitle} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          move.mutate(
            { id, path: target, rewriteLinks },
            {
              onSuccess: (moved) => {
                onClose()
                toast({
                  text: texts.moved(moved.path, moved.rewritten.length),
                  undo: () => move.mutateAsync({ id, path, rewriteLinks })
                })
              }
            }
          )
        }}
      >
        <Field label={texts.newPath}>
          <input
            type="text"
            required
            dir="auto"
            value={target}
            onChange={(event) => setTarget(event.target.value)}
          />
        </Field>
        <label className="check">
          <input
            type="checkbox"
            checked={rewriteLinks}
            onChange={(event) => setRewrite(event.target.checked)}
          />
          <span>{texts.moveLinks}</span>
        </label>
        <ErrorNote error={move.error} />
        <div className="dialog-actions">
          <Button onClick={onClose}>{strings.actions.cancel}</Button>
          <Button type="submit" kind="primary" busy={move.isPending}>
            {texts.move}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
