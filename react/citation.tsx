import { type ReactNode, useEffect, useId, useRef, useState } from "react"
import type { DataCall } from "../server/client/index.js"
import type { Span } from "./marks.js"
import type { CitedSource } from "./wire.js"
import { type AnswerWords, type CitationStanding, englishAnswer } from "./words.js"

/** A source or a data call that is cited, with the stretches of the document that carry the sentence. */
export type CitationTarget =
  | {
      readonly kind: "source"
      readonly id: string
      readonly source: CitedSource
      readonly quotes: ReadonlyArray<Span>
    }
  | { readonly kind: "data"; readonly id: string; readonly call: DataCall }

/** The standing of a source: its verification, or `overdue` if its review is. */
export const standingOf = (target: CitationTarget): CitationStanding => {
  if (target.kind === "data") return "data"
  const { reviewDue, verification } = target.source
  if (verification === "deprecated") return "deprecated"
  return reviewDue === true ? "overdue" : (verification ?? "unverified")
}

/** Time to move from the chip into the card, and before a passing pointer opens it. */
const [openMs, closeMs] = [120, 200]

/** A chip such as [S1]. Pointing at it or focusing it shows the passage; choosing it calls `onCite`. */
export const Citation = ({
  target,
  onCite,
  words = englishAnswer
}: {
  readonly target: CitationTarget
  readonly onCite?: ((target: CitationTarget) => void) | undefined
  readonly words?: AnswerWords
}): ReactNode => {
  const [isOpen, setOpen] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const id = useId()
  useEffect(() => () => clearTimeout(timer.current), [])
  const later = (open: boolean, delayMs: number) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setOpen(open), delayMs)
  }
  const standing = standingOf(target)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the pointer only shows what focus shows too.
    <span
      className="kanon-citation"
      onMouseEnter={() => later(true, openMs)}
      onMouseLeave={() => later(false, closeMs)}
    >
      <button
        type="button"
        data-testid="citation"
        data-source={target.id}
        data-standing={standing}
        aria-describedby={isOpen ? id : undefined}
        aria-label={words.chip(target.id, words.standings[standing])}
        onFocus={() => later(true, 0)}
        onBlur={() => later(false, 0)}
        onKeyDown={(event) => {
          if (event.key === "Escape") setOpen(false)
        }}
        onClick={() => {
          setOpen(false)
          onCite?.(target)
        }}
      >
        [{target.id}]
      </button>
      {isOpen && <Card id={id} target={target} words={words} />}
    </span>
  )
}

const Card = ({
  id,
  target,
  words
}: {
  readonly id: string
  readonly target: CitationTarget
  readonly words: AnswerWords
}): ReactNode => {
  const place = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    // Beside its chip where there is room, and never beyond the window.
    const card = place.current
    const chip = card?.parentElement?.getBoundingClientRect()
    if (card === null || chip === undefined) return
    const { height, width } = card.getBoundingClientRect()
    const below = chip.bottom + height + 12 < innerHeight
    card.style.left = `${Math.max(8, Math.min(chip.left, innerWidth - width - 8))}px`
    card.style.top = `${Math.max(8, below ? chip.bottom + 6 : chip.top - height - 6)}px`
  }, [])
  return (
    <span
      ref={place}
      id={id}
      role="tooltip"
      className="kanon-card"
      data-testid="citation-card"
      style={{ position: "fixed" }}
    >
      {target.kind === "source" ? (
        <>
          <strong dir="auto">{target.source.docTitle}</strong>
          <span className="kanon-path" dir="auto">
            {target.source.docPath}
            {target.source.page === undefined ? "" : ` · ${words.page(target.source.page)}`}
          </span>
          <span className="kanon-passage" dir="auto">
            {target.source.snippet}
          </span>
        </>
      ) : (
        <>
          <strong dir="auto">{target.call.queryTitle}</strong>
          <span className="kanon-path" dir="auto">
            {target.call.connectorName}
          </span>
          <span className="kanon-passage">{words.rows(target.call.rowCount)}</span>
        </>
      )}
      <span className="kanon-standing">{words.standings[standingOf(target)]}</span>
    </span>
  )
}
