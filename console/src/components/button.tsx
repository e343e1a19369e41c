import { type ButtonHTMLAttributes, type ReactNode, useId } from "react"
import { strings } from "../strings.js"

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, "disabled"> {
  readonly kind?: "primary" | "plain" | "quiet" | "danger"
  readonly size?: "small" | "normal"
  /** Why the button cannot be used now. It stays in the tab order and says so on focus and hover. */
  readonly reason?: string | undefined
  /** The action is under way. */
  readonly busy?: boolean
}

/** A button that never goes dead without a reason. */
export const Button = ({
  kind = "plain",
  size = "normal",
  reason,
  busy = false,
  onClick,
  children,
  className,
  type = "button",
  ...rest
}: ButtonProps): ReactNode => {
  const id = useId()
  const why = reason ?? (busy ? strings.reasons.busy : undefined)
  return (
    <span className={why === undefined || busy ? "button-holder" : "button-holder has-reason"}>
      <button
        {...rest}
        type={type}
        className={`button ${kind} ${size} ${className ?? ""}`}
        aria-disabled={why === undefined ? undefined : true}
        aria-describedby={reason === undefined ? rest["aria-describedby"] : id}
        aria-busy={busy || undefined}
        onClick={(event) => {
          if (why === undefined) onClick?.(event)
          else event.preventDefault()
        }}
      >
        {children}
      </button>
      {reason !== undefined && (
        <span id={id} role="tooltip" className="reason">
          {reason}
        </span>
      )}
    </span>
  )
}
