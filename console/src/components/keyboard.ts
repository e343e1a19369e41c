import { useEffect, useRef } from "react"

/** Whether an event belongs to something that one types into. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName))

/**
 * Keys of a page: `useKeys({ j: next, k: previous, "mod+k": open })`. Single letters are ignored while somebody types or
 * a dialog is open; `mod` is Control or Command.
 */
export const useKeys = (keys: Readonly<Record<string, (event: KeyboardEvent) => void>>): void => {
  const current = useRef(keys)
  current.current = keys
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const mod = event.ctrlKey || event.metaKey
      const run = current.current[mod ? `mod+${event.key.toLowerCase()}` : event.key]
      if (run === undefined || event.defaultPrevented || event.altKey) return
      if (!mod && (isTyping(event.target) || document.querySelector("dialog[open]") !== null)) return
      event.preventDefault()
      run(event)
    }
    addEventListener("keydown", listen)
    return () => removeEventListener("keydown", listen)
  }, [])
}
