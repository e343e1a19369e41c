import type { ReactNode } from "react"
import { usePerson } from "../api/people.js"
import { formatMoment, localeOf } from "../language.js"
import { strings } from "../strings.js"

const relative = new Intl.RelativeTimeFormat(localeOf(), { numeric: "auto" })
const units = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60]
] as const

/** `3 days ago`, `in 2 hours`, `now`. */
const ago = (at: number, now: number): string => {
  const seconds = (at - now) / 1000
  for (const [unit, size] of units)
    if (Math.abs(seconds) >= size) return relative.format(Math.round(seconds / size), unit)
  return relative.format(0, "second")
}

/** A moment in local time: how long ago, with the date on hover; `exact` shows the date. */
export const Time = ({
  at,
  form = "relative"
}: {
  readonly at: string | null
  readonly form?: "relative" | "exact"
}): ReactNode => {
  if (at === null) return <span className="muted">{strings.time.never}</span>
  const moment = new Date(at)
  if (Number.isNaN(moment.getTime())) return <span className="muted">{strings.time.unknown}</span>
  const date = formatMoment(moment)
  return (
    <time dateTime={at} title={date}>
      {form === "exact" ? date : ago(moment.getTime(), Date.now())}
    </time>
  )
}

/** Text of the workspace: a title, a path, a name. Its direction is its own, and it cannot disturb its neighbours. */
export const Content = ({ children }: { readonly children: string }): ReactNode => (
  <bdi dir="auto">{children}</bdi>
)

/** The name of whoever acted: a member, a key, the command line, the system. */
export const Person = ({ id }: { readonly id: string | null }): ReactNode =>
  id === null ? <span className="muted">—</span> : <NamedPerson id={id} />

const NamedPerson = ({ id }: { readonly id: string }): ReactNode => {
  const { name, kind } = usePerson(id)
  return (
    <bdi dir="auto" title={id} className={`person ${kind}`}>
      {name}
    </bdi>
  )
}

/** A small coloured word for a state. */
export const Badge = ({
  tone = "neutral",
  children,
  ...rest
}: {
  readonly tone?: "neutral" | "good" | "warn" | "bad" | "info"
  readonly children: ReactNode
  readonly [data: `data-${string}`]: string | undefined
}): ReactNode => (
  <span className={`badge ${tone}`} {...rest}>
    {children}
  </span>
)

const standings = { unverified: "neutral", verified: "good", certified: "good", deprecated: "bad" } as const

/** The verification of a document or source, and whether its review is overdue. */
export const Standing = ({
  verification,
  overdue = false
}: {
  readonly verification: keyof typeof standings
  readonly overdue?: boolean | undefined
}): ReactNode => (
  <>
    <Badge tone={standings[verification]}>{strings.standing[verification]}</Badge>
    {overdue && <Badge tone="warn">{strings.standing.overdue}</Badge>}
  </>
)
