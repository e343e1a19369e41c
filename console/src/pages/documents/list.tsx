import { type ReactNode, useCallback, useDeferredValue, useState } from "react"
import { Link, useLocation, useSearchParams } from "wouter"
import { type InputOf, useOperation } from "../../api/hooks.js"
import { usePagedList } from "../../api/pages.js"
import { useScopeReason } from "../../api/session.js"
import { ApiCall } from "../../components/api-call.js"
import { Button } from "../../components/button.js"
import { ErrorNote } from "../../components/error.js"
import { Page } from "../../components/page.js"
import { EmptyState, Loading } from "../../components/states.js"
import { Content, Standing, Time } from "../../components/text.js"
import { VirtualList } from "../../components/virtual-list.js"
import { formatNumber } from "../../language.js"
import { Icon } from "../../shell/icons.js"
import { strings } from "../../strings.js"
import { DropZone } from "../../uploads/drop-zone.js"
import { isOverdue, type ListedDocument, standings } from "./document-fields.js"
import { NewDocument } from "./new-document.js"

const texts = strings.documents
const sorts = ["path", "title", "updatedAt"] as const

/** Folders at the left, the documents of the chosen one at the right. */
export const DocumentList = (): ReactNode => {
  const [address, setAddress] = useSearchParams()
  const [words, setWords] = useState(address.get("q") ?? "")
  const [isNew, setNew] = useState(false)
  const [, go] = useLocation()
  const writeReason = useScopeReason("kb:write")
  const q = useDeferredValue(words.trim())
  const folder = address.get("folder")
  const verification = standings.find((one) => one === address.get("verification"))
  const sort = sorts.find((one) => one === address.get("sort"))
  const set = (name: string, value: string | null) =>
    setAddress((last) => {
      const next = new URLSearchParams(last)
      if (value === null || value === "") next.delete(name)
      else next.set(name, value)
      return next
    })
  const input: InputOf<"listDocuments"> = {
    // A folder shows what is below it; searching does not stop at subfolders.
    ...(folder === null || folder === "" ? {} : { pathPrefix: `${folder}/` }),
    ...(verification === undefined ? {} : { verification }),
    ...(q === "" ? {} : { q }),
    ...(sort === undefined ? {} : { sort })
  }
  return (
    <Page
      wide
      title={texts.title}
      lead={texts.lead}
      actions={
        <>
          <Link href="/documents?trash=1" className="button plain">
            {texts.trash}
          </Link>
          <DropZone folder={folder ?? ""} />
          <Button kind="primary" reason={writeReason} onClick={() => setNew(true)}>
            {texts.new}
          </Button>
        </>
      }
    >
      <div className="split">
        <nav className="tree" aria-label={texts.tree}>
          <button
            type="button"
            className="tree-row"
            aria-current={folder === null}
            onClick={() => set("folder", null)}
          >
            {texts.all}
          </button>
          <Branch folder="" chosen={folder} onChoose={(path) => set("folder", path)} />
        </nav>
        <div className="stack">
          <div className="toolbar">
            <input
              className="grow"
              type="search"
              dir="auto"
              aria-label={texts.filter}
              placeholder={texts.filter}
              value={words}
              onChange={(event) => setWords(event.target.value)}
            />
            <select
              aria-label={texts.standing}
              value={verification ?? ""}
              onChange={(event) => set("verification", event.target.value)}
            >
              <option value="">{texts.anyStanding}</option>
              {standings.map((one) => (
                <option key={one} value={one}>
                  {strings.standing[one]}
                </option>
              ))}
            </select>
            <select
              aria-label={texts.sort}
              value={sort ?? "path"}
              onChange={(event) => set("sort", event.target.value === "path" ? null : event.target.value)}
            >
              {sorts.map((one) => (
                <option key={one} value={one}>
                  {texts.sorts[one]}
                </option>
              ))}
            </select>
          </div>
          <Rows
            key={JSON.stringify(input)}
            input={input}
            isFiltered={q !== "" || verification !== undefined}
          />
          <ApiCall name="listDocuments" input={input} />
        </div>
      </div>
      {isNew && (
        <NewDocument
          folder={folder}
          onClose={() => setNew(false)}
          onMade={(id) => go(`/documents/${id}?edit=1`)}
        />
      )}
    </Page>
  )
}

const Rows = ({
  input,
  isFiltered
}: {
  readonly input: InputOf<"listDocuments">
  readonly isFiltered: boolean
}): ReactNode => {
  const [range, setRange] = useState<readonly [number, number]>([0, 0])
  const list = usePagedList(
    "listDocuments",
    input,
    (page): ReadonlyArray<ListedDocument> => page.items,
    ({ total }) => total,
    range
  )
  const onRange = useCallback((first: number, last: number) => setRange([first, last]), [])
  if (list.error !== null) return <ErrorNote error={list.error} />
  if (list.total === undefined) return <Loading />
  if (list.total === 0)
    return (
      <EmptyState title={isFiltered ? texts.noMatch : texts.none}>
        <p>{isFiltered ? texts.noMatchHint : texts.noneHint}</p>
      </EmptyState>
    )
  return (
    <>
      <p className="muted small" role="status">
        {texts.count(list.total)}
      </p>
      <VirtualList
        label={texts.label}
        total={list.total}
        rowHeight={62}
        onRange={onRange}
        row={(index) => {
          const document = list.itemAt(index)
          return document === undefined ? <p className="list-row muted">…</p> : <Row document={document} />
        }}
      />
    </>
  )
}

const Row = ({ document }: { readonly document: ListedDocument }): ReactNode => {
  const { id, nextVerifyAt, path, title, updatedAt, verification } = document
  return (
    <Link
      href={`/documents/${id}`}
      className="list-row document-row"
      data-testid="document-row"
      data-path={path}
      data-id={id}
    >
      <span className="document-name">
        <span className="clip document-title">
          <Content>{title}</Content>
        </span>
        <span className="clip muted mono">
          <Content>{path}</Content>
        </span>
      </span>
      <span className="document-standing">
        {verification !== undefined && verification !== "unverified" && (
          <Standing verification={verification} overdue={isOverdue(nextVerifyAt)} />
        )}
      </span>
      <span className="muted small document-time">
        <Time at={updatedAt} />
      </span>
    </Link>
  )
}

/** The folders within one; each is read when it is opened. */
const Branch = ({
  folder,
  chosen,
  onChoose
}: {
  readonly folder: string
  readonly chosen: string | null
  readonly onChoose: (path: string) => void
}): ReactNode => {
  const { data, error } = useOperation("listDocuments", { folder, limit: 1 })
  if (error !== null) return <ErrorNote error={error} />
  return (
    <ul className="tree-branch">
      {(data?.folders ?? []).map(({ documents, path }) => (
        <Folder key={path} path={path} documents={documents} chosen={chosen} onChoose={onChoose} />
      ))}
    </ul>
  )
}

const Folder = ({
  path,
  documents,
  chosen,
  onChoose
}: {
  readonly path: string
  readonly documents: number
  readonly chosen: string | null
  readonly onChoose: (path: string) => void
}): ReactNode => {
  const isWithin = chosen !== null && (chosen === path || chosen.startsWith(`${path}/`))
  const [isOpen, setOpen] = useState(isWithin)
  return (
    <li>
      <div className="tree-line">
        <button
          type="button"
          className="tree-toggle"
          aria-expanded={isOpen}
          aria-label={path}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name={isOpen ? "down" : "right"} />
        </button>
        <button
          type="button"
          className="tree-row"
          data-folder={path}
          aria-current={chosen === path}
          onClick={() => {
            setOpen(true)
            onChoose(path)
          }}
        >
          <span className="clip">
            <Content>{path.split("/").at(-1) ?? path}</Content>
          </span>
          <span className="muted small">{formatNumber(documents)}</span>
        </button>
      </div>
      {isOpen && <Branch folder={path} chosen={chosen} onChoose={onChoose} />}
    </li>
  )
}
