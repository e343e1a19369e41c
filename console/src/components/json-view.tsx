import type { ReactNode } from "react"

/** Any value as indented JSON. Everything in it is text. */
export const JsonView = ({
  label,
  value
}: {
  readonly value: unknown
  readonly label: string
}): ReactNode => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls has to be reachable by keyboard.
  <pre className="json-view code" dir="ltr" tabIndex={0} aria-label={label}>
    {typeof value === "string" ? value : JSON.stringify(value, undefined, 2)}
  </pre>
)

/** A unified diff with its lines coloured. */
export const UnifiedDiff = ({
  label,
  testId,
  text
}: {
  readonly text: string
  readonly label: string
  readonly testId?: string
}): ReactNode => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls has to be reachable by keyboard.
  <pre className="unified-diff code" dir="auto" tabIndex={0} aria-label={label} data-testid={testId}>
    {text.split("\n").map((line, index) => {
      const kind = line.startsWith("+")
        ? "added"
        : line.startsWith("-")
          ? "removed"
          : line.startsWith("@@")
            ? "place"
            : ""
      // Lines have no identity beside their place.
      const key = `${index}`
      return (
        <span key={key} className={kind}>
          {line}
          {"\n"}
        </span>
      )
    })}
  </pre>
)
