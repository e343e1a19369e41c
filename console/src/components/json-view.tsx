import type { ReactNode } from "react"

/** A block of text that scrolls; it can be reached by keyboard and has a name. */
const Block = ({
  children,
  className,
  label,
  testId
}: {
  readonly label: string
  readonly className: string
  readonly testId?: string | undefined
  readonly children: ReactNode
}): ReactNode => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard.
  <section className={`block code ${className}`} tabIndex={0} aria-label={label} data-testid={testId}>
    <pre dir="auto">{children}</pre>
  </section>
)

/** Any value as indented JSON. Everything in it is text. */
export const JsonView = ({
  label,
  value
}: {
  readonly value: unknown
  readonly label: string
}): ReactNode => (
  <Block className="json-view" label={label}>
    {typeof value === "string" ? value : JSON.stringify(value, undefined, 2)}
  </Block>
)

/** Plain text as it is stored. */
export const TextView = ({ label, text }: { readonly text: string; readonly label: string }): ReactNode => (
  <Block className="document-text" label={label}>
    {text}
  </Block>
)

const kindOf = (line: string): string => {
  if (/^(?:---|\+\+\+) /.test(line)) return "place"
  if (line.startsWith("+")) return "added"
  if (line.startsWith("-")) return "removed"
  return line.startsWith("@@") ? "place" : ""
}

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
  <Block className="unified-diff" label={label} testId={testId}>
    {text
      .replace(/^=+\n/, "")
      .split("\n")
      .map((line, index) => {
        // Lines have no identity beside their place.
        const key = `${index}`
        return (
          <span key={key} className={kindOf(line)}>
            {line}
            {"\n"}
          </span>
        )
      })}
  </Block>
)
