import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from "react"
import { Link, Router, useLocation } from "wouter"
import { useRefresh } from "../api/hooks.js"
import { useSession } from "../api/session.js"
import { Button } from "../components/button.js"
import { Badge, Content } from "../components/text.js"
import { workspacePath } from "../shell/address.js"
import { uploadText as text } from "../strings/uploads.js"
import { strings } from "../strings.js"
import { type Dropped, type Outcome, sendFile } from "./send.js"

interface Entry extends Dropped {
  readonly key: string
  readonly outcome: Outcome
}

type Add = (files: ReadonlyArray<Dropped>, folder: string) => void

/** Files that are sent side by side. */
const atOnce = 2
const tones = { waiting: "neutral", sending: "info", reading: "info", done: "good", refused: "bad" } as const

const UploadContext = createContext<Add | null>(null)

/** Adds files to a folder; what becomes of them is shown over every page. */
export const useUploads = (): Add => {
  const add = useContext(UploadContext)
  if (add === null) throw new Error("useUploads needs an UploadProvider.")
  return add
}

/**
 * Sends files while people go on working, and lists what became of each. It stands above the page and its address, so
 * that neither an address without a workspace nor another page takes the list away.
 */
export const UploadProvider = ({ children }: { readonly children: ReactNode }): ReactNode => {
  const refresh = useRefresh()
  const { workspaceId, workspaces } = useSession()
  const isHere = useRef(true)
  // Files that have not been sent stay out of the workspace that the person goes to.
  useEffect(() => {
    isHere.current = true
    return () => {
      isHere.current = false
    }
  }, [])
  const [entries, setEntries] = useState<ReadonlyArray<Entry>>([])
  const send = async (files: ReadonlyArray<Dropped>, folder: string) => {
    const added = files.map((one): Entry => ({ ...one, key: newKey(), outcome: { kind: "waiting" } }))
    setEntries((last) => [...last, ...added])
    const set = (key: string, outcome: Outcome) =>
      setEntries((last) => last.map((one) => (one.key === key ? { ...one, outcome } : one)))
    const left = [...added]
    const work = async () => {
      for (let one = left.shift(); one !== undefined && isHere.current; one = left.shift()) {
        const { key } = one
        set(key, await sendFile(one, folder, (outcome) => set(key, outcome)))
        await refresh(["listDocuments", "listContentConnectors", "getManifest"])
      }
    }
    await Promise.all(Array.from({ length: atOnce }, work))
  }
  return (
    <UploadContext value={(files, folder) => void send(files, folder)}>
      {children}
      {entries.length > 0 && (
        <Router base={workspacePath(workspaceId, workspaces)}>
          <Outcomes entries={entries} onClose={() => setEntries([])} />
        </Router>
      )}
    </UploadContext>
  )
}

let keys = 0
const newKey = (): string => {
  keys += 1
  return `${keys}`
}

const isSettled = ({ outcome: { kind } }: Entry): boolean => kind === "done" || kind === "refused"

const Outcomes = ({
  entries,
  onClose
}: {
  readonly entries: ReadonlyArray<Entry>
  readonly onClose: () => void
}): ReactNode => {
  const settled = entries.filter(isSettled).length
  const isDone = settled === entries.length
  const [isOpen, setOpen] = useState(true)
  const [path] = useLocation()
  const shownAt = useRef(path)
  // What is finished makes room for the next page.
  useEffect(() => {
    if (shownAt.current !== path && isDone) setOpen(false)
    shownAt.current = path
  }, [path, isDone])
  return (
    <section className="uploads panel" aria-label={text.title} data-testid="uploads">
      <header className="row spread">
        <p role="status">{text.progress(settled, entries.length)}</p>
        <span className="row">
          <Button size="small" kind="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? strings.actions.hide : strings.actions.show}
          </Button>
          {isDone && (
            <Button size="small" kind="quiet" onClick={onClose}>
              {text.close}
            </Button>
          )}
        </span>
      </header>
      {!isDone && <progress value={settled} max={entries.length} aria-label={text.title} />}
      <ul className="plain-list" hidden={!isOpen}>
        {entries.map(({ key, outcome, path }) => (
          <li key={key} data-testid="upload-row" data-state={outcome.kind} data-path={path}>
            <span className="row spread">
              {"docId" in outcome && outcome.docId !== null && outcome.docId !== undefined ? (
                <Link href={`/documents/${outcome.docId}`} aria-label={text.open(path)}>
                  <Content>{path}</Content>
                </Link>
              ) : (
                <Content>{path}</Content>
              )}
              <Badge tone={tones[outcome.kind]}>{text.states[outcome.kind]}</Badge>
            </span>
            {outcome.kind === "refused" && (
              <p className="small" dir="auto">
                {outcome.why}
              </p>
            )}
            {outcome.kind === "done" && outcome.warnings.length > 0 && (
              <p className="small muted" dir="auto">
                {text.warnings(outcome.warnings.length)}: {outcome.warnings.join(" ")}
              </p>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
