import { useQuery } from "@tanstack/react-query"
import { type ReactNode, useDeferredValue, useEffect, useState } from "react"
import { type RenderedDocument, SourceView } from "../../../../react/index.js"
import { KanonApiError } from "../../../../server/client/index.js"
import type { Preview } from "../../../../server/console/model.js"
import { callOwn } from "../../api/connection.js"
import { callOperation, useChange, useConsoleChange } from "../../api/hooks.js"
import { useSession } from "../../api/session.js"
import { Button } from "../../components/button.js"
import { useConfirm } from "../../components/dialog.js"
import { ErrorNote } from "../../components/error.js"
import { useKeys } from "../../components/keyboard.js"
import { Field, Page } from "../../components/page.js"
import { useSourceLinks } from "../../components/source-links.js"
import { TextDiff } from "../../components/text-diff.js"
import { useToast } from "../../components/toast.js"
import { strings } from "../../strings.js"
import { useDocumentCare } from "./care.js"

const texts = strings.documents

/** Unsaved text, with the version that it began from. */
interface Draft {
  readonly content: string
  readonly version: number
}

const slotOf = (workspaceId: string, id: string): string => `kanon.draft.${workspaceId}.${id}`

const readDraft = (slot: string): Draft | null => {
  try {
    const draft: Draft = JSON.parse(sessionStorage.getItem(slot) ?? "null")
    return draft !== null && typeof draft.content === "string" ? draft : null
  } catch {
    return null
  }
}

/** The editor with its preview. A save that is too late shows both texts; a draft outlives a reload of the page. */
export const Editor = ({
  document,
  onDone
}: {
  readonly document: RenderedDocument
  readonly onDone: () => void
}): ReactNode => {
  const { id, path, title } = document
  const { workspaceId } = useSession()
  const slot = slotOf(workspaceId, id)
  const [kept] = useState(() => readDraft(slot))
  const [base, setBase] = useState<Draft>(() => ({
    content: document.content,
    version: kept?.version ?? document.version
  }))
  const [content, setContent] = useState(kept?.content ?? document.content)
  const [theirs, setTheirs] = useState<Draft | null>(null)
  const [hasPreview, setPreview] = useState(true)
  const toast = useToast()
  const confirm = useConfirm()
  const save = useChange("replaceDocument", [
    "getDocument",
    "listDocuments",
    "listDocumentVersions",
    "getDocumentLineage"
  ])
  const { isOthers } = useDocumentCare(document)
  const propose = useConsoleChange("proposeDocument", ["inbox"])
  const [note, setNote] = useState("")
  const isChanged = content !== base.content
  const change = (next: string) => {
    setContent(next)
    sessionStorage.setItem(slot, JSON.stringify({ content: next, version: base.version }))
  }
  const leave = () => {
    sessionStorage.removeItem(slot)
    onDone()
  }
  useEffect(() => {
    if (!isChanged) return
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener("beforeunload", warn)
    return () => removeEventListener("beforeunload", warn)
  }, [isChanged])
  const submit = async (version: number) => {
    try {
      if (isOthers)
        await propose.mutateAsync({
          docId: id,
          change: "write",
          content,
          expectVersion: version,
          ...(note.trim() === "" ? {} : { note })
        })
      else await save.mutateAsync({ id, content, expectVersion: version })
      setTheirs(null)
      toast({ text: isOthers ? texts.care.sent : texts.saved(path) })
      leave()
    } catch (error) {
      // The error itself is shown by the mutation; a conflict shows both texts.
      if (!(error instanceof KanonApiError && error.code === "conflict")) return
      const current = await callOperation("getDocument", { id })
      setTheirs({ content: current.content, version: current.version })
    }
  }
  const [error, isBusy] = [save.error ?? propose.error, save.isPending || propose.isPending]
  const saveReason = isChanged ? undefined : texts.unchanged
  useKeys({
    "mod+s": () => {
      if (isChanged && !isBusy) void submit(base.version)
    }
  })
  const isConflict = error instanceof KanonApiError && error.code === "conflict"
  return (
    <Page
      wide
      title={title}
      lead={
        <span className="mono" dir="auto">
          {path}
        </span>
      }
      actions={
        <>
          <Button aria-pressed={hasPreview} onClick={() => setPreview(!hasPreview)}>
            {texts.preview}
          </Button>
          <Button
            onClick={() =>
              isChanged
                ? confirm({
                    title: texts.discard,
                    action: texts.discard,
                    danger: true,
                    run: async () => leave()
                  })
                : leave()
            }
          >
            {strings.actions.cancel}
          </Button>
          <Button
            data-testid="document-save"
            kind="primary"
            reason={saveReason}
            busy={isBusy}
            onClick={() => void submit(base.version)}
          >
            {isOthers ? texts.care.send : texts.save}
          </Button>
        </>
      }
    >
      {kept !== null && kept.content !== document.content && <p className="note info">{texts.draftKept}</p>}
      {!isConflict && <ErrorNote error={error} />}
      {isOthers && (
        <Field label={texts.care.note}>
          <input
            type="text"
            data-testid="proposal-note"
            maxLength={4000}
            dir="auto"
            value={note}
            onChange={(event) => setNote(event.target.value)}
          />
        </Field>
      )}
      {theirs !== null && (
        <Conflict
          mine={content}
          theirs={theirs}
          onSave={() => void submit(theirs.version)}
          onTake={() => {
            setBase(theirs)
            setContent(theirs.content)
            sessionStorage.removeItem(slot)
            setTheirs(null)
            save.reset()
            propose.reset()
          }}
        />
      )}
      <div className={hasPreview ? "editor with-preview" : "editor"}>
        <textarea
          data-testid="document-editor"
          className="mono"
          aria-label={texts.editor}
          dir="auto"
          spellCheck
          value={content}
          onChange={(event) => change(event.target.value)}
        />
        {hasPreview && <PreviewPane content={content} document={document} />}
      </div>
    </Page>
  )
}

const Conflict = ({
  mine,
  theirs,
  onSave,
  onTake
}: {
  readonly mine: string
  readonly theirs: Draft
  readonly onSave: () => void
  readonly onTake: () => void
}): ReactNode => (
  <section className="panel stack" data-testid="edit-conflict" role="alert">
    <h2>{texts.conflictTitle}</h2>
    <p>{texts.conflictHint}</p>
    <div className="conflict-texts">
      <div className="stack tight">
        <h3>{texts.conflictCurrent(theirs.version)}</h3>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls has to be reachable by keyboard. */}
        <pre className="code" dir="auto" tabIndex={0}>
          {theirs.content}
        </pre>
      </div>
      <div className="stack tight">
        <h3>{texts.conflictMine}</h3>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls has to be reachable by keyboard. */}
        <pre className="code" dir="auto" tabIndex={0}>
          {mine}
        </pre>
      </div>
    </div>
    <details className="disclosure">
      <summary>{texts.conflictDiff}</summary>
      <TextDiff before={theirs.content} after={mine} label={texts.conflictDiff} same={texts.same} />
    </details>
    <div className="row">
      <Button kind="primary" onClick={onSave}>
        {texts.conflictSave}
      </Button>
      <Button onClick={onTake}>{texts.conflictTake}</Button>
    </div>
  </section>
)

const PreviewPane = ({
  content,
  document
}: {
  readonly content: string
  readonly document: RenderedDocument
}): ReactNode => {
  const settled = useSettled(content, 300)
  const shown = useDeferredValue(settled)
  const { workspaceId } = useSession()
  const links = useSourceLinks()
  const preview = useQuery({
    queryKey: [workspaceId, "preview", document.path, shown],
    queryFn: ({ signal }) =>
      callOwn<Preview>("preview", { method: "POST", body: { content: shown, path: document.path }, signal }),
    placeholderData: (last) => last,
    gcTime: 10_000
  })
  return (
    <section className="panel preview" aria-label={texts.preview}>
      <ErrorNote error={preview.error} />
      {preview.data !== undefined && (
        <SourceView
          document={{ ...document, content: shown, html: preview.data.html }}
          withTitle={false}
          {...links}
        />
      )}
    </section>
  )
}

/** A value once it has not changed for a while. */
const useSettled = (value: string, delayMs: number): string => {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), delayMs)
    return () => clearTimeout(timer)
  }, [value, delayMs])
  return settled
}
