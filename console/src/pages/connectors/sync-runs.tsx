import type { ReactNode } from "react"
import type { SyncRun, SyncStatus } from "../../../../server/client/index.js"
import { EmptyState } from "../../components/states.js"
import { Badge, Time } from "../../components/text.js"
import { formatNumber } from "../../language.js"
import { connectorText } from "../../strings/connectors.js"

const text = connectorText.runs
const tones = {
  queued: "neutral",
  running: "info",
  succeeded: "good",
  failed: "bad",
  cancelled: "neutral"
} as const

export const SyncBadge = ({ status }: { readonly status: SyncStatus }): ReactNode => (
  <Badge tone={tones[status]}>{text.statuses[status]}</Badge>
)

/** Runs, newest first, with progress and what failed, in words. */
export const SyncRuns = ({ syncs }: { readonly syncs: ReadonlyArray<SyncRun> }): ReactNode => (
  <section className="stack tight">
    <h2>{text.title}</h2>
    {syncs.length === 0 ? (
      <EmptyState title={text.empty}>
        <p>{text.emptyHint}</p>
      </EmptyState>
    ) : (
      <ul className="list">
        {syncs.map((run) => (
          <Run key={run.id} run={run} />
        ))}
      </ul>
    )}
  </section>
)

const Run = ({ run }: { readonly run: SyncRun }): ReactNode => (
  <li className="list-row stack tight" data-testid="sync-row" data-status={run.status}>
    <div className="row spread">
      <span className="row">
        <SyncBadge status={run.status} />
        <span>{text.modes[run.mode]}</span>
        {run.dryRun && <Badge tone="info">{text.dry}</Badge>}
      </span>
      <span className="muted small">
        <Time at={run.finishedAt ?? run.startedAt ?? run.queuedAt} />
      </span>
    </div>
    {run.status === "running" && (
      <progress
        {...(run.percent === null ? {} : { value: run.percent })}
        max={100}
        aria-label={text.statuses.running}
      />
    )}
    <p className="muted">
      {(Object.keys(text.counts) as ReadonlyArray<keyof typeof text.counts>)
        .filter((name) => run[name] > 0)
        .map((name) => `${formatNumber(run[name])} ${text.counts[name]}`)
        .join(" · ")}
    </p>
    {run.heldRemovals > 0 && <p className="note warn">{text.held(run.heldRemovals)}</p>}
    {run.failures.length > 0 && (
      <details open={run.failures.length < 6}>
        <summary>{text.failures(Math.max(run.failed, run.failures.length))}</summary>
        <ul className="failure-list">
          {run.failures.map(({ externalId, reason }, index) => {
            // An item may fail for several reasons.
            const key = `${index}`
            return (
              <li key={key} dir="auto">
                <code>{externalId ?? text.whole}</code> {reason}
              </li>
            )
          })}
        </ul>
        <p className="muted small">{text.retry}</p>
      </details>
    )}
    {run.warnings.length > 0 && (
      <details>
        <summary>{text.warnings(run.warned)}</summary>
        <ul className="failure-list">
          {run.warnings.map(({ externalId, messages }) => (
            <li key={externalId} dir="auto">
              <code>{externalId}</code> {messages.join(" ")}
            </li>
          ))}
        </ul>
      </details>
    )}
    {run.changes !== undefined && run.changes.length > 0 && (
      <details open>
        <summary>{text.changes}</summary>
        <ul className="failure-list">
          {run.changes.map(({ externalId, op, path }) => (
            <li key={`${op}-${externalId}`} dir="auto">
              <Badge>{text.ops[op]}</Badge> <code>{path ?? externalId}</code>
            </li>
          ))}
        </ul>
      </details>
    )}
  </li>
)
