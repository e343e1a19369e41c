import type { ReactNode } from "react"
import type { Authority, Lifecycle } from "../../../server/client/index.js"
import { lifecycleText } from "../strings/fields.js"
import { strings } from "../strings.js"
import { Badge } from "./text.js"

/** Colour of each authority of an entity. */
const authorityTones = {
  machine_extracted: "neutral",
  asserted: "info",
  curated: "good",
  certified: "good"
} as const

export const AuthorityBadge = ({ value }: { readonly value: Authority }): ReactNode => (
  <Badge tone={authorityTones[value]} data-testid="entity-authority" data-value={value}>
    {value === "certified" ? "✓ " : ""}
    {strings.authority[value]}
  </Badge>
)

const lifecycleTones = {
  draft: "neutral",
  pending_review: "warn",
  published: "neutral",
  deprecated: "bad",
  superseded: "bad"
} as const

/** The lifecycle; a published entity is the usual case and carries no badge in lists. */
export const LifecycleBadge = ({
  value,
  inList = false
}: {
  readonly value: Lifecycle
  readonly inList?: boolean
}): ReactNode =>
  inList && value === "published" ? null : (
    <Badge tone={lifecycleTones[value]}>{lifecycleText[value] ?? value}</Badge>
  )
