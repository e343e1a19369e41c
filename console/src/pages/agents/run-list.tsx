import { type ReactNode, useCallback, useState } from "react"
import { Link } from "wouter"
import type { RunStatus } from "../../../../server/client/index.js"
import { usePagedList } from "../../api/pages.js"
import { ErrorNote } from "../../components/error.js"
import { FilterBar, SelectFilter, useFilters } from "../../components/filters.js"
import { EmptyState, Loading } from "../../components/states.js"
import { Content, Time } from "../../components/text.js"
import { VirtualList } from "../../components/virtual-list.js"
import { runText as text } from "../../strings/runs.js"
import { RunStatusBadge } from "../runs/run-status.js"

/** Runs of one agent or of all, newest first. */
export const RunList = ({ agent }: { readonly agent?: string }): ReactNode => {
  const { set, values } = useFilters(["status", "feedback", "conversation"])
  const [range, setRange] = useState<readonly [number, number]>([0, 0])
  const onRange = useCallback((first: number, last: number) => setRange([first, last]), [])
  const list = usePagedList(
    "listRuns",
    {
      ...(agent === undefined ? {} : { agent }),
      ...(values.status === "" ? {} : { status: values.status as RunStatus }),
      ...(values.feedback === "" ? {} : { feedback: values.feedback as "positive" | "negative" }),
      ...(values.conversation === "" ? {} : { conversationId: values.conversation })
    },
    ({ items }) => items,
    ({ total }) => total,
    range
  )
  return (
    <section className="stack tight">
      <h2>{text.title}</h2>
      <FilterBar>
        <SelectFilter
          label={text.filters.status}
          value={values.status}
          onChange={(value) => set("status", value)}
          all={text.filters.any}
          options={Object.entries(text.statuses)}
        />
        <SelectFilter
          label={text.filters.feedback}
          value={values.feedback}
          onChange={(value) => set("feedback", value)}
          all={text.filters.any}
          options={[
            ["positive", text.filters.positive],
            ["negative", text.filters.negative]
          ]}
        />
      </FilterBar>
      {list.error !== null && <ErrorNote error={list.error} />}
      {list.isLoading && <Loading />}
      {list.total === 0 && (
        <EmptyState title={text.empty}>
          <p>{text.emptyHint}</p>
        </EmptyState>
      )}
      {list.total !== undefined && list.total > 0 && (
        <VirtualList
          label={text.title}
          total={list.total}
          rowHeight={64}
          onRange={onRange}
          row={(index) => {
            const run = list.itemAt(index)
            if (run === undefined) return <span className="row-waiting" />
            return (
              <div className="record-row two-lines">
                <span className="row-main">
                  <Link href={`/runs/${run.id}`}>
                    <Content>{run.input}</Content>
                  </Link>
                  <span className="muted small">
                    {run.agentSlug} · <Time at={run.createdAt} /> · {run.costUsd} USD
                  </span>
                </span>
                <RunStatusBadge status={run.status} />
              </div>
            )
          }}
        />
      )}
    </section>
  )
}
