import { diffLines, diffWordsWithSpace } from "diff"
import { type ReactNode, useMemo } from "react"

/** Texts beyond this are compared by lines alone. */
const wordsMax = 20_000
/** Unchanged lines that are shown around a change. */
const around = 3

interface Part {
  readonly kind: "same" | "added" | "removed"
  readonly text: string
}

/** Shows the difference of two texts: changed lines with their words, and a few lines around. */
export const TextDiff = ({
  before,
  after,
  label,
  same,
  testId
}: {
  readonly before: string
  readonly after: string
  readonly label: string
  /** Said when nothing differs. */
  readonly same: string
  readonly testId?: string
}): ReactNode => {
  const parts = useMemo(() => partsOf(before, after), [before, after])
  if (before === after)
    return (
      <p className="muted" data-testid={testId}>
        {same}
      </p>
    )
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by keyboard.
    // biome-ignore lint/a11y/useSemanticElements: it is no form.
    <div className="text-diff" role="group" aria-label={label} tabIndex={0} data-testid={testId}>
      {parts.map(({ kind, text }, index) => {
        const key = index
        if (kind === "added") return <ins key={key}>{text}</ins>
        if (kind === "removed") return <del key={key}>{text}</del>
        return <span key={key}>{shortened(text, index === 0, index === parts.length - 1)}</span>
      })}
    </div>
  )
}

const partsOf = (before: string, after: string): ReadonlyArray<Part> => {
  const lines = diffLines(before, after)
  const parts: Array<Part> = []
  for (let at = 0; at < lines.length; at++) {
    const [line, next] = [lines[at], lines[at + 1]]
    if (line === undefined) continue
    const isReplaced = line.removed && next?.added === true
    if (isReplaced && line.value.length + next.value.length < wordsMax) {
      for (const word of diffWordsWithSpace(line.value, next.value))
        parts.push({ kind: kindOf(word), text: word.value })
      at += 1
    } else parts.push({ kind: kindOf(line), text: line.value })
  }
  return parts
}

const kindOf = ({
  added,
  removed
}: {
  readonly added?: boolean
  readonly removed?: boolean
}): Part["kind"] => (added === true ? "added" : removed === true ? "removed" : "same")

/** A long unchanged stretch without its middle. */
const shortened = (text: string, isFirst: boolean, isLast: boolean): string => {
  const lines = text.split("\n")
  if (lines.length <= 2 * around + 2) return text
  const head = isFirst ? [] : lines.slice(0, around)
  const tail = isLast ? [] : lines.slice(-around - 1)
  return [...head, "⋯", ...tail].join("\n")
}
