import type { ReactNode } from "react"
import { Link } from "wouter"
import type { CoverageMatrix, Report } from "../../../../server/client/index.js"
import { useOperation } from "../../api/hooks.js"
import { ApiCall } from "../../components/api-call.js"
import { Button } from "../../components/button.js"
import { Figures } from "../../components/figures.js"
import { Page } from "../../components/page.js"
import { Loaded } from "../../components/states.js"
import { Content, Time } from "../../components/text.js"
import { formatNumber } from "../../language.js"
import { fieldName } from "../../strings/fields.js"
import { reportText as text } from "../../strings/reports.js"

/** One report: numbers, highlights, the coverage matrix and tables. */
export const ReportPage = ({ id }: { readonly id: string }): ReactNode => {
  const report = useOperation("getReport", { id })
  if (report.data === undefined)
    return (
      <Page title={text.title}>
        <Loaded query={report}>{() => null}</Loaded>
      </Page>
    )
  const { coverage, generatedAt, kind, sections, status, summary, title } = report.data
  return (
    <Page
      title={title}
      wide
      lead={
        <>
          {text.kinds[kind]} · <Time at={generatedAt} form="exact" />
        </>
      }
      actions={<Button onClick={() => print()}>{text.print}</Button>}
    >
      {status === "archived" && <p className="note">{text.archivedHint}</p>}
      <Figures items={numbersOf(summary)} />
      {summary.highlights.length > 0 && (
        <section className="panel">
          <h2>{text.highlights}</h2>
          <ul className="bullets">
            {summary.highlights.map((sentence) => (
              <li key={sentence} dir="auto">
                {sentence}
              </li>
            ))}
          </ul>
        </section>
      )}
      {coverage.cells.length > 0 && <Coverage coverage={coverage} />}
      {sections.map((section) => (
        <section key={section.id} className="stack tight">
          <h2>
            <Content>{section.title}</Content>
          </h2>
          <Cells section={section} />
        </section>
      ))}
      <ApiCall name="getReport" input={{ id }} />
    </Page>
  )
}

const numbersOf = (summary: Report["summary"]): ReadonlyArray<readonly [string, string]> =>
  Object.entries({ ...summary }).flatMap(([name, value]: readonly [string, unknown]) =>
    typeof value === "number" ? [[text.numbers[name] ?? fieldName(name), formatNumber(value)] as const] : []
  )

const Cells = ({ section }: { readonly section: Report["sections"][number] }): ReactNode => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls has to be reachable by keyboard.
  <section className="table-frame" tabIndex={0} aria-label={section.title}>
    <table>
      <thead>
        <tr>
          {section.columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {section.rows.map((row, index) => {
          const key = `${index}`
          return (
            <tr key={key}>
              {row.map((cell, place) => {
                const cellKey = `${place}`
                return (
                  <td key={cellKey} dir="auto" className={typeof cell === "number" ? "number" : ""}>
                    <Cell value={cell} />
                  </td>
                )
              })}
            </tr>
          )
        })}
      </tbody>
    </table>
  </section>
)

/** Ids of documents and entities lead to their pages. */
const Cell = ({ value }: { readonly value: string | number | null }): ReactNode => {
  if (value === null) return "—"
  if (typeof value === "number") return formatNumber(value)
  if (/^doc_[0-9a-z]{26}$/.test(value)) return <Link href={`/documents/${value}`}>{value}</Link>
  if (/^ent_[0-9a-z]{26}$/.test(value)) return <Link href={`/entities/${value}`}>{value}</Link>
  return value
}

const Coverage = ({
  coverage: { cells, columns, rows }
}: {
  readonly coverage: CoverageMatrix
}): ReactNode => {
  const byPlace = new Map(cells.map((cell) => [`${cell.row}\n${cell.column}`, cell]))
  const max = Math.max(1, ...cells.map(({ documents }) => documents))
  return (
    <section className="stack tight">
      <h2>{text.coverage}</h2>
      <p className="muted">{text.coverageHint}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls has to be reachable by keyboard. */}
      <section className="table-frame matrix" tabIndex={0} aria-label={text.coverage}>
        <table>
          <thead>
            <tr>
              <th scope="col">{text.concept}</th>
              {columns.map(({ id, label }) => (
                <th key={id} scope="col" className="number" dir="auto">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.id}>
                <th scope="row" dir="auto">
                  {row.id.startsWith("ent_") ? (
                    <Link href={`/entities/${row.id}`}>{row.label}</Link>
                  ) : (
                    row.label
                  )}
                </th>
                {columns.map((column) => {
                  const cell = byPlace.get(`${row.id}\n${column.id}`)
                  return (
                    <td
                      key={column.id}
                      className="number heat"
                      data-heat={cell === undefined ? 0 : Math.ceil((4 * cell.documents) / max)}
                    >
                      {cell === undefined ? "" : `${cell.documents} (${cell.mentions})`}
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  )
}
