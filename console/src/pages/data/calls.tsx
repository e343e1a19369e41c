import type { ReactNode } from "react"
import { Link, useSearchParams } from "wouter"
import { useConsoleOperation, useOperation } from "../../api/hooks.js"
import { JsonView } from "../../components/json-view.js"
import { RowsTable } from "../../components/rows-table.js"
import { EmptyState, Loaded } from "../../components/states.js"
import { Badge, Person, Time } from "../../components/text.js"
import { dataText } from "../../strings/data.js"
import type { ConsoleOutput } from "../console-types.js"

const text = dataText.calls
const tones = { ok: "good", refused: "warn", failed: "bad", timeout: "bad" } as const

/** Executions of named queries, newest first; each opens to its parameters and rows. */
export const Calls = (): ReactNode => {
  const calls = useConsoleOperation<ConsoleOutput<"listDataCalls">>("listDataCalls", { limit: 200 })
  const [params] = useSearchParams()
  return (
    <Loaded query={calls}>
      {({ items }) =>
        items.length === 0 ? (
          <EmptyState title={text.empty}>
            <Link href="/data" className="button">
              {dataText.tabs.queries}
            </Link>
          </EmptyState>
        ) : (
          <ul className="list">
            {items.map((call) => (
              <li key={call.id} className="list-row">
                <details open={params.get("call") === call.id}>
                  <summary>
                    <span className="row">
                      <Badge tone={tones[call.outcome]}>
                        {call.outcome === "ok"
                          ? dataText.queries.rows(call.rowCount)
                          : text.outcomes[call.outcome]}
                      </Badge>
                      <code>{call.slug}</code>
                      <span className="muted small">
                        {text.by} <Person id={call.calledBy} />, <Time at={call.executedAt} /> ·{" "}
                        {dataText.queries.ms(call.durationMs)}
                      </span>
                    </span>
                    {call.error !== null && (
                      <span className="step-error" dir="auto">
                        {call.error}
                      </span>
                    )}
                  </summary>
                  <CallDetail id={call.id} />
                </details>
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  )
}

const CallDetail = ({ id }: { readonly id: string }): ReactNode => {
  const call = useOperation("getDataCall", { id })
  return (
    <Loaded query={call}>
      {(detail) => (
        <div className="stack tight">
          <h3>{text.params}</h3>
          <JsonView label={text.params} value={detail.params} />
          {detail.answerId !== null && (
            <p>
              <Link href={`/answers/${detail.answerId}`}>{text.answer}</Link>
            </p>
          )}
          {detail.runId !== null && (
            <p>
              <Link href={`/runs/${detail.runId}`}>{text.run}</Link>
            </p>
          )}
          {detail.rows === undefined || detail.columns === undefined ? (
            <p className="muted">{text.noRows}</p>
          ) : (
            <RowsTable label={text.rows} columns={detail.columns} rows={detail.rows} />
          )}
        </div>
      )}
    </Loaded>
  )
}
