import { type ReactNode, useCallback, useState } from "react"
import type { JobItem } from "../../../../server/client/index.js"
import type { Health } from "../../../../server/console/model.js"
import { type InputOf, useChange, useOperation, useOwn } from "../../api/hooks.js"
import { useScopeReason } from "../../api/session.js"
import { ApiCall } from "../../components/api-call.js"
import { Button } from "../../components/button.js"
import { ErrorNote } from "../../components/error.js"
import { Figures } from "../../components/figures.js"
import { FilterBar, SelectFilter, useFilters } from "../../components/filters.js"
import { Page } from "../../components/page.js"
import { EmptyState, Loaded } from "../../components/states.js"
import { Badge, Time } from "../../components/text.js"
import { useToast } from "../../components/toast.js"
import { formatNumber } from "../../language.js"
import type { PageRoute } from "../../page-route.js"
import { jobText as text } from "../../strings/operations.js"

const tones = {
  scheduled: "neutral",
  queued: "neutral",
  running: "info",
  succeeded: "good",
  dead: "bad",
  cancelled: "neutral"
} as const
const pageSize = 50

/** Background work with its progress, failures in words, and the ways to start and repeat it. */
const Jobs: PageRoute["page"] = (): ReactNode => {
  const filters = useFilters(["status", "kind"])
  const { set, values } = filters
  const [limit, setLimit] = useState(pageSize)
  const input: InputOf<"listJobs"> = {
    limit,
    ...(values.status === "" ? {} : { status: values.status as JobItem["status"] }),
    ...(values.kind === "" ? {} : { kind: values.kind })
  }
  const jobs = useOperation("listJobs", input, { everyMs: 3_000, keepPrevious: true })
  const dead = useOperation("listJobs", { status: "dead", limit: 1 }, { everyMs: 10_000 })
  return (
    <Page title={text.title} lead={text.lead} actions={<StartWork />}>
      <HealthPanel />
      <RetryAll count={dead.data?.total ?? 0} />
      <FilterBar>
        <SelectFilter
          label={text.filters.status}
          value={values.status}
          onChange={(value) => set("status", value)}
          all={text.filters.any}
          options={Object.entries(text.statuses)}
        />
        <SelectFilter
          label={text.filters.kind}
          value={values.kind}
          onChange={(value) => set("kind", value)}
          all={text.filters.any}
          options={kindsOf(jobs.data?.items ?? [], values.kind)}
        />
      </FilterBar>
      <Loaded query={jobs}>
        {({ items, oldestQueuedAt, queueDepth, total }) => (
          <>
            {queueDepth > 0 && (
              <p className="muted" role="status">
                {text.depth(queueDepth)}
                {oldestQueuedAt !== null && (
                  <>
                    , {text.oldest} <Time at={oldestQueuedAt} />
                  </>
                )}
              </p>
            )}
            {items.length === 0 ? (
              <EmptyState title={text.empty}>
                <p>{text.emptyHint}</p>
                {filters.isFiltered && <Button onClick={filters.clear}>{text.filters.any}</Button>}
              </EmptyState>
            ) : (
              <ul className="list">
                {items.map((job) => (
                  <JobRow key={job.id} job={job} />
                ))}
              </ul>
            )}
            {total > items.length && limit < 200 && (
              <p>
                <Button
                  onClick={() => setLimit(200)}
                >{`+ ${formatNumber(Math.min(total, 200) - items.length)}`}</Button>
              </p>
            )}
          </>
        )}
      </Loaded>
      <ApiCall name="listJobs" input={input} />
    </Page>
  )
}

export default Jobs

const kindsOf = (items: ReadonlyArray<JobItem>, chosen: string): ReadonlyArray<readonly [string, string]> =>
  [...new Set([...items.map(({ kind }) => kind), ...(chosen === "" ? [] : [chosen])])]
    .sort()
    .map((kind) => [kind, nameOf(kind)])

const nameOf = (kind: string): string =>
  text.kinds[kind as keyof typeof text.kinds] ??
  text.own[kind] ??
  kind.replaceAll(/[._-]/g, " ").replace(/^./, (first) => first.toUpperCase())

const JobRow = ({ job }: { readonly job: JobItem }): ReactNode => {
  const adminReason = useScopeReason("kb:write")
  const toast = useToast()
  const start = useChange("startJob", ["listJobs"])
  return (
    <li className="job-row" data-testid="job-row" data-status={job.status}>
      <div className="row spread">
        <span className="row">
          <Badge tone={tones[job.status]}>{text.statuses[job.status]}</Badge>
          <strong>{nameOf(job.kind)}</strong>
          {job.subjectId !== null && <code className="small">{job.subjectId}</code>}
        </span>
        <span className="muted small">
          {job.attempt > 1 && `${text.attempt(job.attempt)} · `}
          <Time at={job.finishedAt ?? job.startedAt ?? job.queuedAt} />
        </span>
      </div>
      {job.progress !== null && job.status === "running" && (
        <p className="progress-line">
          <progress
            value={job.progress.done}
            max={Math.max(1, job.progress.total)}
            aria-label={nameOf(job.kind)}
          />
          <span className="muted small">
            {formatNumber(job.progress.done)} / {formatNumber(job.progress.total)}{" "}
            <span dir="auto">{job.progress.note}</span>
          </span>
        </p>
      )}
      {job.error !== null && (
        <p className="job-error" dir="auto">
          {job.error}
        </p>
      )}
      {job.nextAttemptAt !== null && job.error !== null && (
        <p className="muted small">
          {text.next} <Time at={job.nextAttemptAt} />
        </p>
      )}
      {job.status === "dead" && (
        <p>
          <Button
            size="small"
            reason={adminReason}
            busy={start.isPending}
            aria-label={text.retryLabel(nameOf(job.kind))}
            onClick={() =>
              start.mutate(
                { kind: "retry", subjectIds: [job.id] },
                { onSuccess: ({ total }) => toast({ text: text.retried(total) }) }
              )
            }
          >
            {text.retryOne}
          </Button>
        </p>
      )}
      <ErrorNote error={start.error} />
    </li>
  )
}

const RetryAll = ({ count }: { readonly count: number }): ReactNode => {
  const writeReason = useScopeReason("kb:write")
  const toast = useToast()
  const start = useChange("startJob", ["listJobs"])
  if (count === 0) return null
  return (
    <div className="note warn row spread">
      <span>{text.failed(count)}</span>
      <Button
        reason={writeReason}
        busy={start.isPending}
        onClick={() =>
          start.mutate(
            { kind: "retry", all: true },
            { onSuccess: ({ total }) => toast({ text: text.retried(total) }) }
          )
        }
      >
        {text.retryAll}
      </Button>
      <ErrorNote error={start.error} />
    </div>
  )
}

type Kind = keyof typeof text.kinds

const StartWork = (): ReactNode => {
  const [kind, setKind] = useState<Kind>("ingest")
  const writeReason = useScopeReason("kb:write")
  const toast = useToast()
  const start = useChange("startJob", ["listJobs"])
  const run = useCallback(
    () =>
      start.mutate({ kind, all: true }, { onSuccess: ({ total }) => toast({ text: text.started(total) }) }),
    [kind, start, toast]
  )
  return (
    <>
      <label className="filter">
        <span className="visually-hidden">{text.startKind}</span>
        <select
          value={kind}
          title={text.startHint[kind]}
          onChange={(event) => setKind(event.target.value as Kind)}
        >
          {Object.entries(text.kinds).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <Button kind="primary" reason={writeReason} busy={start.isPending} onClick={run}>
        {text.start}
      </Button>
      <ErrorNote error={start.error} />
    </>
  )
}

const HealthPanel = (): ReactNode => {
  const health = useOwn<Health>("health", {}, { everyMs: 15_000 })
  if (health.data === undefined) return null
  const { counts, vault, vectors, version } = health.data
  return (
    <section className="panel">
      <h2>{text.health.title}</h2>
      <Figures
        items={[
          [text.health.documents, formatNumber(counts.documents)],
          [text.health.passages, formatNumber(counts.chunks)],
          [text.health.entities, formatNumber(counts.entities)],
          [text.health.relations, formatNumber(counts.relations)],
          [text.health.vectors, vectors.upToDate ? text.health.upToDate : text.health.behind],
          [text.health.vault, vault.readable ? text.health.readable : (vault.message ?? "—")],
          [text.health.version, version]
        ]}
      />
    </section>
  )
}
