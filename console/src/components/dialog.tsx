import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useId,
  useRef,
  useState
} from "react"
import { strings } from "../strings.js"
import { Button } from "./button.js"
import { ErrorNote } from "./error.js"

/** A modal dialog: the browser's own, with its focus trap and Escape. */
export const Dialog = ({
  title,
  onClose,
  children,
  wide = false
}: {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
  readonly wide?: boolean
}): ReactNode => {
  const place = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = place.current
    if (dialog !== null && !dialog.open) dialog.showModal()
    return () => dialog?.close()
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it by keyboard.
    <dialog
      ref={place}
      className={wide ? "dialog wide" : "dialog"}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={(event) => {
        if (event.target === event.currentTarget) onClose()
      }}
    >
      <div className="dialog-body">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </dialog>
  )
}

interface Question {
  readonly title: string
  readonly text?: ReactNode
  /** The name of the button that does it, such as “Delete”. */
  readonly action: string
  readonly danger?: boolean
  readonly run: () => Promise<unknown>
}

const ConfirmContext = createContext<((question: Question) => void) | null>(null)

/** Shows one question at a time; the dialog stays open with the error if the action fails. */
export const ConfirmProvider = ({ children }: { readonly children: ReactNode }): ReactNode => {
  const [question, setQuestion] = useState<Question | null>(null)
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const ask = useCallback((next: Question) => {
    setError(null)
    setQuestion(next)
  }, [])
  const run = async () => {
    if (question === null) return
    setBusy(true)
    setError(null)
    try {
      await question.run()
      setQuestion(null)
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }
  return (
    <ConfirmContext value={ask}>
      {children}
      {question !== null && (
        <Dialog title={question.title} onClose={() => setQuestion(null)}>
          {question.text !== undefined && <div className="dialog-text">{question.text}</div>}
          <ErrorNote error={error} />
          <div className="dialog-actions">
            <Button onClick={() => setQuestion(null)}>{strings.actions.cancel}</Button>
            <span data-testid="confirm">
              <Button
                kind={question.danger === true ? "danger" : "primary"}
                busy={busy}
                onClick={() => void run()}
              >
                {question.action}
              </Button>
            </span>
          </div>
        </Dialog>
      )}
    </ConfirmContext>
  )
}

/** Asks before something that cannot be undone: `confirm({ title, action: "Delete", run: () => … })`. */
export const useConfirm = (): ((question: Question) => void) => {
  const ask = useContext(ConfirmContext)
  if (ask === null) throw new Error("useConfirm needs a ConfirmProvider.")
  return ask
}
