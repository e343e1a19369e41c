import { Component, type ReactNode } from "react"
import { KanonApiError, KanonConnectionError } from "../../../server/client/index.js"
import { strings } from "../strings.js"
import { Button } from "./button.js"

interface Told {
  readonly text: string
  readonly code: string
  readonly requestId: string | null
  readonly issues: ReadonlyArray<string>
}

/** Puts the name of the field before the message of an issue: the path `tools.0` is the field `Tools`. */
const inWords = ({ message, path }: KanonApiError["issues"][number]): string => {
  const field = path.filter((part) => typeof part === "string").at(-1)
  if (field === undefined || field === "") return message
  const words = field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}: ${message}`
}

/** An error in words, with its code and the id of its request. */
export const describeError = (error: unknown): Told => {
  if (error instanceof KanonApiError) {
    const known = strings.errors.byCode[error.code]
    const issues = [...new Set(error.issues.map(inWords))]
    const [only] = issues
    return {
      // Input that is wrong in one place is said once; several places are a list.
      text:
        known ?? (only === undefined ? error.message : issues.length === 1 ? only : strings.errors.several),
      code: error.code,
      requestId: error.requestId,
      issues: known === undefined && issues.length === 1 ? [] : issues
    }
  }
  if (error instanceof KanonConnectionError) {
    const text = error.code === "timeout" ? strings.errors.timeout : strings.errors.network
    return { text, code: error.code, requestId: null, issues: [] }
  }
  const text = error instanceof Error && error.message !== "" ? error.message : strings.errors.unknown
  return { text, code: "page", requestId: null, issues: [] }
}

/** Shows an error, or nothing for null and undefined. */
export const ErrorNote = ({
  error,
  onRetry
}: {
  readonly error: unknown
  readonly onRetry?: (() => void) | undefined
}): ReactNode => {
  if (error === null || error === undefined) return null
  const { code, issues, requestId, text } = describeError(error)
  return (
    <div
      className="error-note"
      role="alert"
      data-testid="error"
      data-code={code}
      data-request-id={requestId ?? ""}
    >
      <p dir="auto">{text}</p>
      {issues.length > 0 && (
        <ul>
          {issues.map((issue) => (
            <li key={issue} dir="auto">
              {issue}
            </li>
          ))}
        </ul>
      )}
      {(requestId !== null || onRetry !== undefined) && (
        <p className="error-foot">
          {onRetry !== undefined && (
            <Button size="small" onClick={onRetry}>
              {strings.actions.retry}
            </Button>
          )}
          {requestId !== null && (
            <span>
              {strings.errors.requestId} <code>{requestId}</code>
            </span>
          )}
        </p>
      )}
    </div>
  )
}

/** Keeps an error of one page from taking the whole console down. */
export class ErrorBoundary extends Component<{ readonly children: ReactNode }, { readonly error: unknown }> {
  override state: { readonly error: unknown } = { error: null }
  static getDerivedStateFromError(error: unknown): { readonly error: unknown } {
    return { error }
  }
  override render(): ReactNode {
    if (this.state.error === null) return this.props.children
    return (
      <div className="page">
        <h1>{strings.errors.crashed}</h1>
        <ErrorNote error={this.state.error} />
        <Button onClick={() => location.reload()}>{strings.errors.reload}</Button>
      </div>
    )
  }
}
