import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from "react"
import { strings } from "../strings.js"
import { Button } from "./button.js"
import { describeError } from "./error.js"

interface Message {
  readonly text: string
  /** Takes back what was done. */
  readonly undo?: () => Promise<unknown>
}

const ToastContext = createContext<((message: Message) => void) | null>(null)
const shownMs = 8000

/** One message at the foot of the window; a newer one takes its place. */
export const ToastProvider = ({ children }: { readonly children: ReactNode }): ReactNode => {
  const [message, setMessage] = useState<(Message & { readonly key: number }) | null>(null)
  const show = useCallback((next: Message) => setMessage({ ...next, key: Math.random() }), [])
  useEffect(() => {
    if (message === null) return
    const timer = setTimeout(() => setMessage(null), shownMs)
    return () => clearTimeout(timer)
  }, [message])
  const undo = async () => {
    const run = message?.undo
    setMessage(null)
    try {
      await run?.()
    } catch (error) {
      show({ text: describeError(error).text })
    }
  }
  return (
    <ToastContext value={show}>
      {children}
      <div className="toast-place" role="status">
        {message !== null && (
          <div className="toast" data-testid="toast">
            <span dir="auto">{message.text}</span>
            {message.undo !== undefined && (
              <Button size="small" onClick={() => void undo()}>
                {strings.actions.undo}
              </Button>
            )}
          </div>
        )}
      </div>
    </ToastContext>
  )
}

/** Tells what was done: `toast({ text, undo: () => restore() })`. */
export const useToast = (): ((message: Message) => void) => {
  const show = useContext(ToastContext)
  if (show === null) throw new Error("useToast needs a ToastProvider.")
  return show
}
