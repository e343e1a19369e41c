import { type ReactNode, useState } from "react"
import type { RenderedDocument } from "../../../../react/index.js"
import { useChange, useConsoleChange } from "../../api/hooks.js"
import { Button } from "../../components/button.js"
import { Dialog } from "../../components/dialog.js"
import { ErrorNote } from "../../components/error.js"
import { Field } from "../../components/page.js"
import { useToast } from "../../components/toast.js"
import { strings } from "../../strings.js"

const texts = strings.documents

/** Moves a document, or proposes it; links to it follow if that is wanted. */
export const MoveDialog = ({
  document: { id, path, version },
  isProposal,
  onClose
}: {
  readonly document: Pick<RenderedDocument, "id" | "path" | "version">
  /** Another member verified it: the move is proposed. */
  readonly isProposal: boolean
  readonly onClose: () => void
}): ReactNode => {
  const [target, setTarget] = useState(path)
  const [rewriteLinks, setRewrite] = useState(true)
  const toast = useToast()
  const move = useChange("moveDocument", ["getDocument", "listDocuments", "getDocumentLineage", "search"])
  const propose = useConsoleChange("proposeDocument", ["inbox"])
  return (
    <Dialog title={texts.moveTitle} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (isProposal) {
            propose.mutate(
              { docId: id, change: "move", path: target, expectVersion: version },
              {
                onSuccess: () => {
                  onClose()
                  toast({ text: texts.care.sent })
                }
              }
            )
            return
          }
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
        {!isProposal && (
          <label className="check">
            <input
              type="checkbox"
              checked={rewriteLinks}
              onChange={(event) => setRewrite(event.target.checked)}
            />
            <span>{texts.moveLinks}</span>
          </label>
        )}
        <ErrorNote error={move.error ?? propose.error} />
        <div className="dialog-actions">
          <Button onClick={onClose}>{strings.actions.cancel}</Button>
          <Button type="submit" kind="primary" busy={move.isPending || propose.isPending}>
            {isProposal ? texts.care.send : texts.move}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
