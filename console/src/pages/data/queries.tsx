import { type ReactNode, useState } from "react"
import { Link } from "wouter"
import type { ListDataQueriesResult, RunDataQueryResult } from "../../../../server/client/index.js"
import { useChange, useOperation } from "../../api/hooks.js"
import { useScopeReason } from "../../api/session.js"
import { ApiCall } from "../../components/api-call.js"
import { Button } from "../../components/button.js"
import { Dialog } from "../../components/dialog.js"
import { ErrorNote } from "../../components/error.js"
import { Field } from "../../components/page.js"
import { RowsTable } from "../../components/rows-table.js"
import { EmptyState, Loaded } from "../../components/states.js"
import { Badge, Content } from "../../components/text.js"
import { dataText } from "../../strings/data.js"
import { strings } from "../../strings.js"
import { type Param, paramValue } from "./param-value.js"
import { QueryEditor } from "./query-editor.js"

const text = dataText.queries
type Query = ListDataQueriesResult["items"][number]

/** The named queries; each can be run with its parameters, administrators publish them. */
export const Queries = (): ReactNode => {
  const queries = useOperation("listDataQueries", {})
  const adminReason = useScopeReason("workspace:admin")
  const runReason = useScopeReason("data:run")
  const [running, setRunning] = useState<Query | null>(null)
  const [editing, setEditing] = useState<string | null>(null)
  return (
    <div className="stack">
      <p>
        <Button kind="primary" reason={adminReason} onClick={() => setEditing("")}>
          {text.create}
        </Button>
      </p>
      <Loaded query={queries}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState title={text.empty}>
              <p>{text.emptyHint}</p>
              <Link href="/data?tab=databases" className="button plain">
                {dataText.connectors.create}
              </Link>
            </EmptyState>
          ) : (
            <ul className="list">
              {items.map((query) => (
                <li key={query.id} className="list-row row spread">
                  <span className="grow">
                    <strong>
                      <Content>{query.title}</Content>
                    </strong>{" "}
                    <code className="small">{query.slug}</code>{" "}
                    {!query.enabled && <Badge tone="warn">{text.disabled}</Badge>}
                    <br />
                    <span className="muted" dir="auto">
                      {query.description}
                    </span>
                  </span>
                  <span className="button-row">
                    <Button
                      reason={runReason ?? (query.enabled ? undefined : text.disabled)}
                      onClick={() => setRunning(query)}
                    >
                      {text.run}
                    </Button>
                    <Button kind="quiet" reason={adminReason} onClick={() => setEditing(query.slug)}>
                      {text.edit}
                    </Button>
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <ApiCall name="listDataQueries" input={{}} />
      {running !== null && <RunDialog query={running} onClose={() => setRunning(null)} />}
      {editing !== null && <QueryEditor slug={editing} onClose={() => setEditing(null)} />}
    </div>
  )
}

const RunDialog = ({
  onClose,
  query
}: {
  readonly query: Query
  readonly onClose: () => void
}): ReactNode => {
  const run = useChange("runDataQuery", ["listDataCalls"])
  const submit = (form: FormData) =>
    run.mutate({
      slug: query.slug,
      params: Object.fromEntries(
        query.params.flatMap((param) => {
          const value = paramValue(param, String(form.get(param.name) ?? ""))
          return value === undefined ? [] : [[param.name, value]]
        })
      )
    })
  return (
    <Dialog title={text.runTitle(query.title)} onClose={onClose} wide>
      <form
        className="stack tight"
        onSubmit={(event) => {
          event.preventDefault()
          submit(new FormData(event.currentTarget))
        }}
      >
        {query.params.length === 0 && <p className="muted">{text.noParams}</p>}
        {query.params.map((param) => (
          <ParamField key={param.name} param={param} />
        ))}
        <ErrorNote error={run.error} />
        <div className="dialog-actions">
          <Button onClick={onClose}>{strings.actions.close}</Button>
          <Button kind="primary" type="submit" busy={run.isPending}>
            {text.run}
          </Button>
        </div>
      </form>
      {run.data !== undefined && <Result result={run.data} slug={query.slug} />}
    </Dialog>
  )
}

const inputTypes: Readonly<Record<string, string>> = { date: "date", integer: "number", number: "number" }

const ParamField = ({ param }: { readonly param: Param }): ReactNode => {
  const isRequired = param.required ?? param.default === undefined
  const hint = [
    param.description,
    isRequired ? "" : text.optional,
    param.type.endsWith("[]") ? text.list : ""
  ]
    .filter((part) => part !== undefined && part !== "")
    .join(" · ")
  const given = param.default === undefined || param.default === null ? "" : String(param.default)
  return (
    <Field label={`${param.name} (${param.type})`} hint={hint}>
      {param.type === "enum" || param.type === "boolean" ? (
        <select name={param.name} required={isRequired} defaultValue={given}>
          <option value="" />
          {(param.enum ?? ["true", "false"]).map((value) => (
            <option key={value}>{value}</option>
          ))}
        </select>
      ) : param.type.endsWith("[]") ? (
        <textarea name={param.name} rows={3} required={isRequired} dir="auto" defaultValue={given} />
      ) : (
        <input
          name={param.name}
          dir="auto"
          required={isRequired}
          type={inputTypes[param.type] ?? "text"}
          step="any"
          defaultValue={given}
        />
      )}
    </Field>
  )
}

const Result = ({
  result,
  slug
}: {
  readonly result: RunDataQueryResult
  readonly slug: string
}): ReactNode => (
  <section className="stack tight">
    <h3>
      {text.result}: {text.rows(result.rowCount)}
    </h3>
    <p className="muted small">
      {text.ms(result.durationMs)} · {text.call}{" "}
      <Link href={`/data?tab=calls&call=${result.dataCallId}`}>
        <code>{result.dataCallId}</code>
      </Link>{" "}
      ·{" "}
      <Button size="small" kind="quiet" onClick={() => downloadCsv(slug, result)}>
        {text.csv}
      </Button>
    </p>
    {result.truncated && <p className="note warn">{text.truncated}</p>}
    {result.rows.length === 0 ? (
      <p className="muted">{text.noRows}</p>
    ) : (
      <RowsTable label={text.result} columns={result.columns} rows={result.rows} />
    )}
  </section>
)

const downloadCsv = (slug: string, { columns, rows }: RunDataQueryResult): void => {
  const cell = (value: unknown) => {
    const plain =
      value === null || value === undefined
        ? ""
        : typeof value === "object"
          ? JSON.stringify(value)
          : String(value)
    // A leading sign would be a formula in a spreadsheet.
    const safe = /^[=+\-@\t\r]/.test(plain) && typeof value === "string" ? `'${plain}` : plain
    return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
  }
  const lines = [columns.map(cell), ...rows.map((row) => columns.map((column) => cell(row[column])))]
  const url = URL.createObjectURL(
    new Blob([lines.map((line) => line.join(",")).join("\r\n")], { type: "text/csv" })
  )
  const link = document.createElement("a")
  link.href = url
  link.download = `${slug}.csv`
  link.click()
  URL.revokeObjectURL(url)
}
