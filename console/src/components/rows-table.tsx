import type { ReactNode } from "react"

/** Rows of a database or a report as a table; every value is text. */
export const RowsTable = ({
  columns,
  label,
  rows
}: {
  readonly label: string
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<Readonly<Record<string, unknown>>>
}): ReactNode => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls has to be reachable by keyboard.
  <section className="table-frame rows-table" tabIndex={0} aria-label={label}>
    <table>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col" dir="auto">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => {
          // Rows have no identity beside their place.
          const key = `${index}`
          return (
            <tr key={key}>
              {columns.map((column) => (
                <td key={column} dir="auto" className={typeof row[column] === "number" ? "number" : ""}>
                  {cellText(row[column])}
                </td>
              ))}
            </tr>
          )
        })}
      </tbody>
    </table>
  </section>
)

const cellText = (value: unknown): string => {
  if (value === null || value === undefined) return "—"
  return typeof value === "object" ? JSON.stringify(value) : String(value)
}
