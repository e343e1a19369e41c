/** Empty cells that make the rows of a table equally long, at most. */
const paddingMax = 200_000

/**
 * A GitHub table of rows; the first one is its header, or the header is empty where no row names the columns. Rows are made equally long, unless one wide row among many narrow
 * ones would take too many empty cells: then only the header is, which is what the format asks for. Cells are put on one
 * line. Empty when there is no cell.
 */
export const markdownTable = (all: ReadonlyArray<ReadonlyArray<string>>, isHeaded = true): string => {
  const rows = isHeaded || all.length === 0 ? all : [[], ...all]
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0)
  const [head, ...body] = rows
  if (head === undefined || width === 0) return ""
  const padding = rows.reduce((sum, row) => sum + width - row.length, 0)
  const line = (row: ReadonlyArray<string>, length: number) =>
    `| ${Array.from({ length }, (_, column) => row[column] ?? "").join(" | ")} |`
  return [
    line(head, width),
    `|${" --- |".repeat(width)}`,
    ...body.map((row) => line(row, padding > paddingMax ? row.length : width))
  ].join("\n")
}

/** Text that is not Markdown yet, as a table cell. */
export const plainCell = (text: string): string =>
  escapeMarkdown(text.replace(/\s+/gu, " ").trim()).replaceAll("|", "\\|")

/** Text that already is Markdown, as a table cell. */
export const markdownCell = (markdown: string): string =>
  markdown
    .replace(/\s+/gu, " ")
    .trim()
    .replace(/(?<!\\)\|/g, "\\|")

/** Keeps plain text from being read as Markdown: what would start HTML, a link, code or emphasis gets a backslash. */
export const escapeMarkdown = (text: string): string =>
  text.replace(/[\\`<[\]*]/g, "\\$&").replace(/(^|\s)_|_(?=\s|$)/g, (found) => found.replace("_", "\\_"))
