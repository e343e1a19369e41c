import { useVirtualizer } from "@tanstack/react-virtual"
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from "react"

/**
 * A list of any length of which only the visible rows exist. Arrow keys, Page, Home and End move the focus among the
 * first links or buttons of the rows; `onRange` tells which places are visible, so that their pages can be loaded.
 */
export const VirtualList = ({
  label,
  total,
  rowHeight,
  row,
  onRange
}: {
  readonly label: string
  readonly total: number
  /** Pixels; rows that are not higher than this are clipped. */
  readonly rowHeight: number
  readonly row: (index: number) => ReactNode
  readonly onRange: (first: number, last: number) => void
}): ReactNode => {
  const frame = useRef<HTMLDivElement>(null)
  const rows = useVirtualizer({
    count: total,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    overscan: 8
  })
  const visible = rows.getVirtualItems()
  const first = visible[0]?.index ?? 0
  const last = visible.at(-1)?.index ?? 0
  useEffect(() => onRange(first, last), [first, last, onRange])
  const move = (event: KeyboardEvent<HTMLDivElement>) => {
    const from = Number((event.target as HTMLElement).closest("[data-index]")?.getAttribute("data-index"))
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: from + 1,
      ArrowUp: from - 1,
      PageDown: from + 10,
      PageUp: from - 10,
      Home: 0,
      End: total - 1
    }
    const to = steps[event.key]
    if (to === undefined || Number.isNaN(from)) return
    event.preventDefault()
    const index = Math.min(total - 1, Math.max(0, to))
    rows.scrollToIndex(index)
    const focus = (attempts: number) => {
      const target = frame.current?.querySelector<HTMLElement>(`[data-index="${index}"] :is(a, button)`)
      if (target !== null && target !== undefined) target.focus()
      else if (attempts > 0) requestAnimationFrame(() => focus(attempts - 1))
    }
    requestAnimationFrame(() => focus(30))
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: rows are placed one by one, which a list element would not allow.
    <div
      ref={frame}
      className="virtual-list"
      style={{ height: rows.getTotalSize() + 2 }}
      role="list"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by keyboard.
      tabIndex={0}
      onKeyDown={move}
    >
      <div className="virtual-size" style={{ height: rows.getTotalSize() }}>
        {visible.map(({ index, key, start }) => (
          // biome-ignore lint/a11y/useSemanticElements: as above.
          <div
            key={key}
            role="listitem"
            aria-setsize={total}
            aria-posinset={index + 1}
            data-index={index}
            className="virtual-row"
            style={{ height: rowHeight, transform: `translateY(${start}px)` }}
          >
            {row(index)}
          </div>
        ))}
      </div>
    </div>
  )
}
