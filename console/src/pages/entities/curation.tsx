import { type ReactNode, useState } from "react"
import { Link } from "wouter"
import type { Authority, EntityWithCuration, Lifecycle } from "../../../../server/client/index.js"
import { callOperation, useChange, useOperation, useRefresh } from "../../api/hooks.js"
import { useScopeReason } from "../../api/session.js"
import { Button } from "../../components/button.js"
import { AuthorityBadge, LifecycleBadge } from "../../components/curation-badges.js"
import { ErrorNote } from "../../components/error.js"
import { Badge, Content, Person, Time } from "../../components/text.js"
import { useToast } from "../../components/toast.js"
import { entityText } from "../../strings/entities.js"
import { lifecycleText } from "../../strings/fields.js"
import { strings } from "../../strings.js"
import { CareDialog } from "./care-dialog.js"
import { entityStale } from "./stale.js"
import { CertifiedSince, useCare } from "./standing.js"

const text = entityText.curation

/** Moves of the lifecycle by hand; retiring has its own dialog. */
const moves: Readonly<Record<Lifecycle, ReadonlyArray<"draft" | "pending_review" | "published">>> = {
  draft: ["draft", "pending_review", "published"],
  pending_review: ["draft", "pending_review", "published"],
  published: ["draft", "published"],
  deprecated: [],
  superseded: []
}

/** The curation state, each part with the control that changes it. */
export const Curation = ({ entity }: { readonly entity: EntityWithCuration }): ReactNode => {
  const { curation, id, origin } = entity
  const [isCaring, setCaring] = useState(false)
  const writeReason = useScopeReason("kb:write")
  const care = useCare(entity)
  const isOverdue = curation.nextReviewAt !== null && Date.parse(curation.nextReviewAt) < Date.now()
  return (
    <aside className="side-card" aria-label={text.title}>
      <h2>{text.title}</h2>
      <p className="badges">
        <AuthorityBadge value={curation.authority} />
        <LifecycleBadge value={curation.lifecycleStatus} />
        <CertifiedSince entity={entity} />
      </p>
      <AuthorityField id={id} value={curation.authority} reason={writeReason ?? care.reason} />
      <LifecycleField id={id} value={curation.lifecycleStatus} reason={writeReason ?? care.reason} />
      <dl className="facts">
        <dt>{text.owner}</dt>
        <dd data-testid="entity-owner">
          {curation.ownerId === null ? (
            <span className="muted">{text.nobody}</span>
          ) : (
            <Person id={curation.ownerId} />
          )}
        </dd>
        <dt>{text.stewards}</dt>
        <dd>
          {curation.stewardIds.length === 0 && <span className="muted">{text.nobody}</span>}
          {curation.stewardIds.map((steward) => (
            <span key={steward} className="in-list">
              <Person id={steward} />
            </span>
          ))}
        </dd>
        <dt>{text.reviewed}</dt>
        <dd>
          <Time at={curation.lastReviewedAt} />
        </dd>
        <dt>{text.next}</dt>
        <dd>
          <Time at={curation.nextReviewAt} /> {isOverdue && <Badge tone="warn">{text.overdue}</Badge>}
        </dd>
        {curation.supersededBy !== null && (
          <>
            <dt>{text.successor}</dt>
            <dd>
              <Successor id={curation.supersededBy} />
            </dd>
          </>
        )}
        <dt>{text.version}</dt>
        <dd>{curation.version}</dd>
        <dt>{text.origin}</dt>
        <dd>{entityText.relations.origin[origin as keyof typeof entityText.relations.origin] ?? origin}</dd>
      </dl>
      <Button size="small" reason={writeReason ?? care.ownerReason} onClick={() => setCaring(true)}>
        {entityText.verbs.care}
      </Button>
      {isCaring && <CareDialog entity={entity} onClose={() => setCaring(false)} />}
    </aside>
  )
}

const Successor = ({ id }: { readonly id: string }): ReactNode => {
  const { data } = useOperation("getEntity", { id })
  return (
    <Link href={`/entities/${id}`}>
      <Content>{data?.name ?? id}</Content>
    </Link>
  )
}

const AuthorityField = ({
  id,
  reason,
  value
}: {
  readonly id: string
  readonly value: Authority
  readonly reason: string | undefined
}): ReactNode => {
  const toast = useToast()
  const refresh = useRefresh()
  const change = useChange("setAuthority", entityStale)
  const set = (authority: Authority) =>
    change.mutate(
      { id, authority },
      {
        onSuccess: () =>
          toast({
            text: entityText.done.authority(strings.authority[authority]),
            undo: async () => {
              await callOperation("setAuthority", { id, authority: value })
              await refresh(entityStale)
            }
          })
      }
    )
  return (
    <label className="field">
      <span className="field-label">{text.authority}</span>
      <select
        value={value}
        disabled={reason !== undefined}
        title={reason}
        onChange={(event) => set(event.target.value as Authority)}
      >
        {Object.entries(strings.authority).map(([authority, label]) => (
          <option key={authority} value={authority}>
            {label}
          </option>
        ))}
      </select>
      {reason !== undefined && <span className="field-hint">{reason}</span>}
      <ErrorNote error={change.error} />
    </label>
  )
}

const LifecycleField = ({
  id,
  reason,
  value
}: {
  readonly id: string
  readonly value: Lifecycle
  readonly reason: string | undefined
}): ReactNode => {
  const toast = useToast()
  const refresh = useRefresh()
  const change = useChange("setEntityLifecycle", entityStale)
  const isTerminal = moves[value].length === 0
  const set = (lifecycleStatus: "draft" | "pending_review" | "published") =>
    change.mutate(
      { id, lifecycleStatus },
      {
        onSuccess: () => {
          const back = moves[lifecycleStatus].find((one) => one === value)
          toast({
            text: entityText.done.lifecycle(lifecycleText[lifecycleStatus] ?? lifecycleStatus),
            ...(back === undefined
              ? {}
              : {
                  undo: async () => {
                    await callOperation("setEntityLifecycle", { id, lifecycleStatus: back })
                    await refresh(entityStale)
                  }
                })
          })
        }
      }
    )
  return (
    <label className="field">
      <span className="field-label">{text.lifecycle}</span>
      <select
        value={value}
        disabled={reason !== undefined || isTerminal}
        title={reason}
        onChange={(event) => set(event.target.value as "draft" | "pending_review" | "published")}
      >
        {isTerminal && <option value={value}>{lifecycleText[value]}</option>}
        {(["draft", "pending_review", "published"] as const).map((one) => {
          const isLegal = moves[value].includes(one)
          return (
            <option
              key={one}
              value={one}
              disabled={!isLegal}
              title={isLegal ? undefined : text.noMove(lifecycleText[one] ?? one)}
            >
              {lifecycleText[one]}
            </option>
          )
        })}
      </select>
      {isTerminal && <span className="field-hint">{text.terminal}</span>}
      <ErrorNote error={change.error} />
    </label>
  )
}
