import { type ReactNode, useMemo, useState } from "react"
import { Link, useLocation, useSearchParams } from "wouter"
import { type RenderedDocument, SourceView } from "../../../../react/index.js"
import type { Verification } from "../../../../server/client/index.js"
import { callOperation, useChange, useConsoleChange, useOperation } from "../../api/hooks.js"
import { useScopeReason, useSession } from "../../api/session.js"
import { ApiCall } from "../../components/api-call.js"
import { Button } from "../../components/button.js"
import { useConfirm } from "../../components/dialog.js"
import { ErrorNote } from "../../components/error.js"
import { Page } from "../../components/page.js"
import { fileUrl, useSourceLinks } from "../../components/source-links.js"
import { Loading } from "../../components/states.js"
import { TabSet } from "../../components/tab-set.js"
import { Badge, Standing, Time } from "../../components/text.js"
import { useToast } from "../../components/toast.js"
import { strings } from "../../strings.js"
import { useDocumentCare } from "./care.js"
import { isOverdue, standings } from "./document-fields.js"
import { Editor } from "./editor.js"
import { Lineage } from "./lineage.js"
import { MoveDialog } from "./move.js"
import { Readers } from "./readers.js"
import { Versions } from "./versions.js"

const texts = strings.documents

/** The document of a path in the trash. */
const trashIdOf = async (path: string): Promise<string> => {
  const { items } = await callOperation("listTrash", { kind: "document", limit: 200 })
  const item = items.find(({ label }) => label === path)
  if (item === undefined) throw new Error(strings.errors.byCode["not_found"])
  return item.id
}

/** One document: its text at a passage, the editor, versions, lineage, standing. */
export const DocumentPage = ({ id }: { readonly id: string }): ReactNode => {
  const [address, setAddress] = useSearchParams()
  const document = useOperation("getDocument", { id, render: "html" })
  const edit = (isOn: boolean) =>
    setAddress((last) => {
      const next = new URLSearchParams(last)
      if (isOn) next.set("edit", "1")
      else next.delete("edit")
      return next
    })
  if (document.data === undefined)
    return document.error === null ? (
      <Loading />
    ) : (
      <Page title={texts.title}>
        <ErrorNote error={document.error} onRetry={() => void document.refetch()} />
      </Page>
    )
  const shown: RenderedDocument = document.data
  if (address.has("edit")) return <Editor key={id} document={shown} onDone={() => edit(false)} />
  return <Shown document={shown} passage={address.get("passage")} onEdit={() => edit(true)} />
}

/** Says which earlier text was vouched for, until this one is. */
const VerifiedSince = ({ id }: { readonly id: string }): ReactNode => {
  const { data } = useOperation("listDocumentVersions", { id })
  const vouched = data?.items.find(
    ({ verification }) => verification === "verified" || verification === "certified"
  )
  if (vouched === undefined) return null
  return (
    <Badge tone="warn" data-testid="verified-since" data-version={String(vouched.version)}>
      {texts.verifiedSince(strings.standing[vouched.verification], vouched.version)}
    </Badge>
  )
}

const Shown = ({
  document,
  passage,
  onEdit
}: {
  readonly document: RenderedDocument
  readonly passage: string | null
  readonly onEdit: () => void
}): ReactNode => {
  const { id, mediaType, missing, nextVerifyAt, path, title, updatedAt, verification, version } = document
  const [isMoving, setMoving] = useState(false)
  const [, go] = useLocation()
  const { workspaceId } = useSession()
  const { isOthers, reason: careReason } = useDocumentCare(document)
  const writeReason = useScopeReason("kb:write")
  const adminReason = useScopeReason("workspace:admin")
  const confirm = useConfirm()
  const toast = useToast()
  const remove = useChange("deleteDocument", ["listDocuments", "listTrash"])
  const restore = useChange("restoreFromTrash", ["listDocuments", "listTrash"])
  const propose = useConsoleChange("proposeDocument", ["inbox"])
  const links = useSourceLinks()
  const place = document.passages?.find(({ chunkId }) => chunkId === passage)
  const chunk = useOperation(
    "getChunk",
    { id: passage ?? "" },
    { enabled: passage !== null && place === undefined }
  )
  const found = place ?? chunk.data
  const marks = useMemo(() => (found === undefined ? [] : [{ start: found.start, end: found.end }]), [found])
  const editReason =
    writeReason ??
    (mediaType === "text/markdown" ? undefined : texts.readOnly) ??
    (missing ? texts.missing : undefined)
  const proposeRemoval = () =>
    confirm({
      title: texts.deleteTitle,
      text: texts.care.deleteText,
      action: texts.care.delete,
      run: async () => {
        await propose.mutateAsync({ docId: id, change: "delete", expectVersion: version })
        toast({ text: texts.care.sent })
      }
    })
  const ask = () =>
    confirm({
      title: texts.deleteTitle,
      text: texts.deleteText(path),
      action: texts.delete,
      danger: true,
      run: async () => {
        await remove.mutateAsync({ id })
        go("/documents")
        toast({
          text: texts.deleted(path),
          undo: async () => restore.mutateAsync({ id: await trashIdOf(path) })
        })
      }
    })
  const folders = path.split("/").slice(0, -1)
  return (
    <Page
      title={title}
      lead={
        <>
          <nav className="crumbs" aria-label={texts.tree}>
            <Link href="/documents">{texts.title}</Link>
            {folders.map((name, index) => (
              <Link
                key={folders.slice(0, index + 1).join("/")}
                href={`/documents?folder=${encodeURIComponent(folders.slice(0, index + 1).join("/"))}`}
              >
                <bdi dir="auto">{name}</bdi>
              </Link>
            ))}
            <bdi dir="auto">{path.split("/").at(-1)}</bdi>
          </nav>
          <span className="row small">
            {verification !== undefined && (
              <Standing verification={verification} overdue={isOverdue(nextVerifyAt)} />
            )}
            {verification === "unverified" && <VerifiedSince id={id} />}
            <span>{texts.version(version)}</span>
            <Time at={updatedAt} />
          </span>
        </>
      }
      actions={
        <>
          <VerifySelect id={id} verification={verification} reason={writeReason ?? careReason} />
          <Button reason={writeReason} data-testid="document-move" onClick={() => setMoving(true)}>
            {isOthers ? texts.care.move : texts.move}
          </Button>
          <Button
            reason={writeReason}
            data-testid="document-delete"
            onClick={isOthers ? proposeRemoval : ask}
          >
            {isOthers ? texts.care.delete : texts.delete}
          </Button>
          <Button data-testid="document-edit" kind="primary" reason={editReason} onClick={onEdit}>
            {isOthers ? texts.care.edit : texts.edit}
          </Button>
        </>
      }
    >
      {missing && <p className="note warn">{texts.missing}</p>}
      {mediaType !== "text/markdown" && !missing && (
        <p className="small">
          <a href={fileUrl(workspaceId, path)} download data-testid="document-original">
            {texts.original}
          </a>
        </p>
      )}
      <TabSet
        label={title}
        tabs={[
          {
            name: "text",
            label: texts.tabs.text,
            content: () => (
              <div className="panel document-text" data-testid="document-html">
                <SourceView document={document} marks={marks} withTitle={false} {...links} />
              </div>
            )
          },
          {
            name: "versions",
            label: texts.tabs.versions,
            content: () => (
              <Versions
                document={document}
                reason={editReason ?? (isOthers ? strings.errors.byCode["reviewer_required"] : undefined)}
              />
            )
          },
          { name: "lineage", label: texts.tabs.lineage, content: () => <Lineage id={id} /> },
          ...(adminReason === undefined
            ? [{ name: "readers", label: texts.tabs.readers, content: () => <Readers id={id} /> }]
            : [])
        ]}
      />
      <ApiCall name="getDocument" input={{ id }} />
      {isMoving && <MoveDialog document={document} isProposal={isOthers} onClose={() => setMoving(false)} />}
    </Page>
  )
}

const VerifySelect = ({
  id,
  verification,
  reason
}: {
  readonly id: string
  readonly verification: Verification | undefined
  readonly reason: string | undefined
}): ReactNode => {
  const toast = useToast()
  const lineage = useOperation("getDocumentLineage", { id }, { enabled: verification === undefined })
  const verify = useChange("verifyDocument", [
    "getDocument",
    "getDocumentLineage",
    "listDocuments",
    "inbox",
    "search"
  ])
  const current = verification ?? lineage.data?.governance.verification ?? "unverified"
  const change = (next: Verification) => {
    const before = current
    verify.mutate(
      { id, verification: next },
      {
        onSuccess: () =>
          toast({
            text: texts.verified(strings.standing[next]),
            undo: () => verify.mutateAsync({ id, verification: before })
          })
      }
    )
  }
  return (
    <>
      <ErrorNote error={verify.error} />
      <select
        data-testid="document-verify"
        aria-label={texts.verifyAs}
        title={reason}
        disabled={reason !== undefined || verify.isPending}
        value={current}
        onChange={(event) => {
          const next = standings.find((one) => one === event.target.value)
          if (next !== undefined) change(next)
        }}
      >
        {standings.map((one) => (
          <option key={one} value={one}>
            {strings.standing[one]}
          </option>
        ))}
      </select>
    </>
  )
}
