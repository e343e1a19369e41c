import type { ReactNode } from "react"
import { Link, useLocation } from "wouter"
import type { InboxItem } from "../../../../server/console/inbox-model.js"
import { Button } from "../../components/button.js"
import { ErrorNote } from "../../components/error.js"
import { useKeys } from "../../components/keyboard.js"
import { Content } from "../../components/text.js"

/** The title of an item with the link to what it is about. */
export const Head = ({
  href,
  item,
  open
}: {
  readonly item: InboxItem
  readonly href: string
  readonly open: string
}): ReactNode => {
  const [, navigate] = useLocation()
  useKeys({ Enter: () => navigate(href) })
  return (
    <header className="row spread">
      <h2>
        <Content>{item.title}</Content>
      </h2>
      <Link href={href} className="button quiet small">
        {open}
      </Link>
    </header>
  )
}

interface Verb {
  readonly label: string
  readonly run: () => void
}

/** At most two verbs: the first by `a`, the second by `r`. */
export const Verbs = ({
  busy,
  error,
  first,
  reason,
  second
}: {
  readonly first: Verb
  readonly second?: Verb | undefined
  readonly reason: string | undefined
  readonly busy: boolean
  readonly error: unknown
}): ReactNode => {
  const isFree = reason === undefined && !busy
  useKeys({
    a: () => {
      if (isFree) first.run()
    },
    r: () => {
      if (isFree) second?.run()
    }
  })
  return (
    <>
      <ErrorNote error={error} />
      <p className="button-row">
        <Button kind="primary" reason={reason} busy={busy} onClick={first.run} aria-keyshortcuts="a">
          {first.label} <kbd>a</kbd>
        </Button>
        {second !== undefined && (
          <Button reason={reason} busy={busy} onClick={second.run} aria-keyshortcuts="r">
            {second.label} <kbd>r</kbd>
          </Button>
        )}
      </p>
    </>
  )
}
